package kubectl

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
)

func (c *caller) explain() *cobra.Command {
	return &cobra.Command{
		Use:               "explain NAME [ROLE[/INDEX]]",
		Short:             "Say what a Framework, a role or a Task is doing, why, and what to do about it",
		Args:              takesName(2),
		ValidArgsFunction: c.completeNames(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			k, err := c.cluster()
			if err != nil {
				return err
			}
			answer, err := k.explain(cmd.Context(), args)
			if err != nil {
				return err
			}
			return printAnswer(c.Out, answer)
		},
	}
}

func (k *cluster) explain(ctx context.Context, args []string) (explain.Answer, error) {
	s, err := k.get(ctx, args[0])
	if err != nil {
		return explain.Answer{}, err
	}
	pods := explain.Pods(&s.Framework)
	var about target
	if len(args) > 1 {
		if about, err = s.parseTarget(args[1]); err != nil {
			return explain.Answer{}, err
		}
		if about.index >= 0 {
			pods = append(pods, v1.PodName(s.Name, about.role, about.index))
		}
	}
	facts, err := k.facts(ctx, s, pods)
	switch {
	case err != nil:
		return explain.Answer{}, err
	case about.role == "":
		return explain.Framework(facts), nil
	case about.index < 0:
		return explain.Role(facts, about.role), nil
	}
	return explain.Task(facts, about.role, about.index), nil
}

// facts reads what an explanation looks at. Pods are the names of those that it wants.
func (k *cluster) facts(ctx context.Context, s *stored, pods []string) (explain.Facts, error) {
	facts := explain.Facts{Framework: &s.Framework}
	about := []object{{v1.FrameworkKind, s.Name}, {"ConfigMap", v1.ConfigMapName(s.Name)}}
	seen := map[string]bool{}
	for _, name := range pods {
		if seen[name] {
			continue
		}
		seen[name] = true
		about = append(about, object{"Pod", name})
		pod, err := k.ownPod(ctx, s, name)
		if err != nil {
			return facts, err
		}
		if pod != nil {
			facts.Pods = append(facts.Pods, *pod)
		}
	}
	for _, o := range about {
		events, err := k.eventsOf(ctx, o)
		if err != nil {
			return facts, err
		}
		facts.Events = append(facts.Events, events...)
	}
	facts.Events = since(facts.Events, s.CreationTimestamp)
	facts.Now = time.Now()
	return facts, nil
}

// since leaves out events of before a Framework was created, which are of another one of that name.
func since(events []corev1.Event, created metav1.Time) (kept []corev1.Event) {
	for i := range events {
		if !explain.LastSeen(&events[i]).Before(created.Time) {
			kept = append(kept, events[i])
		}
	}
	return kept
}

// ownPod reads a Pod of the Framework; nil if there is none, or somebody else's has its name.
func (k *cluster) ownPod(ctx context.Context, s *stored, name string) (*corev1.Pod, error) {
	ctx, cancel := k.patient(ctx)
	defer cancel()
	pod, err := k.core.CoreV1().Pods(k.namespace).Get(ctx, name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, k.inPlainWords(err)
	case pod.Labels[v1.KeyFrameworkName] != s.Name:
		return nil, nil
	}
	return pod, nil
}

// object is what an event is about.
type object struct{ kind, name string }

func (k *cluster) eventsOf(ctx context.Context, o object) ([]corev1.Event, error) {
	ctx, cancel := k.patient(ctx)
	defer cancel()
	list, err := k.core.CoreV1().Events(k.namespace).List(ctx, metav1.ListOptions{
		FieldSelector: fields.Set{"involvedObject.kind": o.kind, "involvedObject.name": o.name}.String()})
	if err != nil {
		return nil, k.inPlainWords(err)
	}
	return list.Items, nil
}

func printAnswer(out io.Writer, answer explain.Answer) error {
	var b strings.Builder
	for _, sentence := range answer.Sentences {
		fmt.Fprintln(&b, onOneLine(sentence))
	}
	if len(answer.Next) > 0 {
		fmt.Fprintln(&b, "\nNext:")
	}
	for _, step := range answer.Next {
		fmt.Fprintf(&b, "  %s\n      %s\n", step.Command, step.Why)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

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

// explanation is what -o json and -o yaml print of an answer.
type explanation struct {
	document
	// Time at which everything was read.
	Time metav1.Time `json:"time"`
	explain.Answer
}

func (c *caller) explain() *cobra.Command {
	var out output
	cmd := &cobra.Command{
		Use:   "explain NAME [ROLE[/INDEX]]",
		Short: "Explain what a Framework, a role or a Task is doing, why, and what to do about it",
		Long: `Explain what a Framework, a role or a Task is doing, why, and what to do about it.

With -o json or -o yaml, each statement has a topic, a subject and arguments, which are stable. Sentences may be reworded in any
version.`,
		Args:              takesName(2),
		ValidArgsFunction: c.completeNames(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := out.check(); err != nil {
				return err
			}
			k, err := c.cluster()
			if err != nil {
				return err
			}
			s, err := k.get(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			answer, at, err := k.explain(cmd.Context(), s, args[1:])
			switch {
			case err != nil:
				return err
			case out.isDocument():
				return out.print(c, explanation{documentOf("Explanation", s), metav1.NewTime(at), answer})
			}
			return printAnswer(c.Out, answer)
		},
	}
	out.addFlag(cmd, "json", "yaml")
	return cmd
}

// explain returns what there is to say about a Framework, or about a role or a Task of it, and when it was so.
func (k *cluster) explain(ctx context.Context, s *stored, args []string) (answer explain.Answer, at time.Time, err error) {
	pods := explain.Pods(&s.Framework)
	var about target
	if len(args) > 0 {
		if about, err = s.parseTarget(args[0]); err != nil {
			return answer, at, err
		}
		if about.index >= 0 {
			pods = append(pods, v1.PodName(s.Name, about.role, about.index))
		}
	}
	facts, err := k.facts(ctx, s, pods)
	switch {
	case err != nil:
	case about.role == "":
		answer = explain.Framework(facts)
	case about.index < 0:
		answer = explain.Role(facts, about.role)
	default:
		answer = explain.Task(facts, about.role, about.index)
	}
	return answer, facts.Now, err
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
	for _, line := range answer.Lines() {
		fmt.Fprintln(&b, onOneLine(line))
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

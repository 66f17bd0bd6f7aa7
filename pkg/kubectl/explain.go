package kubectl

import (
	"context"
	"fmt"
	"io"
	"slices"
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

// explanation is an answer as -o json and -o yaml print it.
type explanation struct {
	document
	// Time at which the facts were read.
	Time metav1.Time `json:"time"`
	explain.Answer
}

type explaining struct {
	looking
	output output
}

func (c *caller) explain() *cobra.Command {
	e := &explaining{looking: looking{historyFlags: historyFlags{caller: c}}}
	cmd := &cobra.Command{
		Use:   "explain NAME [ROLE[/INDEX]] [--attempt N]",
		Short: "Explain what a Framework, a role or a Task is doing, why, and what to do about it",
		Long: `Explain what a Framework, a role or a Task is doing, why, and what to do about it.

A Framework that is gone is explained from the history, if the cluster has a history server, and so is an earlier attempt.

With -o json or -o yaml, each statement has a topic, a subject and arguments, which are stable. Sentences may be reworded in any
version.`,
		Args:              takesName(2),
		ValidArgsFunction: c.completeNames(true),
		RunE:              e.run,
	}
	e.addFlags(cmd)
	e.output.addFlag(cmd, "json", "yaml")
	return cmd
}

func (e *explaining) run(cmd *cobra.Command, args []string) error {
	if err := e.output.check(); err != nil {
		return err
	}
	f, err := e.find(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	defer f.close()
	about := target{index: -1}
	if len(args) > 1 {
		if about, err = f.parseTarget(args[1]); err != nil {
			return err
		}
	}
	var answer explain.Answer
	var at time.Time
	if f.attempt != nil {
		answer, at, err = f.explainPast(cmd.Context(), about)
		err = f.past.inPlainWords(err)
	} else {
		answer, at, err = f.explain(cmd.Context(), f.stored, about)
	}
	switch {
	case err != nil:
		return err
	case e.output.isDocument():
		return e.output.print(e.caller, explanation{f.document("Explanation"), metav1.NewTime(at), answer})
	}
	return printAnswer(e.Out, answer)
}

// explain returns the answer about a Framework, or about a role or a Task of it, and the time of its facts.
func (k *cluster) explain(ctx context.Context, s *stored, about target) (answer explain.Answer, at time.Time, err error) {
	pods := explain.Pods(&s.Framework)
	if about.index >= 0 {
		pods = append(pods, v1.PodName(s.Name, about.role, about.index))
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

// facts reads the facts for an explanation. Pods are the names of the Pods that it needs.
func (k *cluster) facts(ctx context.Context, s *stored, pods []string) (explain.Facts, error) {
	facts := explain.Facts{Framework: &s.Framework, Items: k.items(ctx, s)}
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
			for _, claim := range explain.Claims(pod) {
				about = append(about, object{"PersistentVolumeClaim", claim})
			}
		}
	}
	for _, o := range distinct(about) {
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

// distinct leaves out what comes a second time: Pods may share a claim.
func distinct(objects []object) (kept []object) {
	for _, o := range objects {
		if !slices.Contains(kept, o) {
			kept = append(kept, o)
		}
	}
	return kept
}

// since drops events from before a Framework was created, which belong to another one of that name.
func since(events []corev1.Event, created metav1.Time) (kept []corev1.Event) {
	for i := range events {
		if !explain.LastSeen(&events[i]).Before(created.Time) {
			kept = append(kept, events[i])
		}
	}
	return kept
}

// ownPod reads a Pod of the Framework; nil if there is none, or if the Pod with its name belongs to somebody else.
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

// object identifies the object of an event.
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

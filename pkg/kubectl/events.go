package kubectl

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
)

func (c *caller) events() *cobra.Command {
	var warnings bool
	cmd := &cobra.Command{
		Use:               "events NAME [--warnings]",
		Short:             "Show the events of a Framework, its ConfigMap and its Pods in one order",
		Args:              takesName(1),
		ValidArgsFunction: c.completeNames(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			k, err := c.cluster()
			if err != nil {
				return err
			}
			s, err := k.getAny(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			events, err := k.allEvents(cmd.Context(), s)
			if err != nil {
				return err
			}
			return c.printEvents(s, events, warnings)
		},
	}
	cmd.Flags().BoolVar(&warnings, "warnings", false, "Show only warnings.")
	return cmd
}

// allEvents returns the events about the Framework, its ConfigMap and its Tasks' Pods, including Pods that are gone, in order.
func (k *cluster) allEvents(ctx context.Context, s *stored) (own []corev1.Event, err error) {
	o := metav1.ListOptions{Limit: 1000}
	for {
		list, err := k.eventPage(ctx, o)
		if err != nil {
			return nil, err
		}
		for i := range list.Items {
			if s.isAbout(&list.Items[i].InvolvedObject) {
				own = append(own, list.Items[i])
			}
		}
		if o.Continue = list.Continue; o.Continue == "" {
			break
		}
	}
	return inOrder(since(own, s.CreationTimestamp)), nil
}

func (k *cluster) eventPage(ctx context.Context, o metav1.ListOptions) (*corev1.EventList, error) {
	ctx, cancel := k.patient(ctx)
	defer cancel()
	list, err := k.core.CoreV1().Events(k.namespace).List(ctx, o)
	if err != nil {
		return nil, k.inPlainWords(err)
	}
	return list, nil
}

// isAbout reports whether an object is the Framework or one of its own objects.
func (s *stored) isAbout(o *corev1.ObjectReference) bool {
	switch o.Kind {
	case v1.FrameworkKind:
		return o.Name == s.Name && (o.UID == "" || o.UID == s.UID)
	case "ConfigMap":
		return o.Name == v1.ConfigMapName(s.Name)
	case "Pod":
		_, _, ok := v1.ParsePodName(s.Name, o.Name)
		return ok
	}
	return false
}

// sortedEvents returns the events of one object, in order.
func (k *cluster) sortedEvents(ctx context.Context, s *stored, of object) ([]corev1.Event, error) {
	events, err := k.eventsOf(ctx, of)
	return inOrder(since(events, s.CreationTimestamp)), err
}

func inOrder(events []corev1.Event) []corev1.Event {
	slices.SortStableFunc(events, func(a, b corev1.Event) int {
		return cmp.Or(explain.LastSeen(&a).Compare(explain.LastSeen(&b)), a.EventTime.Compare(b.EventTime.Time),
			cmp.Compare(a.InvolvedObject.Name, b.InvolvedObject.Name), cmp.Compare(a.Message, b.Message))
	})
	return events
}

func (c *caller) printEvents(s *stored, events []corev1.Event, warnings bool) error {
	t := table{columns: []column{{name: "Last seen"}, {name: "Type"}, {name: "Object"}, {name: "Reason"}, {name: "Message"}}}
	for i := range events {
		e := &events[i]
		if warnings && e.Type != corev1.EventTypeWarning {
			continue
		}
		message := e.Message
		if e.Count > 1 {
			message += fmt.Sprintf(" (%d times)", e.Count)
		}
		t.add(ago(explain.LastSeen(e)), e.Type, e.InvolvedObject.Kind+"/"+e.InvolvedObject.Name, e.Reason, message)
	}
	if len(t.rows) == 0 {
		_, err := fmt.Fprintf(c.ErrOut, "No events of Framework %s are left; the API server keeps them for an hour or so.\n", s.Name)
		return err
	}
	return t.print(c.Out)
}

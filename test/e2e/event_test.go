package e2e

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
)

// awaitWarning returns once there is a Warning event about the Framework that contains a text.
func (s *story) awaitWarning(name, reason, text string) {
	s.t.Helper()
	s.eventually(func(ctx context.Context) error {
		events, err := s.warnings(ctx, name)
		if err != nil {
			return err
		}
		for _, e := range events[reason] {
			if strings.Contains(e.Message, text) {
				return nil
			}
		}
		return fmt.Errorf("there is no Warning event %s about %s with %q, but %q", reason, name, text, messages(events))
	})
}

// warnings returns the Warning events about a Framework, by their reason.
func (s *story) warnings(ctx context.Context, name string) (map[string][]corev1.Event, error) {
	selector := fields.Set{"involvedObject.name": name, "type": corev1.EventTypeWarning}.String()
	list, err := core.CoreV1().Events(s.namespace).List(ctx, metav1.ListOptions{FieldSelector: selector})
	if err != nil {
		return nil, err
	}
	byReason := map[string][]corev1.Event{}
	for _, e := range list.Items {
		byReason[e.Reason] = append(byReason[e.Reason], e)
	}
	return byReason, nil
}

func messages(events map[string][]corev1.Event) []string {
	var out []string
	for reason, list := range events {
		for _, e := range list {
			out = append(out, fmt.Sprintf("%dx %s: %s", e.Count, reason, e.Message))
		}
	}
	return out
}

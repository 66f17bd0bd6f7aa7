package e2e

import (
	"context"
	"fmt"
	"slices"
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
	list, err := s.listEvents(ctx, fields.Set{"involvedObject.name": name, "type": corev1.EventTypeWarning})
	if err != nil {
		return nil, err
	}
	byReason := map[string][]corev1.Event{}
	for _, e := range list {
		byReason[e.Reason] = append(byReason[e.Reason], e)
	}
	return byReason, nil
}

// awaitEvents returns once each of these is how an event about the Framework begins: its reason, and its message.
func (s *story) awaitEvents(name string, wanted ...string) {
	s.t.Helper()
	s.eventually(func(ctx context.Context) error {
		list, err := s.listEvents(ctx, fields.Set{"involvedObject.name": name})
		if err != nil {
			return err
		}
		var told []string
		for _, e := range list {
			told = append(told, e.Reason+": "+e.Message)
		}
		for _, text := range wanted {
			if !slices.ContainsFunc(told, func(is string) bool { return strings.HasPrefix(is, text) }) {
				return fmt.Errorf("there is no event %q, but %q", text, told)
			}
		}
		return nil
	})
}

func (s *story) listEvents(ctx context.Context, of fields.Set) ([]corev1.Event, error) {
	list, err := core.CoreV1().Events(s.namespace).List(ctx, metav1.ListOptions{FieldSelector: of.String()})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
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

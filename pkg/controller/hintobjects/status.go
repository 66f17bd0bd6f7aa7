package hintobjects

import (
	"context"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// ApplyStatus applies the plugin's facts for the scheduler to the status of the objects, once for each answer. Made are the
// existing objects. An error is an *Error.
func (m Maker) ApplyStatus(ctx context.Context, wanted []*pluginpb.Object, made []Object) error {
	for i, w := range wanted {
		if m.Made || len(w.GetStatusJson()) == 0 {
			continue
		}
		if err := m.applyStatusOf(ctx, w, made[i]); err != nil {
			return &Error{fmt.Errorf("telling the scheduler of the attempt: %w", err)}
		}
	}
	return nil
}

func (m Maker) applyStatusOf(ctx context.Context, w *pluginpb.Object, made Object) error {
	about := &unstructured.Unstructured{}
	if err := json.Unmarshal(w.GetJson(), &about.Object); err != nil {
		return err
	}
	var status any
	if err := json.Unmarshal(w.GetStatusJson(), &status); err != nil {
		return err
	}
	kind, err := m.KindOf(about)
	if err != nil {
		return err
	}
	o := &unstructured.Unstructured{Object: map[string]any{"status": status}}
	o.SetGroupVersionKind(about.GroupVersionKind())
	o.SetName(about.GetName())
	o.SetUID(made.UID) // it is refused for another object of that name
	_, err = kind.Namespace(m.Namespace).ApplyStatus(ctx, o.GetName(), o, metav1.ApplyOptions{FieldManager: apiserver.FieldManager, Force: true})
	return err
}

package controller

import (
	"context"
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
)

// tell applies to the status of an object what the scheduler is to know. An empty text tells it nothing.
func (m hintMaker) tell(ctx context.Context, about *unstructured.Unstructured, uid types.UID, text []byte) error {
	if len(text) == 0 {
		return nil
	}
	var status any
	if err := json.Unmarshal(text, &status); err != nil {
		return err
	}
	kind, err := m.resource(about)
	if err != nil {
		return err
	}
	o := &unstructured.Unstructured{Object: map[string]any{"status": status}}
	o.SetGroupVersionKind(about.GroupVersionKind())
	o.SetName(about.GetName())
	o.SetUID(uid) // of another object of that name it is refused
	_, err = kind.Namespace(m.namespace).ApplyStatus(ctx, o.GetName(), o, metav1.ApplyOptions{FieldManager: apiserver.FieldManager, Force: true})
	return err
}

package rbac

import (
	"context"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// The rules for classifier-nodes are enough to watch nodes and their devices, and no verb is spare.
func TestRulesForClassifierNodes(t *testing.T) {
	apply(t, "classifiers/nodes.yaml")
	granted := name + "-nodes"
	all := permissions(installed(t, granted))
	for _, p := range all {
		awaitPermission(t, p, true)
	}
	client := asController(t)
	if err := watchNodes(t.Context(), client); err != nil {
		t.Error(err)
	}
	for _, p := range all {
		t.Run(strings.ReplaceAll(p.String(), "/", " "), func(t *testing.T) {
			takeAway(t, role{name: granted}, p)
			if err := watchNodes(t.Context(), client); !apierrors.IsForbidden(err) {
				t.Errorf("got %v, want that it is forbidden", err)
			}
		})
	}
}

// The rules for the last events of Pods are enough to list them.
func TestRulesForEvents(t *testing.T) {
	apply(t, "classifiers/events.yaml")
	granted := name + "-events"
	for _, p := range permissions(installed(t, granted)) {
		awaitPermission(t, p, true)
		list := func() error {
			_, err := asController(t).Resource(schema.GroupVersionResource{Version: "v1", Resource: "events"}).Namespace("default").
				List(t.Context(), metav1.ListOptions{FieldSelector: "involvedObject.uid=none"})
			return err
		}
		if err := list(); err != nil {
			t.Error(err)
		}
		takeAway(t, role{name: granted}, p)
		if err := list(); !apierrors.IsForbidden(err) {
			t.Errorf("got %v, want that it is forbidden", err)
		}
	}
}

// watchNodes makes the plugin's requests.
func watchNodes(ctx context.Context, client dynamic.Interface) error {
	for _, kind := range []schema.GroupVersionResource{
		{Version: "v1", Resource: "nodes"}, {Group: "resource.k8s.io", Version: "v1", Resource: "resourceslices"},
	} {
		if _, err := client.Resource(kind).List(ctx, metav1.ListOptions{}); err != nil {
			return err
		}
		watching, err := client.Resource(kind).Watch(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		watching.Stop()
	}
	return nil
}

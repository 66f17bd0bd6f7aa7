package coscheduling

import (
	"context"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/gangs"
)

var podGroups = schema.GroupVersionResource{Group: "scheduling.x-k8s.io", Version: "v1alpha1", Resource: "podgroups"}

// story knows the groups of the scheduler, too.
type story struct{ *gangs.Story }

func newStory(t *testing.T) *story {
	t.Helper()
	return &story{world.NewStory(t)}
}

// minMember returns the minMember of a PodGroup; 0 if it does not exist.
func (s *story) minMember(ctx context.Context, name string) (int64, error) {
	group, err := world.Objects.Resource(podGroups).Namespace(s.Namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	n, _, err := unstructured.NestedInt64(group.Object, "spec", "minMember")
	return n, err
}

func (s *story) awaitMinMember(name string, want int64) {
	s.T.Helper()
	clustertest.Eventually(s.T, gangs.Patience, func(ctx context.Context) error {
		got, err := s.minMember(ctx, name)
		if err == nil && got != want {
			err = fmt.Errorf("minMember of %s is %d, want %d", name, got, want)
		}
		return err
	})
}

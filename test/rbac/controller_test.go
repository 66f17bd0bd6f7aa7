package rbac

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// implied are permissions that the API server looks for while it answers a request for another one. The audit log does not
// name them, but that request.
var implied = map[permission]permission{
	// An apply creates a missing object.
	{"apiextensions.k8s.io", "customresourcedefinitions", "create"}: {"apiextensions.k8s.io", "customresourcedefinitions", "patch"},
	// An owner reference that blocks the owner's deletion requires the permission to set the owner's finalizers.
	{v1.SchemeGroupVersion.Group, "frameworks/finalizers", "update"}: {"", "configmaps", "create"},
	{"", "configmaps/finalizers", "update"}:                          {"", "pods", "create"},
}

// With the permissions of the manifests, the controller can do everything that it ever does, nothing is refused, and it uses all of them.
func TestNothingIsMissingOrSpare(t *testing.T) {
	from := audit.Size(t)
	for _, env := range []string{withoutWatchList, withWatchList} {
		t.Run(env, func(t *testing.T) {
			from := audit.Size(t)
			removeCRD(t)
			startController(t, env)
			awaitCRD(t)
			s := newStory(t)
			if err := s.tell(t.Context(), func() bool { return false }); err != nil {
				t.Error(err)
			}
			if refused := refusals(requestsAfter(t, from), s.namespace); len(refused) > 0 {
				t.Errorf("refused: %v", refused)
			}
		})
	}
	used := map[permission]bool{}
	for _, r := range requestsAfter(t, from) {
		if r.byOurRole() {
			used[r.permission()] = true
		}
	}
	for _, r := range roles {
		for _, p := range permissions(r.rules(t)) {
			if _, invisible := implied[p]; !invisible && !used[p] {
				t.Errorf("%s is granted by %s, and was not used", p, r)
			}
		}
	}
}

// Each permission that is taken away is missed: the controller is refused something that it needs it for.
func TestEveryPermissionIsMissed(t *testing.T) {
	for _, r := range roles {
		for _, p := range permissions(r.rules(t)) {
			t.Run(strings.ReplaceAll(p.String(), "/", "-"), func(t *testing.T) {
				tellWithout(t, r, p)
			})
		}
	}
}

func tellWithout(t *testing.T, r role, p permission) {
	takeAway(t, r, p)
	s := &story{steps: []func(context.Context) error{func(context.Context) error { return errNoEnd }}}
	if p.verb == "create" && p.resource == "customresourcedefinitions" {
		removeCRD(t)
		t.Cleanup(func() { reinstall(t) })
	} else {
		s = newStory(t)
	}
	from := audit.Size(t)
	startController(t, withoutWatchList)
	var refused []request
	err := s.tell(t.Context(), func() bool {
		refused = refusals(requestsAfter(t, from), s.namespace)
		return len(refused) > 0
	})
	want := p
	if visible, ok := implied[p]; ok {
		want = visible
	}
	if !slices.ContainsFunc(refused, func(r request) bool { return r.permission() == want }) {
		t.Errorf("the controller was not refused to %s; the story ended with %v, and refusals were %v", want, err, refused)
	}
}

var errNoEnd = errors.New("this story has no end")

func crds() dynamic.ResourceInterface {
	return dynamic.NewForConfigOrDie(kube.Config).Resource(schema.GroupVersionResource{
		Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions",
	})
}

// removeCRD removes all Frameworks too.
func removeCRD(t *testing.T) {
	t.Helper()
	eventually(t, func(ctx context.Context) error {
		err := crds().Delete(ctx, v1.CRDName, metav1.DeleteOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("the CRD is still there: %w", err)
	})
	eventually(t, func(ctx context.Context) error { // otherwise the disappearing one would pass for the next one
		_, err := frameworks.FrameworkControllerV1().Frameworks(name).List(ctx, metav1.ListOptions{Limit: 1})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("Frameworks are still served: %w", err)
	})
}

// awaitCRD waits until Frameworks can be made.
func awaitCRD(t *testing.T) {
	t.Helper()
	eventually(t, func(ctx context.Context) error {
		_, err := frameworks.FrameworkControllerV1().Frameworks(name).List(ctx, metav1.ListOptions{Limit: 1})
		return err
	})
}

func reinstall(t *testing.T) {
	t.Helper()
	if _, err := kubectl(context.Background(), "apply", "-k", deploy); err != nil {
		t.Fatal(err)
	}
	awaitCRD(t)
}

package rbac

import (
	"context"
	"errors"
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The rules for volumes are enough to make and to delete claims, and to use one that was retained; and no verb is spare. Without them nothing
// of it is possible.
func TestRulesForVolumes(t *testing.T) {
	granted := role{name: name + "-volumes"}
	awaitPermission(t, permission{"", "persistentvolumeclaims", "get"}, false)
	apply(t, "volumes/claims.yaml")
	all := permissions(granted.rules(t))
	for _, p := range all {
		awaitPermission(t, p, true)
	}
	for _, verb := range []string{"list", "watch", "update", "patch"} {
		if p := (permission{"", "persistentvolumeclaims", verb}); may(t, t.Context(), controllerUser, "any", p) {
			t.Errorf("it may %s", p)
		}
	}
	t.Run("whole", func(t *testing.T) {
		if refused, err := tellOfClaims(t); err != nil || len(refused) > 0 {
			t.Errorf("got %v, and refused were %v", err, refused)
		}
	})
	for _, p := range all {
		t.Run("without "+p.verb, func(t *testing.T) {
			takeAway(t, granted, p)
			refused, err := tellOfClaims(t)
			if !slices.ContainsFunc(refused, func(r request) bool { return r.permission() == p }) {
				t.Errorf("it was not refused to %s; the story ended with %v, and refusals were %v", p, err, refused)
			}
		})
	}
}

// tellOfClaims has a Framework get a claim, and lose it with its volume. It returns what the controller was refused meanwhile.
func tellOfClaims(t *testing.T) (refused []request, err error) {
	t.Helper()
	s := newBareStory(t)
	claims := core.CoreV1().PersistentVolumeClaims(s.namespace)
	s.create(t, "stored", `{volumes: [{name: data, mountPath: /data, claim: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}],
		taskRoles: [{name: a, taskNumber: 1, task: {pod: `+lasting+`}}]}`)
	s.then(func(ctx context.Context) error {
		_, err := claims.Get(ctx, "stored-data", metav1.GetOptions{})
		return err
	})
	s.then(func(ctx context.Context) error {
		return s.patch(ctx, "stored", `{"spec": {"taskRoles": [], "volumes": null}}`)
	})
	s.then(func(ctx context.Context) error {
		found, err := claims.Get(ctx, "stored-data", metav1.GetOptions{})
		if apierrors.IsNotFound(err) || err == nil && found.DeletionTimestamp != nil { // no controller removes its finalizer here
			return nil
		}
		return errors.Join(err, errors.New("the claim is still there"))
	})
	from := audit.Size(t)
	startController(t, withoutWatchList)
	err = s.tell(t.Context(), func() bool {
		refused = refusals(requestsAfter(t, from), s.namespace)
		return len(refused) > 0
	})
	return refused, err
}

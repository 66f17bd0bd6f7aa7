package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// claim returns a claim; nil if there is none.
func (s *story) claim(name string) *corev1.PersistentVolumeClaim {
	s.t.Helper()
	found, err := core.CoreV1().PersistentVolumeClaims(s.namespace).Get(s.t.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(s.t, err)
	return found
}

func (s *story) uidOfClaim(name string) types.UID {
	s.t.Helper()
	found := s.claim(name)
	require.NotNil(s.t, found, name)
	return found.UID
}

// provide makes volumes that claims of the story get, in place of a provisioner.
func (s *story) provide(n int) {
	s.t.Helper()
	for i := range n {
		volume := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", s.namespace, i)}, Spec: corev1.PersistentVolumeSpec{
			AccessModes:            []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce, corev1.ReadWriteMany},
			Capacity:               corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("2Gi")},
			StorageClassName:       s.namespace,
			PersistentVolumeSource: corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/tmp"}},
		}}
		_, err := core.CoreV1().PersistentVolumes().Create(s.t.Context(), volume, metav1.CreateOptions{})
		require.NoError(s.t, err)
		s.t.Cleanup(func() {
			_ = core.CoreV1().PersistentVolumes().Delete(context.Background(), volume.Name, metav1.DeleteOptions{})
		})
	}
}

// aClaim is the spec of a claim that gets one of these volumes.
func (s *story) aClaim() string {
	return `{accessModes: [ReadWriteOnce], storageClassName: ` + s.namespace + `, resources: {requests: {storage: 1Gi}}}`
}

// Claims are there before the Pods, outlive attempts and a leader, and go with a scale-down unless they are retained.
func TestVolumes(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.provide(5)
	s.create("stored", `{retryPolicy: {maxRetryCount: 1}, volumes: [
		{name: shared, mountPath: /shared, claim: {accessModes: [ReadWriteMany], storageClassName: `+s.namespace+`, resources: {requests: {storage: 2Gi}}}},
		{name: own, mountPath: /own, per: Task, role: w, claim: `+s.aClaim()+`},
		{name: kept, mountPath: /kept, per: Task, role: w, retention: Retain, claim: `+s.aClaim()+`}],
		taskRoles: [{name: w, taskNumber: 2, task: {pod: `+pod()+`}}]}`)
	s.awaitAllRunning("stored", 2)
	shared, own, kept := s.uidOfClaim("stored-shared"), s.uidOfClaim("stored-w-0-own"), s.uidOfClaim("stored-w-1-kept")
	running, err := s.pods.Get(t.Context(), "stored-w-1", metav1.GetOptions{})
	require.NoError(t, err)
	mounted := map[string]string{}
	for _, v := range running.Spec.Volumes {
		if v.PersistentVolumeClaim != nil {
			mounted[v.Name] = v.PersistentVolumeClaim.ClaimName
		}
	}
	require.Equal(t, map[string]string{"shared": "stored-shared", "own": "stored-w-1-own", "kept": "stored-w-1-kept"}, mounted)

	s.endPod("stored-w-0", 1)
	s.awaitState("stored", v1.AttemptRunning, 1)
	s.awaitAllRunning("stored", 2)
	require.Equal(t, shared, s.uidOfClaim("stored-shared"))
	require.Equal(t, own, s.uidOfClaim("stored-w-0-own"))

	s.patch("stored", `[{op: replace, path: /spec/taskRoles/0/taskNumber, value: 1}]`)
	s.await("stored", "one claim less", func(f *v1.FrameworkStatus) bool {
		i := slices.IndexFunc(f.Volumes, func(e v1.VolumeStatus) bool { return e.Name == "own" })
		return i >= 0 && f.Volumes[i].Claims == 1
	})
	require.Nil(t, s.claim("stored-w-1-own"))
	require.Equal(t, kept, s.uidOfClaim("stored-w-1-kept"))
	require.Equal(t, own, s.uidOfClaim("stored-w-0-own"))
}

// Somebody else's claim is never used and never deleted. Its Task waits, and the condition says what to do.
func TestClaimOfSomebodyElse(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.provide(2)
	claims := core.CoreV1().PersistentVolumeClaims(s.namespace)
	theirs := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "taken-w-1-data"}, Spec: corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
	}}
	created, err := claims.Create(t.Context(), theirs, metav1.CreateOptions{})
	require.NoError(t, err)
	s.create("taken", `{volumes: [{name: data, mountPath: /data, per: Task, claim: `+s.aClaim()+`}], taskRoles: [{name: w, taskNumber: 2, task: {pod: `+pod()+`}}]}`)
	f := s.await("taken", "waiting", func(f *v1.FrameworkStatus) bool { return f.Waiting != nil && f.Waiting.Reason == "NameConflict" })
	require.Contains(t, f.Status.Waiting.Message, "PersistentVolumeClaim taken-w-1-data does not belong to this Framework")
	s.await("taken", "the other Task running", func(f *v1.FrameworkStatus) bool { return f.Tasks.Running == 1 })
	s.patch("taken", `spec: {volumes: null}`)
	s.awaitAllRunning("taken", 2)
	require.Equal(t, created.UID, s.uidOfClaim("taken-w-1-data"))
}

// A claim that the API server does not admit is told in its words; the spec can be corrected.
func TestClaimThatIsNotValid(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.provide(1)
	s.create("invalid", `{volumes: [{name: data, mountPath: /data, claim: {accessModes: [ReadWriteOnce]}}], taskRoles: [{name: w, task: {pod: `+pod()+`}}]}`)
	f := s.await("invalid", "waiting", func(f *v1.FrameworkStatus) bool { return f.Waiting != nil && f.Waiting.Reason == "Invalid" })
	require.Contains(t, f.Status.Waiting.Message, "spec.resources[storage]: Required value")
	s.patch("invalid", `[{op: replace, path: /spec/volumes/0/claim, value: `+s.aClaim()+`}]`)
	s.awaitAllRunning("invalid", 1)
}

// A claim of a StorageClass that does not exist has no volume, so its Pod waits, with the scheduler's reason. It runs once the class is there.
func TestClaimOfAMissingClass(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("classless", `{volumes: [{name: data, mountPath: /data, claim: `+s.aClaim()+`}], taskRoles: [{name: w, task: {pod: `+pod()+`}}]}`)
	c := s.awaitCondition("classless", v1.ConditionWaiting, metav1.ConditionTrue, "Unschedulable")
	require.Contains(t, c.Message, "unbound immediate PersistentVolumeClaims")
	of := fields.Set{"involvedObject.kind": "PersistentVolumeClaim", "involvedObject.name": "classless-data"}
	s.eventually(func(ctx context.Context) error {
		events, err := s.listEvents(ctx, of)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(events, func(e corev1.Event) bool {
			return strings.Contains(e.Message, fmt.Sprintf("%q not found", s.namespace))
		}) {
			return fmt.Errorf("no event names the class: %v", events)
		}
		return nil
	})
	s.provide(1) // a class needs no object for a volume that exists already
	s.awaitAllRunning("classless", 1)
}

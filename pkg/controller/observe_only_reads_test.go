package controller

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/podview"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// An observation never changes the known facts of the Framework. Noting them is a separate step.
func TestObserveOnlyReads(t *testing.T) {
	t.Parallel()
	for _, full := range []bool{true, false} {
		c := atRest(t)
		now := time.Now()
		require.NoError(t, c.watches.pods.GetStore().Add(&podview.CachedPod{Pod: *waitingPod("2", now)}))
		observed, same := busyRecord(t, c, full, now), busyRecord(t, c, full, now)
		seen, again := c.watches.observe(observed, now)
		if again.IsZero() || seen.Pods[lifecycle.TaskRef{Role: "w"}].Pod == nil {
			t.Fatalf("full %t: there is nothing to note: %s, %+v", full, again, seen)
		}
		if !reflect.DeepEqual(observed.memory, same.memory) {
			t.Errorf("full %t: it has become\n%+v, and was\n%+v", full, observed.memory, same.memory)
		}
		c.watches.dropOutdatedAnswers(observed)
		observed.note(seen, again, now)
		if observed.dependents.pods["a-w-0"].live != nil || observed.schedule.retryAt.IsZero() || len(observed.dependents.stalls) != 1 {
			t.Errorf("full %t: it is not noted: %+v", full, observed.memory)
		}
	}
}

// waitingPod is a Pod that has waited for an image for an hour.
func waitingPod(version string, now time.Time) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a-w-0", UID: "pod", ResourceVersion: version},
		Spec:       corev1.PodSpec{NodeName: "node"},
		Status: corev1.PodStatus{
			Phase:     corev1.PodPending,
			StartTime: &metav1.Time{Time: now.Add(-time.Hour)},
			ContainerStatuses: []corev1.ContainerStatus{{
				Name: "w", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff"}},
			}},
		},
	}
}

// busyRecord is the record of a Framework whose ConfigMap has gone while a Pod may still be created.
func busyRecord(t *testing.T, c *Controller, full bool, now time.Time) *record {
	t.Helper()
	r := &record{key: cache.NewObjectName("default", "a")}
	r.reset("1", false)
	configMap := types.UID("gone")
	state, err := lifecycle.Load(&v1.FrameworkStatus{
		State: v1.AttemptRunning,
		AttemptStatus: v1.FrameworkAttemptStatus{
			ConfigMapName: "a-attempt", ConfigMapUID: &configMap, TaskRoleStatuses: []v1.TaskRoleStatus{},
		},
	})
	require.NoError(t, err)
	r.status.saved = state
	r.schedule.full = full
	r.schedule.lookAt(lifecycle.TaskRef{Role: "w"})
	r.dependents.configMap.deletedUID = configMap
	r.dependents.pod("a-w-0").live = waitingPod("1", now)
	r.dependents.pod("a-w-1").creation.pendingUntil = now.Add(time.Second)
	return r
}

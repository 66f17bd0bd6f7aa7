package nativegangs

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/gangs"
)

var workloads = schema.GroupVersionResource{Group: "scheduling.k8s.io", Version: "v1alpha1", Resource: "workloads"}

// minCount returns that of the group of all Pods; 0 if there is no such Workload.
func (s *story) minCount(ctx context.Context, name string) (int64, error) {
	w, err := world.Objects.Resource(workloads).Namespace(s.Namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	groups, _, err := unstructured.NestedSlice(w.Object, "spec", "podGroups")
	if err != nil || len(groups) != 1 {
		return 0, fmt.Errorf("%d groups, %w", len(groups), err)
	}
	n, _, err := unstructured.NestedInt64(groups[0].(map[string]any), "policy", "gang", "minCount")
	return n, err
}

func (s *story) awaitMinCount(name string, want int64) {
	s.T.Helper()
	clustertest.Eventually(s.T, gangs.Patience, func(ctx context.Context) error {
		got, err := s.minCount(ctx, name)
		if err == nil && got != want {
			err = fmt.Errorf("minCount of %s is %d, want %d", name, got, want)
		}
		return err
	})
}

func spec(roles string) string { return `{taskRoles: [` + roles + `]}` }

// A gang that fits runs. One that does not has no Pod on a node, until there is room for all of it.
func TestNativeGangFits(t *testing.T) {
	s := newStory(t)
	s.Create("first", spec(gangs.Role("worker", 3)+","+gangs.Role("ps", 1)))
	s.AwaitBound("first", 4, 4)
	s.awaitMinCount("first-0", 4)
	pods, err := s.Pods(t.Context(), "first")
	require.NoError(t, err)
	for _, p := range pods {
		if ref := p.Spec.WorkloadRef; ref == nil || ref.Name != "first-0" || ref.PodGroup != "all" {
			t.Errorf("%s: workloadRef is %+v", p.Name, ref)
		}
	}

	s.Create("second", spec(gangs.Role("worker", 3))) // there is room for two
	s.StaysBound("second", 3, 0)
	c := s.Await("second", "waiting", func(f *v1.FrameworkStatus) bool { return gangs.Waiting(f) != "" })
	t.Log(gangs.Waiting(c))
	s.Delete("first")
	s.AwaitBound("second", 3, 3)
	s.awaitMinCount("first-0", 0) // it went with its attempt
}

// Of two gangs that fit one at a time, one runs as a whole, and then the other. The scheduler may hold a part of the nodes
// for each of them, for five minutes; their own time-out has one of them make room.
func TestNativeGangsCompete(t *testing.T) {
	s := newStory(t)
	for _, name := range []string{"a", "b"} {
		competes := spec(gangs.Role("worker", 4, `simulate.frameworkcontroller.io/run-for: 2s`, "minFailedTaskCount: 1, minSucceededTaskCount: 4"))
		s.Create(name, strings.Replace(competes, "{", "{scheduling: {timeoutSec: 5}, retryPolicy: {fancyRetryPolicy: true}, ", 1))
	}
	s.AwaitSucceeded("a")
	s.AwaitSucceeded("b")
}

// A Task that is retried when others have succeeded is placed: the group does not wait for them any more.
func TestNativeTaskRetry(t *testing.T) {
	s := newStory(t)
	s.Create("late", spec(
		gangs.Role("quick", 2, `simulate.frameworkcontroller.io/run-for: 0s`)+","+
			gangs.Role("slow", 1, `simulate.frameworkcontroller.io/run-for: 4s, simulate.frameworkcontroller.io/exit-codes: "1,0"`,
				"minFailedTaskCount: 1, minSucceededTaskCount: 1")))
	s.awaitMinCount("late-0", 1)
	f := s.AwaitSucceeded("late")
	for _, r := range f.AttemptStatus.TaskRoleStatuses {
		if r.Name == "slow" && r.TaskStatuses[0].RetryPolicyStatus.TotalRetriedCount != 1 {
			t.Errorf("%+v", r.TaskStatuses[0].RetryPolicyStatus)
		}
	}
}

// Tasks that are added are a gang of their own, and the others go on.
func TestNativeRescale(t *testing.T) {
	s := newStory(t)
	s.Create("grows", spec(gangs.Role("worker", 2)))
	s.AwaitBound("grows", 2, 2)
	s.Scale("grows", 4)
	s.AwaitBound("grows", 4, 4)
	s.awaitMinCount("grows-0", 2)
	s.awaitMinCount("grows-0-added-1", 2)

	// Four more, and there is room for two. To ask for these two only would take the scheduler five minutes.
	s.Scale("grows", 8)
	s.StaysBound("grows", 8, 4)
	s.Scale("grows", 4)
	s.AwaitBound("grows", 4, 4)
	s.Scale("grows", 1)
	s.awaitMinCount("grows-0", 1)
	s.AwaitBound("grows", 1, 1)
}

// The next attempt has a Workload of its own.
func TestNativeFrameworkRetry(t *testing.T) {
	s := newStory(t)
	s.Create("again", `{retryPolicy: {maxRetryCount: 1}, taskRoles: [{name: a, taskNumber: 2,
		frameworkAttemptCompletionPolicy: {minFailedTaskCount: 1, minSucceededTaskCount: 2}, task: {pod: {
		metadata: {annotations: {simulate.frameworkcontroller.io/run-for: 1s, simulate.frameworkcontroller.io/exit-code: "1"}},
		spec: {restartPolicy: Never, containers: [{name: main, image: none}]}}}}]}`)
	s.awaitMinCount("again-1", 2)
	s.awaitMinCount("again-0", 0)
	s.Await("again", "completed", func(f *v1.FrameworkStatus) bool { return f.State == v1.Completed && f.AttemptStatus.ID == 1 })
}

package controller

import (
	"context"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// oneQueue is a scheduler with the queue research. Nothing gets out of any other.
type oneQueue struct{ oneScheduler }

func (oneQueue) Hint(_ context.Context, _ string, q *pluginpb.HintRequest) (*pluginpb.HintResponse, pluginhost.Source, error) {
	queue := q.GetScheduling().GetQueue()
	if q.GetPrevious() != nil {
		queue = "as before"
	}
	return &pluginpb.HintResponse{Wait: true, Patches: []*pluginpb.PodPatch{{TaskRole: "w", Labels: map[string]string{"queue": queue}}}},
		pluginhost.Source{Plugin: "hints"}, nil
}

func (oneQueue) MayCreate(_ context.Context, _ string, q *pluginpb.MayCreateRequest) (*pluginpb.MayCreateResponse, pluginhost.Source, error) {
	is := q.GetScheduling().GetQueue() == "research"
	return &pluginpb.MayCreateResponse{Yes: is, Reason: "there is no such queue"}, pluginhost.Source{Plugin: "hints"}, nil
}

// Who mends the queue of a Framework that waits in it is heard at once: the scheduler is asked as at first. Of an edit after
// the first Pod was created it is said what it takes.
func TestQueueIsMended(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.startWith(oneQueue{})
	w.create("a", tasks(1), func(s *v1.FrameworkSpec) { s.Scheduling = &v1.SchedulingSpec{Queue: "reserch"} })
	w.conditionBecomes("a", v1.ConditionWaiting, "True because "+schedulerNotReady)
	w.editQueue("a", "research")
	w.taskReaches("a", "w", 0, v1.AttemptPreparing)
	if pod := w.Get(apitest.Pods, "a-w-0"); pod.GetLabels()["queue"] != "research" {
		t.Errorf("the Pod has the labels %v", pod.GetLabels())
	}
	w.editQueue("a", "other")
	w.eventually("it is said that this is too late", func() bool { return w.warnings("a")["SchedulingChangedLate"] == 1 })
}

func (w *world) editQueue(framework, queue string) {
	w.Edit(apitest.Frameworks, framework, func(o *unstructured.Unstructured) {
		_ = unstructured.SetNestedField(o.Object, queue, "spec", "scheduling", "queue")
		o.SetGeneration(o.GetGeneration() + 1)
	})
}

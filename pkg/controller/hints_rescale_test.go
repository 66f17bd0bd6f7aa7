package controller

import (
	"context"
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/hints-hived/hived"
)

// gangOfTwo is a scheduler that rejects a Framework with more than two Tasks in one way or another.
type gangOfTwo struct {
	oneScheduler
	hint func(*pluginpb.HintRequest) (*pluginpb.HintResponse, error)
}

func (s gangOfTwo) Hint(_ context.Context, _ string, q *pluginpb.HintRequest) (*pluginpb.HintResponse, pluginhost.Source, error) {
	answer, err := s.hint(q)
	return answer, pluginhost.Source{Plugin: "hints"}, err
}

func (gangOfTwo) MayCreate(context.Context, string, *pluginpb.MayCreateRequest) (*pluginpb.MayCreateResponse, pluginhost.Source, error) {
	return &pluginpb.MayCreateResponse{Reason: "the queue is full"}, pluginhost.Source{Plugin: "hints"}, nil
}

// inGang is an answer that labels Pods.
func inGang() *pluginpb.HintResponse {
	return &pluginpb.HintResponse{Patches: []*pluginpb.PodPatch{{TaskRole: "w", Labels: map[string]string{"gang": "one"}}}}
}

// tooMuch returns a hint function whose answer depends on whether there are more than two Tasks.
func tooMuch(above func() (*pluginpb.HintResponse, error)) func(*pluginpb.HintRequest) (*pluginpb.HintResponse, error) {
	return func(q *pluginpb.HintRequest) (*pluginpb.HintResponse, error) {
		if q.GetRoles()[0].GetTaskNumber() > 2 {
			return above()
		}
		return inGang(), nil
	}
}

// A gang runs, and a rescale fails. A failed Task is retried in the gang, even after a restart; the new Task waits, and the
// condition states the reason. When the rescale is taken back, nothing waits.
func TestRescaleComesToNothing(t *testing.T) {
	t.Parallel()
	hive := hived.New().SchedulerHints
	for reason, hint := range map[string]func(*pluginpb.HintRequest) (*pluginpb.HintResponse, error){
		"HintsRefused":      func(q *pluginpb.HintRequest) (*pluginpb.HintResponse, error) { return hive.Hint(t.Context(), q) },
		"PluginUnavailable": tooMuch(func() (*pluginpb.HintResponse, error) { return nil, errors.New("no answer within 5s") }),
		"HintsObjectsFailed": tooMuch(func() (*pluginpb.HintResponse, error) {
			answer := inGang()
			answer.Objects = []*pluginpb.Object{{Json: []byte(`{"apiVersion": "example.com/v1", "kind": "Gang", "metadata": {"name": "a-0"}}`)}}
			return answer, nil
		}),
		"SchedulerNotReady": tooMuch(func() (*pluginpb.HintResponse, error) {
			answer := inGang()
			answer.Wait = true
			return answer, nil
		}),
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.startWith(gangOfTwo{hint: hint})
			w.create("a", tasks(2), taskRetries(v1.RetryAlways), func(s *v1.FrameworkSpec) {
				s.Plugins = []v1.PluginUse{{Name: "hints", Parameters: []byte(`{"virtualCluster": "VC1", "taskRoles": {"w": {"leafCellNumber": 4}}}`)}}
			})
			for i := range 2 {
				w.taskReaches("a", "w", i, v1.AttemptPreparing)
				w.RunPod(v1.PodName("a", "w", int32(i)))
			}
			w.editSpec("a", int64(3), "taskNumber")
			w.conditionBecomes("a", v1.ConditionWaiting, "True because "+reason)
			w.retriedInItsGang(0)
			w.restart()
			w.retriedInItsGang(1)
			if w.Get(apitest.Pods, "a-w-2") != nil {
				t.Error("the new Task has a Pod")
			}
			w.conditionBecomes("a", v1.ConditionWaiting, "True because "+reason)
			w.editSpec("a", int64(2), "taskNumber")
			w.conditionBecomes("a", v1.ConditionWaiting, "False because NothingInTheWay")
		})
	}
}

// retriedInItsGang lets a Pod fail, and waits for the one of the retry, presented to the scheduler as the previous one was.
func (w *world) retriedInItsGang(index int) {
	w.t.Helper()
	name := v1.PodName("a", "w", int32(index))
	before := w.Get(apitest.Pods, name)
	w.EndPod(name, 1)
	w.eventually("there is a Pod of the retry", func() bool {
		after := w.Get(apitest.Pods, name)
		return after != nil && after.GetUID() != before.GetUID()
	})
	if got, want := presentation(w.Get(apitest.Pods, name)), presentation(before); got != want || got == "" {
		w.t.Errorf("Pod %s is presented as %q, and was as %q", name, got, want)
	}
	w.taskReaches("a", "w", index, v1.AttemptPreparing)
}

// presentation returns the marks that the hints of these tests have left on a Pod.
func presentation(pod *unstructured.Unstructured) string {
	return pod.GetLabels()["gang"] + pod.GetAnnotations()["hivedscheduler.microsoft.com/pod-scheduling-spec"]
}

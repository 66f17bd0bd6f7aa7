package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// oneQueue is a scheduler with the queue research. It refuses any other.
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

// An edit that mends the queue of a waiting Framework takes effect at once: the scheduler is asked as at first. An edit after the
// first Pod was created gets a message about the way to apply it.
func TestQueueIsMended(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.startWith(oneQueue{})
	w.create("a", tasks(1), func(s *v1.FrameworkSpec) { s.Scheduling = &v1.SchedulingSpec{Queue: "reserch"} })
	w.conditionBecomes("a", v1.ConditionWaiting, "True because SchedulerNotReady")
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

// thinkingQueue is a scheduler that delays its first admission, and admits everything.
type thinkingQueue struct {
	oneQueue
	asked, goOn chan struct{} // asked is closed by the first question, which waits until goOn is
	once        *sync.Once
}

func (s thinkingQueue) MayCreate(context.Context, string, *pluginpb.MayCreateRequest) (*pluginpb.MayCreateResponse, pluginhost.Source, error) {
	s.once.Do(func() {
		close(s.asked)
		<-s.goOn
	})
	return &pluginpb.MayCreateResponse{Yes: true}, pluginhost.Source{Plugin: "hints"}, nil
}

// An admission that arrives after the queue was edited is for the previous queue: no Pod uses it, and the scheduler is asked anew.
func TestQueueIsEditedBeforeTheAdmission(t *testing.T) {
	inBubble(t, func(w *world) {
		s := thinkingQueue{asked: make(chan struct{}), goOn: make(chan struct{}), once: &sync.Once{}}
		w.startWith(s)
		w.create("a", tasks(1), func(s *v1.FrameworkSpec) { s.Scheduling = &v1.SchedulingSpec{Queue: "low"} })
		<-s.asked
		w.editQueue("a", "research")
		w.eventually("the edit is seen", func() bool { return w.status("a").ObservedGeneration == w.Get(apitest.Frameworks, "a").GetGeneration() })
		close(s.goOn)
		w.taskReaches("a", "w", 0, v1.AttemptPreparing)
		if pod := w.Get(apitest.Pods, "a-w-0"); pod.GetLabels()["queue"] != "research" {
			w.t.Errorf("the Pod has the labels %v", pod.GetLabels())
		}
	})
}

// queueOfObject is a scheduler whose object contains the queue and is to be kept as it was created.
type queueOfObject struct{ oneQueue }

func (queueOfObject) Hint(_ context.Context, _ string, q *pluginpb.HintRequest) (*pluginpb.HintResponse, pluginhost.Source, error) {
	object := fmt.Appendf(nil, `{"apiVersion": "example.com/v1", "kind": "Group", "metadata": {"name": "a-0"}, "spec": {"queue": %q}}`, q.GetScheduling().GetQueue())
	return &pluginpb.HintResponse{Wait: true, Objects: []*pluginpb.Object{{Json: object, OnUpdate: pluginpb.Object_KEEP}}},
		pluginhost.Source{Plugin: "hints"}, nil
}

// MayCreate looks at the queue of the object.
func (queueOfObject) MayCreate(_ context.Context, _ string, q *pluginpb.MayCreateRequest) (*pluginpb.MayCreateResponse, pluginhost.Source, error) {
	var group struct{ Spec struct{ Queue string } }
	err := json.Unmarshal(q.GetObjects()[0], &group)
	return &pluginpb.MayCreateResponse{Yes: group.Spec.Queue == "research", Reason: "there is no such queue", RetryAfterSeconds: 3600}, pluginhost.Source{Plugin: "hints"}, err
}

// A scheduler that holds resources for an object refuses a different queue in it (422). The object is deleted, and recreated.
func TestQueueOfAnImmutableObjectIsMended(t *testing.T) {
	inBubble(t, func(w *world) {
		groups := newOneCRD()
		groups.PrependReactor("patch", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewInvalid(schema.GroupKind{Group: "example.com", Kind: "Group"}, "a-0", nil)
		})
		w.adjust = func(c *apiserver.Clients) { c.Objects, c.Kinds = groups, groups }
		w.startWith(queueOfObject{})
		w.create("a", tasks(1), func(s *v1.FrameworkSpec) { s.Scheduling = &v1.SchedulingSpec{Queue: "reserch"} })
		w.conditionBecomes("a", v1.ConditionWaiting, "True because SchedulerNotReady")
		w.editQueue("a", "research")
		w.taskReaches("a", "w", 0, v1.AttemptPreparing)
	})
}

// Renewed hints replace objects only before the attempt has Pods: another controller that takes over later leaves the objects of a
// running gang, even if they could not be changed.
func TestObjectsOfARunningGangAreNotReplaced(t *testing.T) {
	inBubble(t, func(w *world) {
		groups := newOneCRD()
		groups.PrependReactor("patch", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewInvalid(schema.GroupKind{Group: "example.com", Kind: "Group"}, "a-0", nil)
		})
		asked := func(verb string) (n int) {
			for _, a := range groups.Actions() {
				if a.GetVerb() == verb && a.GetResource() == groupsOfTest {
					n++
				}
			}
			return n
		}
		w.adjust = func(c *apiserver.Clients) { c.Objects, c.Kinds = groups, groups }
		w.startWith(queueOfObject{})
		w.create("a", tasks(1), func(s *v1.FrameworkSpec) { s.Scheduling = &v1.SchedulingSpec{Queue: "reserch"} })
		w.conditionBecomes("a", v1.ConditionWaiting, "True because SchedulerNotReady")
		w.editQueue("a", "research")
		w.taskReaches("a", "w", 0, v1.AttemptPreparing)
		read, deleted := asked("get"), asked("delete")
		w.restart()
		w.eventually("the next controller has looked at the object", func() bool { return asked("get") > read })
		time.Sleep(time.Minute)
		if n := asked("delete") - deleted; deleted != 1 || n != 0 {
			w.t.Errorf("%d objects were deleted, then %d of the gang that runs", deleted, n)
		}
	})
}

// twoQueues are two schedulers, each with its own group for a Framework. The second one admits at once.
type twoQueues struct{ twoSchedulers }

func (twoQueues) Hint(_ context.Context, name string, _ *pluginpb.HintRequest) (*pluginpb.HintResponse, pluginhost.Source, error) {
	object := fmt.Appendf(nil, `{"apiVersion": "example.com/v1", "kind": "Group", "metadata": {"name": "a-0-%s"}}`, name)
	return &pluginpb.HintResponse{
		Wait: true, Objects: []*pluginpb.Object{{Json: object, OnUpdate: pluginpb.Object_KEEP}},
		Patches: []*pluginpb.PodPatch{{TaskRole: "w", Labels: map[string]string{"scheduler": name}}},
	}, pluginhost.Source{Plugin: name}, nil
}

func (twoQueues) MayCreate(_ context.Context, name string, _ *pluginpb.MayCreateRequest) (*pluginpb.MayCreateResponse, pluginhost.Source, error) {
	return &pluginpb.MayCreateResponse{Yes: name == "other", Reason: "queued", RetryAfterSeconds: 3600}, pluginhost.Source{Plugin: name}, nil
}

// A scheduler newly named in spec.plugins takes over an attempt without Pods, and the objects of the first one are deleted. If it is
// named later, it does not take over, and this is reported: even added Tasks use the scheduler that knows the attempt.
func TestAnotherSchedulerIsNamed(t *testing.T) {
	inBubble(t, func(w *world) {
		groups := newOneCRD()
		exists := func(name string) bool {
			_, err := groups.Resource(groupsOfTest).Namespace("default").Get(w.t.Context(), name, metav1.GetOptions{})
			if !apierrors.IsNotFound(err) {
				require.NoError(w.t, err)
			}
			return err == nil
		}
		w.adjust = func(c *apiserver.Clients) { c.Objects, c.Kinds = groups, groups }
		w.startWith(twoQueues{})
		w.create("a", tasks(1))
		w.conditionBecomes("a", v1.ConditionWaiting, "True because SchedulerNotReady")
		if !exists("a-0-hints") {
			w.t.Error("the first scheduler has no group")
		}
		name := func(plugin string, tasks int64) {
			w.Edit(apitest.Frameworks, "a", func(o *unstructured.Unstructured) {
				spec := o.Object["spec"].(map[string]any)
				spec["plugins"] = []any{map[string]any{"name": plugin}}
				spec["taskRoles"].([]any)[0].(map[string]any)["taskNumber"] = tasks
				o.SetGeneration(o.GetGeneration() + 1)
			})
		}
		name("other", 1)
		w.taskReaches("a", "w", 0, v1.AttemptPreparing)
		w.conditionBecomes("a", v1.ConditionWaiting, "False because NothingInTheWay")
		if exists("a-0-hints") || !exists("a-0-other") {
			w.t.Errorf("the group of the first scheduler exists: %t, that of the other one: %t", exists("a-0-hints"), exists("a-0-other"))
		}
		name("hints", 1)
		w.eventually("it is said that this is too late", func() bool { return w.warnings("a")["SchedulingChangedLate"] == 1 })
		name("hints", 2)
		w.taskReaches("a", "w", 1, v1.AttemptPreparing)
		for _, pod := range []string{"a-w-0", "a-w-1"} {
			if labels := w.Get(apitest.Pods, pod).GetLabels(); labels["scheduler"] != "other" {
				w.t.Errorf("%s has the labels %v", pod, labels)
			}
		}
	})
}

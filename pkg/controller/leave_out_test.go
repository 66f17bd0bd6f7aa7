package controller

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// Room for Frameworks of so many Tasks, as the tests write them: more than one, and less than two of these.
const (
	fewTasks      = 3
	manyTasks     = 100
	roomForMany   = manyTasks * (copies*taskBytes + podBytes + addsToPod) * 3 / 2
	leftOutReason = "True because MemoryLimitReached"
)

// boundedWorld is one in which a namespace may make the controller hold so many bytes.
func boundedWorld(t *testing.T, m flowcontrol.MemoryLimits) *world {
	t.Helper()
	w := newWorld(t)
	w.options.Memory = m
	w.start()
	return w
}

func (w *world) notWaiting(framework string) {
	w.t.Helper()
	w.eventually(framework+" waits for nothing", func() bool {
		return !meta.IsStatusConditionTrue(w.status(framework).Conditions, v1.ConditionWaiting)
	})
}

// A Framework that its namespace has no memory left for says so, is not begun, and is begun when another has gone; one
// that takes less, or that is of another namespace, is not kept waiting by it.
func TestLeftOutUntilOthersHaveGone(t *testing.T) {
	t.Parallel()
	w := boundedWorld(t, flowcontrol.MemoryLimits{Namespace: roomForMany})
	w.create("a", tasks(manyTasks))
	w.reaches("a", v1.AttemptPreparing)
	w.create("b", tasks(manyTasks))
	w.conditionBecomes("b", v1.ConditionWaiting, leftOutReason)
	w.warnedOnce("b", "MemoryLimitReached")
	w.running("c", tasks(fewTasks))
	if s := w.status("b"); s.State != "" {
		t.Errorf("b is %s", s.State)
	}
	if made := w.Requests("create configmaps b-attempt"); len(made) > 0 {
		t.Errorf("b was begun: %v", made)
	}
	w.Delete(apitest.Frameworks, "a")
	w.reaches("b", v1.AttemptPreparing)
	w.notWaiting("b")
}

// That a Framework was left out is neither lost nor told anew when another controller takes over, and those that had been
// begun go on.
func TestLeftOutOverARestart(t *testing.T) {
	t.Parallel()
	w := boundedWorld(t, flowcontrol.MemoryLimits{Namespace: roomForMany})
	w.create("a", tasks(manyTasks))
	w.reaches("a", v1.AttemptPreparing)
	w.create("b", tasks(manyTasks))
	w.conditionBecomes("b", v1.ConditionWaiting, leftOutReason)
	patches := len(w.Requests("patch frameworks/status"))
	w.restart()
	w.running("c")
	w.never("it is stored again", func() bool { return len(w.Requests("patch frameworks/status")) > patches })
	w.stop()
	w.Delete(apitest.Frameworks, "a")
	w.start()
	w.reaches("b", v1.AttemptPreparing)
}

// A Framework that runs and is changed to be larger than it may be stands still, and says so. What runs of it runs on; it
// goes on when it is changed back, and may be stopped all the same.
func TestLeftOutByAnEdit(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func(w *world){
		"changed back": func(w *world) {
			w.respec("a", tasks(fewTasks), taskRetries(3))
			w.notWaiting("a")
			w.EndPod("a-w-0", 1)
			w.eventually("the Task is tried again", func() bool {
				return taskOfStatus(w.status("a"), "w", 0).RetryPolicyStatus.TotalRetriedCount > 0
			})
		},
		"stopped": func(w *world) {
			w.stopFramework("a")
			w.reaches("a", v1.Completed)
		},
		"deleted": func(w *world) {
			w.Delete(apitest.Frameworks, "a")
			w.eventually("it has gone", func() bool { return w.Get(apitest.Frameworks, "a") == nil })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := boundedWorld(t, flowcontrol.MemoryLimits{Framework: roomForMany})
			w.tampered = true // the condition is none of the lifecycle's
			w.running("a", tasks(fewTasks), taskRetries(3))
			w.respec("a", tasks(2*manyTasks), taskRetries(3))
			w.conditionBecomes("a", v1.ConditionWaiting, leftOutReason)
			if w.Get(apitest.Pods, "a-w-0") == nil {
				t.Error("a Pod has gone")
			}
			edit(w)
			w.never("a warning", func() bool { return w.warnings("a")["StatusOverwritten"] > 0 })
		})
	}
}

// Pods that a user makes with our label count, too. Beyond the bound they are not kept as a whole, and no other Framework is
// begun; one that has been gets its Pods all the same.
func TestPodsBeyondTheBound(t *testing.T) {
	t.Parallel()
	w := boundedWorld(t, flowcontrol.MemoryLimits{Namespace: roomForMany})
	w.running("a", tasks(1), taskRetries(1))
	text := strings.Repeat("x", roomForMany)
	for _, name := range []string{"big-w-0", "big-w-1"} {
		pod := foreign(apitest.Pods, name)
		pod.SetLabels(map[string]string{v1.KeyFrameworkName: "big"})
		pod.SetAnnotations(map[string]string{"text": text})
		require.NoError(t, unstructured.SetNestedField(pod.Object, "Failed", "status", "phase"))
		w.Create(apitest.Pods, pod)
		w.eventually("it counts", func() bool {
			return w.c.watches.cachedPod(w.key("a").Namespace, name) != nil && w.c.reader.memory.Exceeded(w.key("a")) != nil
		})
	}
	if kept := w.c.watches.cachedPod(w.key("a").Namespace, "big-w-1").WholeBytes(); kept > 0 {
		t.Errorf("%d bytes are kept of the second", kept)
	}
	w.EndPod("a-w-0", 1)
	w.eventually("the Task runs again", func() bool { return taskOfStatus(w.status("a"), "w", 0).State == v1.AttemptPreparing })
	w.create("b", tasks(1))
	w.conditionBecomes("b", v1.ConditionWaiting, leftOutReason)
	w.Vanish(apitest.Pods, "big-w-0")
	w.reaches("b", v1.AttemptPreparing)
}

// What runs in a namespace that is full goes on, whatever else becomes of its object.
func TestTakenInForGood(t *testing.T) {
	t.Parallel()
	w := boundedWorld(t, flowcontrol.MemoryLimits{Namespace: roomForMany})
	w.running("a", tasks(1), taskRetries(1))
	w.create("b", tasks(manyTasks))
	w.reaches("b", v1.AttemptPreparing)
	reads := len(w.Requests("get frameworks a"))
	w.Edit(apitest.Frameworks, "a", func(o *unstructured.Unstructured) {
		o.SetAnnotations(map[string]string{"text": strings.Repeat("x", roomForMany)})
	})
	w.requested("get frameworks a", reads+1)
	w.EndPod("a-w-0", 1)
	w.eventually("the Task runs again", func() bool { return taskOfStatus(w.status("a"), "w", 0).State == v1.AttemptPreparing })
	w.notWaiting("a")
}

// Objects are merged when the wait for memory is stored, so each fact of the wait before is removed by name.
func TestWaitForMemoryLeavesNoOtherFact(t *testing.T) {
	before := v1.WaitingStatus{Reason: "Forbidden", Role: "w", Index: new(int32(1)), Pod: "a-w-1", Node: "n", Container: "c", MoreTasks: 2,
		Action: "CreatePod", Message: "exceeded quota"}
	var stored map[string]any
	if err := json.Unmarshal(apiserver.JSON(before), &stored); err != nil {
		t.Fatal(err)
	}
	if n := reflect.TypeFor[v1.WaitingStatus]().NumField(); len(stored) != n {
		t.Fatalf("the wait before has %d facts of %d", len(stored), n)
	}
	for name, value := range waitForMemory(metav1.Now()) {
		if stored[name] = value; value == nil {
			delete(stored, name)
		}
	}
	if len(stored) != 2 || stored["reason"] != reason.MemoryLimitReached {
		t.Errorf("stored are %v", stored)
	}
}

package controller

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/items"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// Room for Frameworks of these sizes, as the tests write them: for more than one with manyTasks, and less than two.
const (
	fewTasks      = 3
	manyTasks     = 100
	roomForMany   = manyTasks * (copies*taskBytes + podBytes + addsToPod) * 3 / 2
	leftOutReason = "True because MemoryLimitReached"
)

// boundedWorld is a world with the given limits on the memory that namespaces use in the controller.
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

// If its namespace has no memory left, a Framework reports this and begins only when another one is gone; a smaller Framework, or
// one in another namespace, does not wait for it.
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

// When another controller takes over, a left-out Framework stays left out without a second report, and Frameworks that had begun
// continue.
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

// A running Framework that is edited to exceed the limit pauses and reports this. Its Pods keep running; it continues when the
// edit is reverted, and can be stopped all the same.
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
			w.tampered = true // the condition is not the lifecycle's
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

// Pods that a user creates with our label count, too. Beyond the bound they are not kept whole, and no other Framework begins; a
// Framework that has begun still gets its Pods.
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

// A Framework that runs in a full namespace continues, whatever else happens to its object.
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

// The items of a ConfigMap count like the Tasks for which they stand. If there is no memory for them, the attempt waits until the list is
// shorter. Those that are appended later are not held, and the attempt goes on without them.
func TestItemsBeyondTheBound(t *testing.T) {
	inBubble(t, func(w *world) {
		w.options.Memory = flowcontrol.MemoryLimits{Namespace: roomForMany}
		w.start()
		lines := func(n int) string { return strings.Repeat("1\n", n) }
		w.Create(apitest.ConfigMaps, itemList("params"))
		w.Set(apitest.ConfigMaps, "params", lines(2*manyTasks), "data", "list")
		w.create("a", itemsAt("params"), taskRetries(1))
		w.waitsFor("a", "ItemsNotReady", "key list of ConfigMap params has too many items: namespace default may make the controller hold")
		w.Set(apitest.ConfigMaps, "params", lines(fewTasks), "data", "list")
		for i := range fewTasks {
			pod := fmt.Sprint("a-w-", i)
			w.hasItem(pod, "1")
			w.RunPod(pod)
		}
		w.Set(apitest.ConfigMaps, "params", lines(2*manyTasks), "data", "list")
		time.Sleep(time.Minute)
		w.eventually("the warning", func() bool { return w.warnings("a")["ItemsEdited"] == 1 })
		if w.Get(apitest.Pods, "a-w-3") != nil {
			w.t.Error("an item was appended")
		}
		w.EndPod("a-w-1", 9)
		w.hasItem("a-w-1", "1")
		w.Set(apitest.ConfigMaps, "params", lines(fewTasks+1), "data", "list")
		time.Sleep(time.Minute)
		w.hasItem("a-w-3", "1")
	})
}

// An attempt that runs gets back the items with which it began, whatever others hold by now.
func TestItemsOfARunningAttemptAreTakenIn(t *testing.T) {
	inBubble(t, func(w *world) {
		w.start()
		w.Create(apitest.ConfigMaps, itemList("params"))
		w.Set(apitest.ConfigMaps, "params", strings.Repeat("1\n", 2*manyTasks), "data", "list")
		w.create("a", itemsAt("params"), taskRetries(1))
		w.hasItem("a-w-1", "1")
		w.stop()
		w.options.Memory = flowcontrol.MemoryLimits{Namespace: roomForMany}
		w.start()
		w.EndPod("a-w-1", 9)
		w.eventually("the next attempt", func() bool { return w.task("a", "w", 1).AttemptStatus.ID == 1 })
		w.hasItem("a-w-1", "1")
	})
}

// Both lists count while an attempt needs the earlier one, and none of them at its end.
func TestHeldItemsCount(t *testing.T) {
	t.Parallel()
	list := func(text string) *items.List {
		out, err := items.FromLines(text)
		require.NoError(t, err)
		return out
	}
	r := &record{}
	r.reset("uid", false)
	r.framework.Spec = &v1.FrameworkSpec{}
	before, _ := r.weight()
	held, now := list(`"`+strings.Repeat("x", 10_000)+`"`), list("1\n2\n")
	r.itemsOf("w").view = lifecycle.ItemsView{List: now, Held: held}
	r.itemsOf("x").view = lifecycle.ItemsView{Problem: "there are none"}
	with, _ := r.weight()
	if more := with - before; more != held.Bytes()+now.Bytes() || held.Bytes() < 10_000 || now.Bytes() < 100 {
		t.Errorf("they count %d, and are %d and %d", more, held.Bytes(), now.Bytes())
	}
	r.releaseMemory()
	if after, _ := r.weight(); after != before {
		t.Errorf("%d bytes remain", after-before)
	}
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

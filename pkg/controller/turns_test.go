package controller

import (
	"fmt"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

func parallelism(n int32) func(*v1.FrameworkSpec) {
	return func(s *v1.FrameworkSpec) { s.TaskRoles[0].Parallelism = &n }
}

// pods returns how many of the Pods of the first Tasks exist.
func (w *world) pods(of string, tasks int) (n int) {
	for i := range tasks {
		if w.Get(apitest.Pods, v1.PodName(of, "w", int32(i))) != nil {
			n++
		}
	}
	return n
}

// Tasks take their turns, whatever happens to the controller in between: no request creates more Pods than allowed, and in the end
// each Task has had one Pod.
func TestTurns(t *testing.T) {
	t.Parallel()
	const all, atOnce = 6, 2
	w := startWorld(t)
	w.create("a", tasks(all), parallelism(atOnce))
	for i := range all {
		pod := v1.PodName("a", "w", int32(i))
		w.eventually(pod, func() bool { return w.Get(apitest.Pods, pod) != nil })
		if n := w.pods("a", all); n > atOnce {
			t.Errorf("there are %d Pods", n)
		}
		if i == 2 {
			w.restart()
		}
		w.RunPod(pod)
		w.EndPod(pod, 0)
	}
	w.reaches("a", v1.Completed)
	w.requireCode("a", 0)
	w.requireRequests("create pods", all)
	w.requireRules("Pod after its Task's attempt and the ConfigMap's UID", "Pod after its outcome")
}

// Waiting Tasks cause no requests: the requests for the first Pods of a role are the same, however many Tasks wait.
func TestWaitingTasksCostNothing(t *testing.T) {
	t.Parallel()
	count := func(all int32) map[string]int {
		w := startWorld(t)
		w.create("a", tasks(all), parallelism(2))
		for i := range int32(2) {
			pod := v1.PodName("a", "w", i)
			w.eventually(pod, func() bool { return w.Get(apitest.Pods, pod) != nil })
			w.RunPod(pod)
		}
		w.eventually("both run", func() bool { return w.status("a").Tasks.Running == 2 })
		if n := w.status("a").Tasks.Waiting; n != all-2 {
			t.Errorf("%d Tasks wait, not %d", n, all-2)
		}
		w.stop()
		n := map[string]int{}
		for _, q := range w.Requests("*") {
			if q.Resource == apitest.Pods || q.Resource == apitest.ConfigMaps {
				n[fmt.Sprint(q.Verb, " ", q.Resource)]++
			}
		}
		return n
	}
	few, many := count(3), count(500)
	for what, n := range many {
		if n > few[what] {
			t.Errorf("%s: %d times for 500 Tasks, and %d times for 3", what, n, few[what])
		}
	}
	if many["create pods"] != 2 {
		t.Errorf("%v", many)
	}
}

// A decrease lets Tasks that have a Pod finish, and drops queued creations that are no longer wanted.
func TestFewerTurns(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("a", tasks(4), parallelism(3))
	w.eventually("three Pods", func() bool { return w.pods("a", 4) == 3 })
	w.respec("a", tasks(4), parallelism(1))
	for i := range 3 {
		w.RunPod(v1.PodName("a", "w", int32(i)))
	}
	for i := range 3 {
		w.EndPod(v1.PodName("a", "w", int32(i)), 0)
		if i < 2 {
			w.eventually("the Task has completed", func() bool { return w.status("a").Tasks.Succeeded == int32(i+1) })
			w.requireRequests("create pods", 3)
		}
	}
	w.eventually("the last Pod", func() bool { return w.Get(apitest.Pods, "a-w-3") != nil })
	w.RunPod("a-w-3")
	w.EndPod("a-w-3", 0)
	w.reaches("a", v1.Completed)
}

// With 500 Pods, a decrease to 1 ends none of them, and creates none before the last of them has ended. Then there is one at a time.
func TestOneTurnWhileManyRun(t *testing.T) {
	t.Parallel()
	const many, all = 500, 503
	w := startWorld(t)
	w.create("a", tasks(all), parallelism(many))
	for i := range int32(many) {
		pod := v1.PodName("a", "w", i)
		w.eventually(pod, func() bool { return w.Get(apitest.Pods, pod) != nil })
		w.RunPod(pod)
	}
	w.eventually("all run", func() bool { return w.status("a").Tasks.Running == many })
	w.respec("a", tasks(all), parallelism(1))
	for i := range int32(many - 1) {
		w.EndPod(v1.PodName("a", "w", i), 0)
	}
	w.eventually("one is left", func() bool { return w.status("a").Tasks.Succeeded == many-1 })
	w.requireRequests("create pods", many)
	if n := w.status("a").Tasks.Running; n != 1 {
		t.Errorf("%d Tasks run", n)
	}
	for i := int32(many - 1); i < all; i++ {
		pod := v1.PodName("a", "w", i)
		w.eventually(pod, func() bool { return w.Get(apitest.Pods, pod) != nil })
		w.requireRequests("create pods", int(i)+1)
		w.RunPod(pod)
		w.EndPod(pod, 0)
	}
	w.reaches("a", v1.Completed)
	w.requireCode("a", 0)
}

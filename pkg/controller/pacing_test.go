package controller

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// Changes that nothing depends on wait for each other, and are written together.
func TestChangesAreWrittenTogether(t *testing.T) {
	inBubble(t, func(w *world) {
		w.start()
		w.create("a", tasks(6))
		w.taskReaches("a", "w", 5, v1.AttemptPreparing)
		before := len(w.Requests(statusWrites))
		first := time.Now()
		for i := range int32(5) {
			w.RunPod(v1.PodName("a", "w", i))
		}
		w.taskReaches("a", "w", 4, v1.AttemptRunning)
		writes := w.Requests(statusWrites)[before:]
		if len(writes) != 1 {
			w.t.Errorf("there were %d writes", len(writes))
		}
		if d := writes[0].At.Sub(first); d != coalesce {
			w.t.Errorf("the write came after %v", d)
		}
	})
}

// A gang that is complete waits for nothing else.
func TestGateOpensAtOnce(t *testing.T) {
	inBubble(t, func(w *world) {
		w.start()
		w.create("a", tasks(2))
		w.taskReaches("a", "w", 1, v1.AttemptPreparing)
		before := len(w.Requests(statusWrites))
		w.RunPod("a-w-0")
		last := time.Now()
		w.RunPod("a-w-1")
		w.taskReaches("a", "w", 1, v1.AttemptRunning)
		writes := w.Requests(statusWrites)[before:]
		if d := writes[len(writes)-1].At.Sub(last); d != 0 {
			w.t.Errorf("the write came after %v", d)
		}
	})
}

// A role whose Pods wait in their barriers is opened at once. Readiness counts at its first occurrence.
func TestRoleOpensAtOnce(t *testing.T) {
	for when, happens := range map[v1.StartWhen]func(*world){
		v1.StartRunning: func(w *world) { w.RunPod("a-w-0") },
		v1.StartReady: func(w *world) {
			w.RunPod("a-w-0")
			w.taskReaches("a", "w", 0, v1.AttemptRunning)
			w.Edit(apitest.Pods, "a-w-0", func(pod *unstructured.Unstructured) {
				ready := map[string]any{"type": "Ready", "status": "True"}
				_ = unstructured.SetNestedSlice(pod.Object, []any{ready}, "status", "conditions")
			})
		},
	} {
		t.Run(string(when), func(t *testing.T) {
			inBubble(t, func(w *world) {
				w.start()
				w.create("a", func(s *v1.FrameworkSpec) {
					later := *s.TaskRoles[0].DeepCopy()
					later.Name, later.StartAfter = "later", []v1.StartAfterSpec{{Role: "w", When: when}}
					s.TaskRoles = append(s.TaskRoles, later)
				})
				w.taskReaches("a", "later", 0, v1.AttemptPreparing)
				happens(w)
				last := time.Now()
				synctest.Wait()
				status := w.status("a")
				if status.Gate != "" || status.Gates == nil || !slices.Equal(status.Gates.Open, []string{"later"}) {
					w.t.Errorf("%s: the gates are %q and %+v", when, status.Gate, status.Gates)
				}
				writes := w.Requests(statusWrites)
				if d := writes[len(writes)-1].At.Sub(last); d != 0 {
					w.t.Errorf("%s: the write came %v after", when, d)
				}
			})
		})
	}
}

// New changes do not put a write off further and further.
func TestChangesDoNotPutTheWriteOff(t *testing.T) {
	inBubble(t, func(w *world) {
		w.start()
		w.create("a", tasks(20))
		w.taskReaches("a", "w", 19, v1.AttemptPreparing)
		before := len(w.Requests(statusWrites))
		first := time.Now()
		for i := range int32(20) {
			w.RunPod(v1.PodName("a", "w", i))
			time.Sleep(20 * time.Millisecond)
		}
		w.taskReaches("a", "w", 19, v1.AttemptRunning)
		writes := w.Requests(statusWrites)[before:]
		if d := writes[0].At.Sub(first); d != coalesce {
			w.t.Errorf("the first write came after %v", d)
		}
		if len(writes) != 2 {
			w.t.Errorf("there were %d writes", len(writes))
		}
	})
}

// Changes of a Framework whose status is slow to store are spaced further apart. The duration of the last write counts, from its
// end on.
func TestSlowWritesAreFarApart(t *testing.T) {
	inBubble(t, func(w *world) {
		const took = 150 * time.Millisecond
		w.start()
		w.create("a", tasks(5))
		w.taskReaches("a", "w", 4, v1.AttemptPreparing)
		before := len(w.Requests(statusWrites))
		ended := w.runSlowly("a-w-0", took)
		w.RunPod("a-w-1")
		if d := w.requested(statusWrites, before+2)[before+1].At.Sub(ended); d != cooldownFactor*took {
			w.t.Errorf("the next write came %v after one that took %v", d, took)
		}
		w.taskReaches("a", "w", 1, v1.AttemptRunning)

		w.runSlowly("a-w-2", took)
		time.Sleep(longestCooldown)
		late := time.Now()
		w.RunPod("a-w-3")
		if d := w.requested(statusWrites, before+4)[before+3].At.Sub(late); d != coalesce {
			w.t.Errorf("long after a slow write, the next one came after %v", d)
		}
	})
}

func TestCooldownHasABound(t *testing.T) {
	for ending, want := range map[bool]time.Duration{false: longestCooldown, true: endingFactor * longestCooldown} {
		if d := cooldownAfter(apiserver.RequestTimeout, ending); d != want {
			t.Errorf("after a write that took as long as it can: %v", d)
		}
	}
}

// startEnding starts a controller with a Framework of n Tasks that ends: all its Pods terminate, and no write is due.
func (w *world) startEnding(n int32) {
	w.KeepTerminating(true)
	w.start()
	w.create("a", tasks(n))
	last := int(n) - 1
	w.taskReaches("a", "w", last, v1.AttemptPreparing)
	for i := range n {
		w.RunPod(v1.PodName("a", "w", i))
	}
	w.taskReaches("a", "w", last, v1.AttemptRunning)
	w.setSuspend("a", true)
	w.requested("delete pods", int(n))
	time.Sleep(time.Minute)
}

// After a round whose write is postponed, the next round is delayed in proportion to its duration.
func TestRoundsThatStoreNothingAreFarApart(t *testing.T) {
	inBubble(t, func(w *world) {
		w.startEnding(3)
		w.slowClock.Store(true) // from now on a round takes some milliseconds
		w.Vanish(apitest.Pods, "a-w-0")
		time.Sleep(30 * time.Millisecond)
		synctest.Wait()
		resumes := w.c.queue.records.get(w.key("a")).schedule.resumeAt
		if left := time.Until(resumes); left < 20*time.Millisecond {
			w.t.Fatalf("the next round may come in %v", left)
		}
		looks := w.looks.Load()
		w.Vanish(apitest.Pods, "a-w-1")
		time.Sleep(time.Until(resumes) - time.Millisecond)
		if n := w.looks.Load() - looks; n > 1 {
			w.t.Errorf("there was a round meanwhile, which looked %d times what time it is", n)
		}
		w.taskReaches("a", "w", 1, v1.Completed)
		w.slowClock.Store(false)
	})
}

// While an attempt ends, its status is written less often, but its final end is written at once.
func TestEndingIsWrittenFarApart(t *testing.T) {
	inBubble(t, func(w *world) {
		const took = 150 * time.Millisecond
		w.startEnding(3)
		before := len(w.Requests(statusWrites))
		ended := w.slowly(took, func() { w.Vanish(apitest.Pods, "a-w-0") })
		w.Vanish(apitest.Pods, "a-w-1")
		if d := w.requested(statusWrites, before+2)[before+1].At.Sub(ended); d != endingFactor*cooldownFactor*took {
			w.t.Errorf("the next write came %v after one that took %v", d, took)
		}
		ended = w.slowly(took, func() { w.Vanish(apitest.Pods, "a-w-2") })
		w.reaches("a", v1.AttemptCompleted)
		if d := time.Since(ended); d > took {
			w.t.Errorf("that the attempt is over was stored after %v", d)
		}
	})
}

// To ask whether a Pod has gone needs no stored status: the question is asked at once, and the write waits.
func TestReadsAreNotWrittenFor(t *testing.T) {
	inBubble(t, func(w *world) {
		const took = 150 * time.Millisecond
		w.startEnding(4)
		before := len(w.Requests(statusWrites))
		ended := w.slowly(took, func() { w.Vanish(apitest.Pods, "a-w-0") })
		w.Vanish(apitest.Pods, "a-w-1")
		time.Sleep(took) // the resulting change is not stored yet
		vanished := time.Now()
		w.Vanish(apitest.Pods, "a-w-2")
		if d := w.requested("get pods a-w-2", 1)[0].At.Sub(vanished); d != 0 {
			w.t.Errorf("the question came after %v", d)
		}
		if d := w.requested(statusWrites, before+2)[before+1].At.Sub(ended); d != endingFactor*cooldownFactor*took {
			w.t.Errorf("the next write came %v after one that took %v", d, took)
		}
	})
}

// A change with an action that depends on it does not wait until the cooldown is over, nor does the gate.
func TestCooldownHoldsNoActionUp(t *testing.T) {
	inBubble(t, func(w *world) {
		w.start()
		w.create("a", tasks(3))
		w.taskReaches("a", "w", 2, v1.AttemptPreparing)
		ended := w.runSlowly("a-w-0", longestCooldown)
		w.EndPod("a-w-0", 0)
		if d := w.requested("delete pods", 1)[0].At.Sub(ended); d != 0 {
			w.t.Errorf("the deletion came after %v", d)
		}
		before := len(w.Requests(statusWrites))
		ended = w.runSlowly("a-w-1", longestCooldown)
		w.RunPod("a-w-2")
		if d := w.requested(statusWrites, before+2)[before+1].At.Sub(ended); d != 0 {
			w.t.Errorf("the write that opens the gate came after %v", d)
		}
	})
}

// A user's edit may make the work under way obsolete.
func TestCooldownHoldsNoSpecUp(t *testing.T) {
	inBubble(t, func(w *world) {
		w.start()
		w.create("a", tasks(2))
		w.taskReaches("a", "w", 1, v1.AttemptPreparing)
		w.runSlowly("a-w-0", longestCooldown)
		before := len(w.Requests(statusWrites))
		edited := time.Now()
		w.editSpec("a", int64(7), "task", "retryPolicy", "maxRetryCount")
		if d := w.requested(statusWrites, before+1)[before].At.Sub(edited); d > coalesce {
			w.t.Errorf("the spec was seen to after %v", d)
		}
	})
}

func (w *world) runSlowly(pod string, took time.Duration) time.Time {
	return w.slowly(took, func() { w.RunPod(pod) })
}

// slowly runs happen and delays the resulting write. It returns when the API server may answer, which is before the controller
// knows.
func (w *world) slowly(took time.Duration, happen func()) time.Time {
	before, slow := len(w.Requests(statusWrites)), make(chan struct{})
	w.Inject(statusWrites, 1, apitest.Fault{Wait: slow})
	happen()
	w.requested(statusWrites, before+1)
	time.Sleep(took)
	close(slow)
	return time.Now()
}

// A change that an action depends on is written at once.
func TestChangesWithActionsDoNotWait(t *testing.T) {
	inBubble(t, func(w *world) {
		w.start()
		w.running("a")
		first := time.Now()
		w.EndPod("a-w-0", 0)
		if d := w.requested("delete pods", 1)[0].At.Sub(first); d != 0 {
			w.t.Errorf("the deletion came after %v", d)
		}
	})
}

// After the end of a Framework, there is no later change for which its write could wait.
func TestEndIsWrittenAtOnce(t *testing.T) {
	inBubble(t, func(w *world) {
		w.start()
		w.running("a")
		w.EndPod("a-w-0", 0)
		w.requested("delete configmaps", 1)
		w.reaches("a", v1.Completed)
		deletions, writes := w.Requests("delete configmaps"), w.Requests(statusWrites)
		if d := writes[len(writes)-1].At.Sub(deletions[len(deletions)-1].At); d != 0 {
			w.t.Errorf("the write came %v after the last deletion", d)
		}
	})
}

// In a large array, even changes that a turn or a deletion depends on wait for the cooldown of a slow write, and are stored together.
// In a small one they do not.
func TestTurnsOfALargeArrayWaitForTheCooldown(t *testing.T) {
	const atOnce, took = 5, 100 * time.Millisecond
	for all, large := range map[int32]bool{20: false, 4000: true} {
		t.Run(fmt.Sprint(all), func(t *testing.T) {
			inBubble(t, func(w *world) {
				w.start()
				w.create("a", tasks(all), parallelism(atOnce))
				pod := func(i int32) string { return v1.PodName("a", "w", i) }
				for i := range int32(atOnce) {
					w.eventually(pod(i), func() bool { return w.Get(apitest.Pods, pod(i)) != nil })
					w.RunPod(pod(i))
				}
				w.eventually("all run", func() bool { return w.status("a").Tasks.Running == atOnce })
				time.Sleep(longestCooldown)
				ended := w.slowly(took, func() { w.EndPod(pod(0), 0) })
				before := len(w.Requests(statusWrites))
				for i := range int32(atOnce - 1) {
					time.Sleep(took / 10)
					w.EndPod(pod(1+i), 0)
				}
				w.eventually("the last turn", func() bool { return w.Get(apitest.Pods, pod(2*atOnce-1)) != nil })
				writes := w.Requests(statusWrites)[before:]
				if waited := writes[0].At.Sub(ended); large != (waited == cooldownFactor*took) || !large && waited > took {
					t.Errorf("after a slow write, the next one came after %v", waited)
				}
			})
		})
	}
}

package controller

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// A controller compares its clock with times stored by another controller. Either clock may be wrong by minutes. Then its waits
// end too early or too late by the difference of the clocks. They must not last for ever, and nothing else may depend on the
// clocks. The lease does not: a candidate counts from the renewal that it has seen, and the holder uses a clock that nobody sets.
// test/chaos runs elections among controllers with wrong clocks.

// startAt runs a new controller whose clock is wrong by skew.
func (w *world) startAt(skew time.Duration) {
	w.t.Helper()
	w.run(w.newController(func() time.Time { return time.Now().Add(skew) }))
}

func backoff(sec int32) *v1.RetryBackoffSpec {
	return &v1.RetryBackoffSpec{InitialDelaySec: sec, MaxDelaySec: sec}
}

// When the next controller's clock is behind, pending work is neither forgotten nor done at once: it is done when that clock says
// so. A clock that is ahead does it at once.
func TestWaitingAcrossClocks(t *testing.T) {
	t.Parallel()
	const delay, behind = 100 * time.Second, 10 * time.Minute
	tests := map[string]struct {
		spec  func(*v1.FrameworkSpec)
		code  int64 // the Pod's exit code
		waits func(*world) bool
		done  func(*world) bool
	}{
		"retry of a Task": {
			func(s *v1.FrameworkSpec) {
				s.TaskRoles[0].Task.RetryPolicy = v1.RetryPolicySpec{MaxRetryCount: 1, Backoff: backoff(100)}
			}, 1,
			func(w *world) bool { return w.task("a", "w", 0).State == v1.AttemptCompleted },
			func(w *world) bool { return w.task("a", "w", 0).AttemptStatus.ID == 1 },
		},
		"retry of a Framework": {
			func(s *v1.FrameworkSpec) {
				s.RetryPolicy = v1.RetryPolicySpec{MaxRetryCount: 1, Backoff: backoff(100)}
			}, 1,
			func(w *world) bool { return w.state("a") == v1.AttemptCompleted },
			func(w *world) bool { return w.status("a").AttemptStatus.ID == 1 },
		},
		"removal": {
			func(s *v1.FrameworkSpec) { sec := int32(100); s.TTLSecondsAfterFinished = &sec }, 0,
			func(w *world) bool { return w.state("a") == v1.Completed },
			func(w *world) bool { return w.Get(apitest.Frameworks, "a") == nil },
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.startAt(0)
			w.running("a", tt.spec)
			w.EndPod("a-w-0", tt.code)
			w.eventually("it waits", func() bool { return tt.waits(w) })
			w.stop()

			before := len(w.Requests("get frameworks"))
			w.startAt(-behind)
			w.requested("get frameworks", before+1)
			w.never("done too early", func() bool { return tt.done(w) })
			w.stop()
			left := w.c.queue.records.get(cache.NewObjectName("default", "a")).schedule.wakeAt.Sub(time.Now().Add(-behind))
			if left <= 0 || left > delay+behind {
				t.Errorf("it is to be done in %s by a clock that is behind by %s, after a delay of %s", left, behind, delay)
			}

			w.startAt(delay + time.Second)
			w.eventually("done", func() bool { return tt.done(w) })
		})
	}
}

// Frameworks reach their ends through many lives of the controller, each with a different clock.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	w := newWorld(t)
	w.runPods(failFirstAttempt)
	const n, most = 5, 10 * time.Minute
	for i := range n {
		w.create(fmt.Sprintf("a%d", i), tasks(2), func(s *v1.FrameworkSpec) {
			s.RetryPolicy = v1.RetryPolicySpec{MaxRetryCount: 1, Backoff: backoff(30)}
		})
	}
	for range 8 {
		w.startAt(time.Duration(random.Int64N(int64(2*most))) - most)
		w.within(time.Duration(random.IntN(300))*time.Millisecond, func() bool { return false })
		w.stop()
	}
	w.startAt(most) // now all delays have begun
	w.eventually("all have failed once", func() bool {
		for i := range n {
			s := w.status(fmt.Sprintf("a%d", i))
			if s == nil || s.State != v1.AttemptCompleted && s.AttemptStatus.ID == 0 {
				return false
			}
		}
		return true
	})
	w.stop()
	w.startAt(most + time.Minute) // now they are over
	for i := range n {
		w.reaches(fmt.Sprintf("a%d", i), v1.Completed)
		w.requireSuccessOnRetry(fmt.Sprintf("a%d", i), 2)
	}
}

package flowcontrol

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/tools/cache"
)

const slotsInTest = 8

// runPool runs the pool for a test in a bubble, and ends it with the test.
func runPool(t *testing.T, p *Pool, test func()) {
	var running sync.WaitGroup
	running.Go(func() { p.Run(t.Context(), slotsInTest) })
	test()
	p.Close()
	running.Wait()
}

// crowd counts jobs.
type crowd struct{ now, most, ever atomic.Int32 }

// submit makes each of some Frameworks of the namespace run more jobs than there are slots; each job lasts until wait returns.
func (c *crowd) submit(p *Pool, namespace string, frameworks int, wait func()) {
	for f := range frameworks {
		for range 10 * slotsInTest {
			p.Submit(cache.NewObjectName(namespace, fmt.Sprint(f)), true, wantedJob(func(context.Context) {
				c.ever.Add(1)
				c.most.Store(max(c.now.Add(1), c.most.Load()))
				wait()
				c.now.Add(-1)
			}))
		}
	}
}

// Frameworks of one namespace that hang together delay other waiting ones only for a moment, and are limited themselves.
func TestNamespaceThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := NewPool()
		runPool(t, p, func() {
			var hanging, others crowd
			hold := make(chan struct{})
			hanging.submit(p, "hangs", 6, func() { <-hold })
			synctest.Wait()
			others.submit(p, "other", 1, func() {})
			time.Sleep(handoffAfter)
			synctest.Wait()
			if n := others.ever.Load(); n != 10*slotsInTest {
				t.Errorf("%d jobs of another namespace are done", n)
			}
			time.Sleep(10 * handoffAfter)
			if n := hanging.now.Load(); n != slotsInTest {
				t.Errorf("%d jobs hang", n)
			}
			hold <- struct{}{}
			synctest.Wait()
			if n := hanging.ever.Load(); n != slotsInTest+1 {
				t.Errorf("after the end of one, %d have begun", n)
			}
			p.Close()
			close(hold)
		})
	})
}

// Where everything is slow, there is an end to the slots that are handed off.
func TestEverythingHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := NewPool()
		runPool(t, p, func() {
			var hanging crowd
			hold := make(chan struct{})
			for i := range 10 {
				hanging.submit(p, fmt.Sprint(i), 2, func() { <-hold })
			}
			time.Sleep(20 * handoffAfter)
			synctest.Wait()
			if n := hanging.now.Load(); n != (1+handoffFactor)*slotsInTest {
				t.Errorf("%d jobs hang", n)
			}
			p.Close()
			close(hold)
		})
	})
}

// Jobs that cannot hand off their slots, because too many have done so, do it as soon as possible.
func TestSlotsAreHandedOffLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := NewPool()
		runPool(t, p, func() {
			one := func(namespace string, wait time.Duration, begun func()) {
				do := func(context.Context) { begun(); time.Sleep(wait) }
				for i := range slotsInTest {
					p.Submit(cache.NewObjectName(namespace, fmt.Sprint(i)), true, wantedJob(do))
				}
			}
			for i := range handoffFactor {
				one(fmt.Sprint(i), 10*handoffAfter, func() {})
			}
			one("longer", time.Hour, func() {})
			start, longest := time.Now(), atomic.Int64{}
			one("other", 0, func() { longest.Store(int64(time.Since(start))) })
			time.Sleep(2 * time.Hour)
			if waited := time.Duration(longest.Load()); waited < 10*handoffAfter || waited > 12*handoffAfter {
				t.Errorf("the others have waited for %v", waited)
			}
		})
	})
}

// Jobs that are in time have their slots and no more, also after others were late.
func TestJobsInTimeKeepToTheSlots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := NewPool()
		runPool(t, p, func() {
			for _, took := range []time.Duration{handoffAfter / 2, 3 * handoffAfter, handoffAfter / 2} {
				var jobs crowd
				for i := range 3 {
					jobs.submit(p, fmt.Sprint(i), 2, func() { time.Sleep(took) })
				}
				time.Sleep(time.Hour)
				if late := took > handoffAfter; (jobs.most.Load() > slotsInTest) != late || jobs.ever.Load() != 60*slotsInTest {
					t.Errorf("jobs of %v: %d at the same time, %d in all", took, jobs.most.Load(), jobs.ever.Load())
				}
			}
		})
	})
}

// Behind a client-side limit of the rate all are late, and keep their slots.
func TestPoolWithoutHandoff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := NewPool()
		p.DisableHandoff = true
		runPool(t, p, func() {
			var jobs crowd
			for i := range 3 {
				jobs.submit(p, fmt.Sprint(i), 2, func() { time.Sleep(3 * handoffAfter) })
			}
			time.Sleep(time.Hour)
			if n := jobs.most.Load(); n != slotsInTest {
				t.Errorf("%d at the same time", n)
			}
		})
	})
}

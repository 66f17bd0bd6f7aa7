package controller

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

const placesInTest = 8

// runPool runs the pool for a test in a bubble, and ends it with the test's part of it.
func runPool(t *testing.T, p *pool, test func()) {
	var running sync.WaitGroup
	running.Go(func() { p.run(t.Context(), placesInTest) })
	test()
	p.close()
	running.Wait()
}

// crowd counts jobs.
type crowd struct{ now, most, ever atomic.Int32 }

// submit has each of some Frameworks of the namespace do more jobs than there are places, which last as long as wait does.
func (c *crowd) submit(p *pool, namespace string, frameworks int, wait func()) {
	for f := range frameworks {
		for range 10 * placesInTest {
			p.submit(cache.NewObjectName(namespace, fmt.Sprint(f)), true, wantedJob(func(context.Context) {
				c.ever.Add(1)
				c.most.Store(max(c.now.Add(1), c.most.Load()))
				wait()
				c.now.Add(-1)
			}))
		}
	}
}

// Frameworks of one namespace that hang together keep those of others waiting for a moment, and have a limit themselves.
func TestNamespaceThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPool()
		runPool(t, p, func() {
			var hanging, others crowd
			hold := make(chan struct{})
			hanging.submit(p, "hangs", 6, func() { <-hold })
			synctest.Wait()
			others.submit(p, "other", 1, func() {})
			time.Sleep(longestJob)
			synctest.Wait()
			if n := others.ever.Load(); n != 10*placesInTest {
				t.Errorf("%d jobs of another namespace are done", n)
			}
			time.Sleep(10 * longestJob)
			if n := hanging.now.Load(); n != placesInTest {
				t.Errorf("%d jobs hang", n)
			}
			hold <- struct{}{}
			synctest.Wait()
			if n := hanging.ever.Load(); n != placesInTest+1 {
				t.Errorf("after the end of one, %d have begun", n)
			}
			p.close()
			close(hold)
		})
	})
}

// Where everything is slow, there is an end to the places that are given back.
func TestEverythingHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPool()
		runPool(t, p, func() {
			var hanging crowd
			hold := make(chan struct{})
			for i := range 10 {
				hanging.submit(p, fmt.Sprint(i), 2, func() { <-hold })
			}
			time.Sleep(20 * longestJob)
			synctest.Wait()
			if n := hanging.now.Load(); n != (1+lateJobs)*placesInTest {
				t.Errorf("%d jobs hang", n)
			}
			p.close()
			close(hold)
		})
	})
}

// Those for which there was no room among the late ones give their places back once there is.
func TestPlacesAreGivenBackLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPool()
		runPool(t, p, func() {
			one := func(namespace string, wait time.Duration, begun func()) {
				do := func(context.Context) { begun(); time.Sleep(wait) }
				for i := range placesInTest {
					p.submit(cache.NewObjectName(namespace, fmt.Sprint(i)), true, wantedJob(do))
				}
			}
			for i := range lateJobs {
				one(fmt.Sprint(i), 10*longestJob, func() {})
			}
			one("longer", time.Hour, func() {})
			start, waited := time.Now(), time.Duration(0)
			one("other", 0, func() { waited = time.Since(start) })
			time.Sleep(2 * time.Hour)
			if waited < 10*longestJob || waited > 12*longestJob {
				t.Errorf("the others have waited for %v", waited)
			}
		})
	})
}

// Jobs that are in time have their places and no more, also after others were late.
func TestJobsInTimeKeepToThePlaces(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPool()
		runPool(t, p, func() {
			for _, took := range []time.Duration{longestJob / 2, 3 * longestJob, longestJob / 2} {
				var jobs crowd
				for i := range 3 {
					jobs.submit(p, fmt.Sprint(i), 2, func() { time.Sleep(took) })
				}
				time.Sleep(time.Hour)
				if late := took > longestJob; (jobs.most.Load() > placesInTest) != late || jobs.ever.Load() != 60*placesInTest {
					t.Errorf("jobs of %v: %d at the same time, %d in all", took, jobs.most.Load(), jobs.ever.Load())
				}
			}
		})
	})
}

// Behind a client-side limit of the rate all are late, and keep their places.
func TestPatientPool(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPool()
		p.patient = true
		runPool(t, p, func() {
			var jobs crowd
			for i := range 3 {
				jobs.submit(p, fmt.Sprint(i), 2, func() { time.Sleep(3 * longestJob) })
			}
			time.Sleep(time.Hour)
			if n := jobs.most.Load(); n != placesInTest {
				t.Errorf("%d at the same time", n)
			}
		})
	})
}

// A client rate that is set makes the pool patient.
func TestClientRateMakesPatient(t *testing.T) {
	t.Parallel()
	for qps, want := range map[float32]bool{0: false, 80: true} {
		w := newWorld(t)
		w.config.QPS = qps
		clients, err := NewClients(w.config)
		if err != nil {
			t.Fatal(err)
		}
		c, err := New(clients, w.options)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.reporter.stop)
		if c.performer.pool.patient != want {
			t.Errorf("with a rate of %v it is patient: %t", qps, c.performer.pool.patient)
		}
	}
}

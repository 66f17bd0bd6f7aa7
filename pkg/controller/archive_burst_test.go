package controller

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// burdenedSink needs time for each call, and handles eight calls at a time, as a plugin does. If it hangs, a call times out, and
// nothing is stored.
type burdenedSink struct {
	adviser
	policy pluginhost.FailurePolicy
	takes  time.Duration
	hangs  bool
	look   func() // in each call
	calls  chan struct{}

	mu              sync.Mutex
	offered, stored map[string]int // numbers by key
}

func newBurdenedSink() *burdenedSink {
	return &burdenedSink{adviser: adviser{plugin.KindHistorySink}, calls: make(chan struct{}, 8), offered: map[string]int{}, stored: map[string]int{}}
}

func (s *burdenedSink) Config(name string) (pluginhost.Config, bool) {
	return pluginhost.Config{Name: adviserName, Kind: plugin.KindHistorySink, FailurePolicy: s.policy}, name == adviserName
}

func (s *burdenedSink) Store(ctx context.Context, _ string, records []*pluginpb.Record) (map[string]bool, pluginhost.Source, error) {
	s.calls <- struct{}{}
	defer func() { <-s.calls }()
	s.look()
	for range (len(records) + plugin.MaxRecords - 1) / plugin.MaxRecords {
		select {
		case <-time.After(s.takes):
		case <-ctx.Done():
			return nil, pluginhost.Source{}, ctx.Err()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	keys := map[string]bool{}
	for _, r := range records {
		keys[r.GetKey()] = true
	}
	for key := range keys {
		s.offered[key]++
	}
	if s.hangs {
		return nil, pluginhost.Source{}, errors.New("no answer in time")
	}
	for key := range keys {
		s.stored[key]++
	}
	return keys, adviserSource, nil
}

// peaks are the most that waited for a sink at a time.
type peaks struct {
	bytes, early, turns int
	heap                uint64
}

func (p *peaks) look(a *archiver) {
	a.outbox.mu.Lock()
	p.bytes = max(p.bytes, a.outbox.bytes)
	a.outbox.mu.Unlock()
	a.early.mu.Lock()
	p.early = max(p.early, len(a.early.waiting))
	a.early.mu.Unlock()
	p.turns = max(p.turns, len(a.turns))
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	p.heap = max(p.heap, memory.HeapAlloc)
}

// When 500 Pods end at once, a slow sink gets each record, and a hanging one delays nothing for long: every record that it lacks is
// counted. The records waiting for either are bounded.
func TestArchiveOfManyEnds(t *testing.T) {
	frameworks, each := 10, int32(50)
	for name, test := range map[string]struct {
		policy pluginhost.FailurePolicy
		takes  time.Duration
		hangs  bool
		within time.Duration // from the end of the Pods to the end of the last Framework
	}{
		"slow":                 {policy: pluginhost.Wait, takes: 20 * time.Millisecond, within: 10 * time.Second},
		"hangs and is skipped": {policy: pluginhost.Drop, takes: 5 * time.Second, hangs: true, within: 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(w *world) {
				t := w.t
				w.tampered = true // comparing all statuses with each other would take minutes
				s, n := newBurdenedSink(), &tally{}
				s.policy, s.takes, s.hangs = test.policy, test.takes, test.hangs
				var mu sync.Mutex
				var most peaks
				s.look = func() {
					mu.Lock()
					defer mu.Unlock()
					most.look(w.c.asker.archiver)
				}
				w.options.Observer, w.options.Plugins = n, consult.New(s, nil)
				w.start()
				w.endMany(frameworks, each, test.within)
				time.Sleep(30 * time.Minute) // for the records for which nothing waits
				w.stop()
				w.requireNothingKept()
				require.LessOrEqual(t, most.bytes, outboxBytes)
				require.LessOrEqual(t, most.early, earlyAtMost)
				require.LessOrEqual(t, most.turns, turnsAtMost)
				dropped := n.dropped()
				t.Logf("%d records, %d stored, %d dropped; at most %d KiB and %d Tasks waited, and %d questions were under way", len(s.offered), len(s.stored),
					dropped, most.bytes>>10, most.early, most.turns)
				if test.hangs {
					require.Empty(t, s.stored)
					require.GreaterOrEqual(t, dropped, len(s.offered))
					require.Less(t, dropped, len(s.offered)*11/10, "no record is sent and counted again and again")
					require.Equal(t, 1, w.warnings("a0")["HistoryDropped"])
					return
				}
				require.Zero(t, dropped)
				attempts := 0
				for key := range s.stored {
					if strings.Contains(key, "/task/") {
						attempts++
					}
				}
				require.GreaterOrEqual(t, attempts, frameworks*int(each))
				require.Len(t, s.stored, len(s.offered))
			})
		})
	}
}

// endMany creates Frameworks with `each` Tasks per Framework, whose Pods all end at once.
func (w *world) endMany(frameworks int, each int32, within time.Duration) {
	w.t.Helper()
	name := func(i int) string { return fmt.Sprint("a", i) }
	for i := range frameworks {
		w.create(name(i), tasks(each), policy(-1, -1))
	}
	time.Sleep(30 * time.Second) // in a bubble this is faster than looking at all Tasks
	for i := range frameworks {
		require.Equal(w.t, v1.AttemptPreparing, w.task(name(i), "w", int(each)-1).State)
	}
	for i := range frameworks {
		for task := range each {
			w.EndPod(v1.PodName(name(i), "w", task), 1)
		}
	}
	begun := time.Now()
	for i := range frameworks {
		for w.state(name(i)) != v1.Completed {
			time.Sleep(100 * time.Millisecond)
			require.Less(w.t, time.Since(begun), within, name(i))
		}
	}
	w.t.Logf("the Frameworks have ended %s after their Pods", time.Since(begun))
}

// When 10,000 Frameworks of one Task end at once, a slow sink gets each record, and each record that a hanging sink lacks is counted
// once. The memory for them stays small.
func TestArchiveOfTenThousand(t *testing.T) {
	const frameworks, letters, records = 10_000, 3, 4
	for name, hangs := range map[string]bool{"slow": false, "hangs and is skipped": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, n := newBurdenedSink(), &tally{}
				s.policy, s.takes, s.hangs = pluginhost.Drop, 20*time.Millisecond, hangs
				if hangs {
					s.takes = 5 * time.Second
				}
				var underWay sync.WaitGroup
				a := &archiver{panel: consult.New(s, nil), reporter: &reporter{observer: n}, log: hclog.NewNullLogger(), ctx: t.Context(),
					underWay: &underWay, turns: make(chan struct{}, turnsAtMost)}
				var mu sync.Mutex
				var before, most peaks
				before.look(a)
				s.look = func() {
					mu.Lock()
					defer mu.Unlock()
					most.look(a)
				}
				begun := time.Now()
				for i := range frameworks {
					a.sendLater(cache.NewObjectName("default", fmt.Sprint(i)), recordsOf(fmt.Sprint(i, "/happening/"), letters, 200))
					underWay.Go(func() {
						skipped := skippedPlugins{}
						make := func() []*pluginpb.Record { return recordsOf(fmt.Sprint(i, "/task/"), records, 1000) }
						assert.NoError(t, a.sendInTurn(t.Context(), make, skipped.add))
						for _, why := range skipped {
							n.HistoryDropped(notStored(why))
						}
					})
				}
				underWay.Wait()
				t.Logf("%d records stored, %d dropped in %s; at most %d KiB waited, and %d questions were under way; the heap has grown by %d MiB at most",
					len(s.stored), n.dropped(), time.Since(begun), most.bytes>>10, most.turns, (most.heap-before.heap)>>20)
				want := frameworks * (letters + records)
				if hangs {
					require.Equal(t, []int{0, want}, []int{len(s.stored), n.dropped()})
				} else {
					require.Equal(t, []int{want, 0}, []int{len(s.stored), n.dropped()})
				}
				require.LessOrEqual(t, most.turns, turnsAtMost)
				if !underRace {
					require.Less(t, most.heap-before.heap, uint64(128<<20))
				}
			})
		})
	}
}

func recordsOf(key string, n, size int) (all []*pluginpb.Record) {
	for i := range n {
		all = append(all, &pluginpb.Record{Key: fmt.Sprint(key, i), Framework: &pluginpb.Framework{Name: strings.Repeat("a", size)}})
	}
	return all
}

// requireNothingKept: no history records of ended Frameworks are kept.
func (w *world) requireNothingKept() {
	w.t.Helper()
	require.Zero(w.t, w.c.asker.archiver.outbox.bytes)
	for _, key := range w.c.queue.records.keys() {
		a := w.c.queue.records.get(key).archive
		require.Empty(w.t, a.pods)
	}
}

// dropped returns the number of records of the history that were dropped.
func (n *tally) dropped() (sum int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for what, times := range n.counts {
		var records int
		if _, err := fmt.Sscanf(what, "%d records dropped", &records); err == nil {
			sum += records * times
		}
	}
	return sum
}

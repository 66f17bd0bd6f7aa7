package pluginhost

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

func TestBatches(t *testing.T) {
	w := newWorld(t, config("p", "rpc"))
	w.ready("p")
	first := make(chan struct{})
	go func() {
		defer close(first)
		w.one("p", pod(0, "sleep 15ms"))
	}()
	w.until("a call under way", func() bool { return len(w.slot("p").calls) == 1 })
	var askers sync.WaitGroup
	var most atomic.Int32
	for i := 1; i <= 1000; i++ {
		askers.Go(func() {
			v, err := w.one("p", pod(i, ""))
			if err != nil || v.GetUid() != fmt.Sprintf("uid-%d", i) {
				t.Errorf("%v, %v", v, err)
				return
			}
			together, _ := strconv.Atoi(v.GetDiagnostics())
			for n := most.Load(); int32(together) > n && !most.CompareAndSwap(n, int32(together)); n = most.Load() {
			}
		})
	}
	askers.Wait()
	<-first
	if n := most.Load(); n < 2 || n > plugin.MaxBatch {
		t.Errorf("at most %d together", n)
	}
	if n := len(w.calls); n > 500 {
		t.Errorf("%d calls for 1001 Pods", n)
	}
}

// Questions of an asker that has given up are not asked, and two askers may mean the same Pod.
func TestTake(t *testing.T) {
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	here, gave := &asker{ctx: context.Background()}, &asker{ctx: gone}
	q := func(n, size int, a *asker, alone bool) *question {
		out := &question{pod: pod(n, ""), size: size, asker: a}
		if alone {
			out.group = &group{}
		}
		return out
	}
	b := newBatcher(&slot{})
	b.queue = []*question{q(0, 1, here, false), q(1, 1, gave, false), q(0, 1, here, false), q(2, batchBytes, here, false),
		q(3, 1, here, true), q(4, batchBytes+1, here, false), q(5, 1, here, false), q(6, 1, here, false)}
	var got []string
	for len(b.queue) > 0 {
		var names []string
		batch, _ := b.nextBatch(false)
		for _, q := range batch {
			names = append(names, strings.TrimPrefix(q.pod.Uid, "uid-"))
		}
		got = append(got, strings.Join(names, ""))
	}
	if want := []string{"0", "0", "2", "3", "4", "56"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A Pod on which the plugin crashes costs only its own verdict.
func TestPoison(t *testing.T) {
	w := newWorld(t, config("p", "rpc"))
	pods := []*pluginpb.FailedPod{pod(0, ""), pod(1, "crash"), pod(2, ""), pod(3, "")}
	v, _, err := w.Classify(context.Background(), "p", pods)
	if err != nil || len(v.Given) != 3 || len(v.Faults) != 1 {
		t.Fatalf("%v, %v", v, err)
	}
	wantFault(t, v.Faults["uid-1"], Crashed, "panic: on purpose")
}

// Questions that wait for their turn do not count as unanswered.
func TestQueuesAreNoFaults(t *testing.T) {
	c, p := config("c", "rpc"), config("p", "rpc")
	p.Kind = plugin.KindCompletionPolicy
	c.Timeout, p.Timeout = 500*time.Millisecond, 500*time.Millisecond
	w := newWorld(t, c, p)
	w.ready("c")
	w.ready("p")
	var askers sync.WaitGroup
	for i := range 60 {
		askers.Go(func() {
			_, _, err := w.Decide(context.Background(), "p",
				&pluginpb.DecideRequest{Framework: &pluginpb.Framework{Name: "sleep 250ms"}, Digest: strconv.Itoa(i)})
			if err != nil {
				t.Error(err)
			}
		})
	}
	var pods []*pluginpb.FailedPod
	for i := range 3000 { // 1.5 s of a plugin that judges one after the other
		pods = append(pods, pod(i, "queue 500us"))
	}
	v, _, err := w.Classify(context.Background(), "c", pods)
	if err != nil || len(v.Given) != len(pods) || len(v.Faults) > 0 {
		t.Errorf("%d verdicts, %d faults, %v", len(v.Given), len(v.Faults), err)
	}
	askers.Wait()
	for _, name := range []string{"c", "p"} {
		if h := w.health(name); h.Restarts != 0 || h.State != Ready {
			t.Errorf("health: %+v", h)
		}
	}
}

// One asker with many Pods does not make another wait until all of them are judged.
func TestAskersTakeTurns(t *testing.T) {
	w := newWorld(t, config("p", "rpc"))
	w.ready("p")
	var pods []*pluginpb.FailedPod
	for i := range 2000 {
		pods = append(pods, pod(i, "queue 1ms"))
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if _, _, err := w.Classify(context.Background(), "p", pods); err != nil {
			t.Error(err)
		}
	}()
	w.until("a call under way", func() bool { return len(w.slot("p").calls) > 0 })
	if _, err := w.one("p", pod(9999, "")); err != nil {
		t.Error(err)
	}
	select {
	case <-done:
		t.Error("the others were first")
	default:
	}
	<-done
}

package pluginhost

import (
	"context"
	"slices"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Limits of a call of Classify, beside plugin.MaxBatch; see also pace.
const (
	batchBytes = 2 << 20
	// Pods that arrive during a call wait for it, and go together in the next one; if it takes longer than this, they
	// go in another call.
	batchPatience = 20 * time.Millisecond
)

// asker is a caller that waits for verdicts on some Pods.
type asker struct {
	ctx  context.Context
	done chan struct{} // closed when every Pod has an outcome

	mu       sync.Mutex
	waiting  int
	outcomes map[string]outcome // by UID
	source   Source             // source of the last answer
}

// outcome is the result of a question. Neither field is set if the plugin has no opinion.
type outcome struct {
	verdict *pluginpb.Verdict
	fault   *Fault
}

func (a *asker) resolve(uid string, o outcome, source Source) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.outcomes[uid] = o
	if source != (Source{}) {
		a.source = source
	}
	if a.waiting--; a.waiting == 0 {
		close(a.done)
	}
}

// result returns the outcomes so far. Pods without an outcome get the fault.
func (a *asker) result(pods []*pluginpb.FailedPod, unresolved *Fault) (Verdicts, Source) {
	a.mu.Lock()
	defer a.mu.Unlock()
	v := Verdicts{Given: map[string]*pluginpb.Verdict{}, Faults: map[string]*Fault{}}
	for _, p := range pods {
		o, resolved := a.outcomes[p.GetUid()]
		if !resolved {
			o.fault = unresolved
		}
		if o.verdict != nil {
			v.Given[p.GetUid()] = o.verdict
		}
		if o.fault != nil {
			v.Faults[p.GetUid()] = o.fault
		}
	}
	return v, a.source
}

// question is a question about one Pod.
type question struct {
	pod        *pluginpb.FailedPod
	size       int
	asker      *asker
	group      *group // group in which it is asked; nil for any
	tries      bool   // it tries whether the circuit of its Framework may close
	failsAlone bool   // the plugin fails on it, but answers others
	turn       int    // lower ones go first
	retries    retries
}

// group is a set of questions that are asked in one call without others, because a call with them has failed.
type group struct {
	trial bool // the process has ended meanwhile
}

func (q *question) owner() owner { return ownerOf(q.pod.GetFramework()) }

func (q *question) onTrial() bool { return q.group != nil && q.group.trial }

func (q *question) resolve(o outcome, source Source) {
	q.asker.resolve(q.pod.GetUid(), o, source)
}

// batcher distributes Pods to be judged by one plugin over calls.
type batcher struct {
	slot    *slot
	running sync.WaitGroup // senders

	mu       sync.Mutex
	queue    []*question // in the order of turns
	turn     int         // turn of the last question taken
	pace     pace
	senders  int
	closed   bool
	claims   int            // senders that are about to take a group on trial
	inFlight map[string]int // calls under way, by namespace
	// Starts another sender; nil unless it is set.
	further *time.Timer
}

// perTurn is the number of Pods of one asker that go before the next asker's: ten thousand Pods of one Framework must not delay the single
// Pod of another.
const perTurn = 16

func newBatcher(s *slot) *batcher {
	return &batcher{slot: s, pace: newPace(), inFlight: map[string]int{}}
}

// close prevents further senders, and returns once none is left. Later questions have no process to go to.
func (b *batcher) close() {
	b.mu.Lock()
	b.closed = true
	if b.further != nil {
		b.further.Stop()
	}
	b.mu.Unlock()
	b.running.Wait()
	b.fail(b.slot.goneFault(), false)
}

// ask returns once each of the Pods, which have different UIDs, has an outcome, or when ctx ends.
func (b *batcher) ask(ctx context.Context, pods []*pluginpb.FailedPod) *asker {
	a := &asker{ctx: ctx, done: make(chan struct{}), waiting: len(pods), outcomes: map[string]outcome{}}
	b.mu.Lock()
	first := b.turn
	if len(b.queue) > 0 {
		first = b.queue[0].turn + 1
	}
	for i, p := range pods {
		b.queue = append(b.queue, &question{pod: p, size: proto.Size(p) + 8, asker: a, turn: first + i/perTurn})
	}
	slices.SortStableFunc(b.queue, func(x, y *question) int { return x.turn - y.turn })
	closed := b.closed
	b.sendLocked()
	b.mu.Unlock()
	if closed {
		b.fail(b.slot.goneFault(), false)
	}
	select {
	case <-a.done:
	case <-ctx.Done():
	}
	return a
}

// sendLocked ensures that a sender handles the queue.
func (b *batcher) sendLocked() {
	switch {
	case b.closed || len(b.queue) == 0 || b.senders == maxCalls:
	case b.senders == 0:
		b.startLocked()
	case b.further == nil:
		b.further = time.AfterFunc(batchPatience, b.sendFurther)
	}
}

// sendRest starts another sender if the call that begins now leaves questions in the queue.
func (b *batcher) sendRest() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sendLocked()
}

func (b *batcher) sendFurther() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.further = nil
	if !b.closed && len(b.queue) > 0 && b.senders < maxCalls {
		b.startLocked()
		b.sendLocked()
	}
}

func (b *batcher) startLocked() {
	b.senders++
	b.running.Go(b.drain)
}

// drain makes calls until the queue is empty.
func (b *batcher) drain() {
	for {
		trial := b.claim()
		v, fault := b.slot.acquire(b.slot.ctx, trial)
		if fault != nil {
			b.fail(fault, trial)
		} else {
			b.call(v)
		}
		if b.done() {
			return
		}
	}
}

// claim reports whether a sender shall take a group on trial.
func (b *batcher) claim() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.hasTrialLocked() {
		return false
	}
	b.claims++
	return true
}

// hasTrialLocked reports whether there is a group on trial that no sender has claimed.
func (b *batcher) hasTrialLocked() bool {
	groups := map[*group]bool{}
	for _, q := range b.queue {
		if q.onTrial() {
			groups[q.group] = true
		}
	}
	return len(groups) > b.claims
}

// done reports whether a sender has no work left. Questions that must wait for a call under way are left to the sender
// of that call.
func (b *batcher) done() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	isNext := func(q *question) bool { return !q.onTrial() && b.hasCapacityLocked(q) }
	if !b.hasTrialLocked() && !slices.ContainsFunc(b.queue, isNext) {
		b.senders--
		return true
	}
	b.sendLocked()
	return false
}

func (b *batcher) hasCapacityLocked(q *question) bool {
	return b.inFlight[q.owner().namespace] < maxNamespaceCalls
}

// fail gives all questions in the queue the same fault, including those that the sender has claimed.
func (b *batcher) fail(f *Fault, claimed bool) {
	b.mu.Lock()
	queue := b.queue
	b.queue = nil
	if claimed {
		b.claims--
	}
	b.mu.Unlock()
	for _, q := range queue {
		q.resolve(outcome{fault: f}, Source{})
	}
}

// nextBatch removes the questions of the next call from the queue. They belong to one namespace, so that their fate does not affect others.
// It also removes questions whose askers have given up, and returns questions that may not be asked now, with their faults.
func (b *batcher) nextBatch(trial bool) (batch []*question, held map[*question]*Fault) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if trial {
		b.claims--
	}
	var first, rest []*question
	held = map[*question]*Fault{}
	size, uids := 0, map[string]bool{}
	for i, q := range b.queue {
		if len(batch) > 0 && (len(batch) == b.pace.most && q.group == nil || size+q.size > batchBytes) {
			rest = append(rest, b.queue[i:]...)
			break
		}
		if q.asker.ctx.Err() != nil {
			continue
		}
		if !b.fitsLocked(q, batch, trial) || uids[q.pod.GetUid()] { // it belongs to another asker, and a UID identifies one Pod in a call
			rest = append(rest, q)
			continue
		}
		if fault, tries := b.admit(q); fault != nil {
			held[q] = fault
			continue
		} else if tries && !trial {
			first = append(first, q)
			continue
		}
		b.turn = q.turn
		batch, size = append(batch, q), size+q.size
		uids[q.pod.GetUid()] = true
	}
	b.queue = append(first, rest...)
	if len(batch) > 0 {
		b.inFlight[batch[0].owner().namespace]++
	}
	return batch, held
}

// fitsLocked reports whether a question can join a call with these questions.
func (b *batcher) fitsLocked(q *question, batch []*question, trial bool) bool {
	if len(batch) == 0 {
		return q.onTrial() == trial && (trial || b.hasCapacityLocked(q))
	}
	return q.group == batch[0].group && q.owner().namespace == batch[0].owner().namespace
}

// admit puts a question on trial if it tries whether a circuit may close.
func (b *batcher) admit(q *question) (fault *Fault, tries bool) {
	if q.tries {
		return nil, false
	}
	fault, q.tries = b.slot.admit(q.owner())
	if q.tries {
		q.group = &group{trial: true}
	}
	return fault, q.tries
}

package pluginhost

import (
	"slices"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// call asks the plugin about the first Pods of the queue.
func (b *batcher) call(v *permit) {
	batch, held := b.nextBatch(v.trial)
	for q, fault := range held {
		q.resolve(outcome{fault: fault}, Source{})
	}
	if len(batch) == 0 {
		b.slot.release(v, nil, abandoned)
		return
	}
	b.sendRest()
	pods := make([]*pluginpb.FailedPod, len(batch))
	for i, q := range batch {
		pods[i] = q.pod
		q.retries.begin(v.child)
	}
	b.slot.begin(v, batch)
	verdicts, fault, counted := b.slot.classify(v, pods)
	b.landed(batch)
	b.slot.countCrash(v, fault)
	source := Source{v.config.Name, v.child.version}
	if fault != nil {
		verdicts, source = allFaults(pods, fault), Source{}
	}
	back, done := b.slot.remaining(batch, v, verdicts, fault)
	if counted != nil && batch[0].failsAlone {
		b.slot.note(counted)
		b.slot.release(v, nil, abandoned)
	} else {
		b.slot.release(v, counted, outcomeOf(len(back) > 0))
	}
	b.putBack(back)
	for _, q := range done {
		uid := q.pod.GetUid()
		q.resolve(outcome{verdicts.Given[uid], verdicts.Faults[uid]}, source)
	}
}

// begin records the owners of the questions in a call.
func (s *slot) begin(v *permit, batch []*question) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var owners []owner
	suspicions := 0
	for _, q := range batch {
		if o := q.owner(); !slices.Contains(owners, o) {
			owners = append(owners, o)
		}
		suspicions = max(suspicions, q.retries.suspicions)
	}
	v.beginLocked(s, owners, suspicions)
}

// landed records the end of a call.
func (b *batcher) landed(batch []*question) {
	b.mu.Lock()
	defer b.mu.Unlock()
	namespace := batch[0].owner().namespace
	if b.inFlight[namespace]--; b.inFlight[namespace] == 0 {
		delete(b.inFlight, namespace)
	}
}

// remaining splits the questions of a call into questions to be asked again, if that may help, and finished ones. The fault is the call's:
// the plugin may have failed on one of many, or there were too many for its time.
func (s *slot) remaining(batch []*question, v *permit, verdicts Verdicts, fault *Fault) (back, done []*question) {
	ended := mayHaveEnded(v.child, fault)
	together := &group{trial: true}
	for _, q := range batch {
		f := verdicts.Faults[q.pod.GetUid()]
		q.retries.suspect(v, fault)
		switch {
		case f == nil:
			done = append(done, q)
			continue
		case v.isInnocent(fault):
			q.group = together
			q.retries.reset()
		case fault != nil && len(batch) > 1:
			q.group = &group{trial: ended}
			q.retries.reset()
		case q.retries.again(s, v.child, f):
			q.group, q.failsAlone = &group{trial: ended}, q.failsAlone || len(verdicts.Given) > 0
		default:
			done = append(done, q)
			continue
		}
		back = append(back, q)
	}
	return back, done
}

// putBack queues questions again before new ones, but after those already on trial.
func (b *batcher) putBack(back []*question) {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := 0
	for at < len(b.queue) && b.queue[at].onTrial() {
		at++
	}
	b.queue = slices.Insert(b.queue, at, back...)
}

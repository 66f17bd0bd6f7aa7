package pluginhost

import "time"

// retries counts how often one question is asked, which is again after faults that may pass. The zero value: not yet.
//
// A plugin that does not answer is gone on without after one attempt to restart it at least (decisions, "A plugin that
// does not answer"). So a question that gets no answer from a process which answers nobody else either has it restarted.
// One that answers others is left alone: it is the question that it does not answer, and they would lose theirs.
type retries struct {
	asked         int
	first         *child // that was asked first
	answersBefore int64  // how many calls it had answered by then
	// How often it was one of several questions of which one has ended a process; see countCrash.
	suspicions int
}

// reset forgets how often it was asked, as that tells nothing about it. A suspicion stays.
func (q *retries) reset() { *q = retries{suspicions: q.suspicions} }

// suspect notes what countCrash has found out about a call.
func (q *retries) suspect(v *permit, f *Fault) {
	if mayHaveEnded(v.child, f) {
		q.suspicions = v.suspicions
	}
}

// begin notes that a process is about to be asked.
func (q *retries) begin(ch *child) {
	if q.asked == 0 {
		q.first, q.answersBefore = ch, ch.answers.Load()
	}
	q.asked++
}

// again reports whether the question is to be asked once more after a fault of this process.
func (q *retries) again(s *slot, ch *child, f *Fault) bool {
	switch {
	case !f.mayPass() || q.asked > 2:
		return false
	case q.asked == 1:
		return true
	case f.Kind == Crashed:
		return ch.endedByUs() // which tells nothing about this question
	case f.Kind == Timeout && ch == q.first && ch.answers.Load() == q.answersBefore && s.mayRestart():
		ch.kill(unresponsive, "it has answered nothing for a while: "+f.Message)
		return true
	}
	return false
}

// mayRestart reports whether a process that answers nobody may be restarted for a question, and notes that it is. A
// question that is waited for comes again and again, and not each time a new process would do better.
func (s *slot) mayRestart() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mayRestartLocked()
}

// mayRestartLocked is mayRestart with the lock held.
func (s *slot) mayRestartLocked() bool {
	if !s.restarted.IsZero() && time.Since(s.restarted) < s.host.timing.healthy {
		return false
	}
	s.restarted = time.Now()
	return true
}

// mayPass reports whether the same question may be answered the next time.
func (f *Fault) mayPass() bool {
	switch f.Kind {
	case Timeout, Crashed, Failed, Invalid:
		return true
	}
	return false
}

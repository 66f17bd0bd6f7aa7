package pluginhost

import "time"

// retries counts how often one question is asked; it is repeated after faults that may pass. The zero value has not been asked.
//
// A plugin that does not answer is skipped only after at least one attempt to restart it (decisions, "A plugin that does not answer"). So
// if the process answers no other question either, an unanswered one causes a restart. A process that answers others is left alone: it
// fails on this question only, and the others would lose their answers.
type retries struct {
	asked         int
	first         *child // the first process asked
	answersBefore int64  // number of calls that it had answered by then
	// Number of times that it was one of several questions that may have ended a process; see countCrash.
	suspicions int
}

// reset forgets how often it was asked, if that shows nothing about the question. A suspicion stays.
func (q *retries) reset() { *q = retries{suspicions: q.suspicions} }

// suspect records countCrash's finding about a call.
func (q *retries) suspect(v *permit, f *Fault) {
	if mayHaveEnded(v.child, f) {
		q.suspicions = v.suspicions
	}
}

// begin records that a process is about to be asked.
func (q *retries) begin(ch *child) {
	if q.asked == 0 {
		q.first, q.answersBefore = ch, ch.answers.Load()
	}
	q.asked++
}

// again reports whether to repeat the question after a fault of this process.
func (q *retries) again(s *slot, ch *child, f *Fault) bool {
	switch {
	case !f.mayPass() || q.asked > 2:
		return false
	case q.asked == 1:
		return true
	case f.Kind == Crashed:
		return ch.endedByUs() // this shows nothing about the question
	case f.Kind == Timeout && ch == q.first && ch.answers.Load() == q.answersBefore && s.mayRestart():
		ch.kill(unresponsive, "it has not answered anything for a while: "+f.Message)
		return true
	}
	return false
}

// mayRestart reports whether a process that answers no question may be restarted for this one, and records the restart. A question that
// somebody waits for is repeated often, and a new process each time would not help.
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

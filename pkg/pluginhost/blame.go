package pluginhost

import "time"

// trialTime is the time for which nothing else is asked beside a question that may have ended the process. Most
// questions that crash a plugin do so at once; a slow one must not delay all others. It doubles with each end that
// leaves the cause open, up to the timeout of an answer.
const trialTime = 200 * time.Millisecond

// maxSuspicions is how often a question may be among several that may have ended a process. Up to then it is asked
// again as usual; after that, such ends count against the plugin.
const maxSuspicions = 3

// countCrash determines, at the first call that ended with its process, which question was to blame. If several
// namespaces were asking at the same time, that is unknown; then each call is repeated on trial, with nothing beside
// it. If the process ends during a trial, that call is to blame.
func (s *slot) countCrash(v *permit, fault *Fault) {
	if !mayHaveEnded(v.child, fault) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if v.child.crashCounted {
		return
	}
	v.child.crashCounted = true
	s.recordLocked(fault)
	var owners []owner
	suspects := s.suspectsOfLocked(v.child)
	for _, suspect := range suspects {
		suspect.blamed = len(suspects) == 1
		if !suspect.blamed {
			suspect.suspicions++
		}
		owners = append(owners, suspect.owners...)
	}
	if o, known := common(owners); known && v.supervisor == s.serving {
		s.countLocked(v, o, fault, true)
		v.supervisor.restartAtOnce()
	} else if v.supervisor == s.serving {
		s.countSuspicionsLocked(v, suspects, fault)
	}
}

// countSuspicionsLocked counts an end without a known culprit against the plugin, once for each question that several
// such ends have left unanswered.
func (s *slot) countSuspicionsLocked(v *permit, suspects []*permit, fault *Fault) {
	for _, suspect := range suspects {
		if suspect.suspicions >= maxSuspicions {
			s.countPluginLocked(v, suspect.owners[0].namespace, fault, true)
		}
	}
}

// mayHaveEnded reports whether the process ended for a reason that may lie in the questions under way.
func mayHaveEnded(ch *child, f *Fault) bool { return f != nil && f.Kind == Crashed && !ch.endedByUs() }

// isInnocent reports whether the process ended during a call because of another call, or of an unknown one. Nothing is
// then known about the call's questions, so they are asked again, on trial, unless that has failed several times. Call
// it only after countCrash.
func (v *permit) isInnocent(f *Fault) bool {
	return mayHaveEnded(v.child, f) && !v.blamed && v.suspicions < maxSuspicions
}

// suspectsOfLocked returns the permits that may have ended a process: those on trial, if there are any.
func (s *slot) suspectsOfLocked(ch *child) []*permit {
	var onTrial, all []*permit
	for v := range s.permits {
		if v.child != ch || len(v.owners) == 0 { // it has not begun
			continue
		}
		all = append(all, v)
		if v.trial {
			onTrial = append(onTrial, v)
		}
	}
	if len(onTrial) > 0 {
		return onTrial
	}
	return all
}

// countLocked counts a fault against its Framework, its namespace and the plugin. If no question gets an answer, the process is replaced,
// whoever asks.
func (s *slot) countLocked(v *permit, o owner, fault *Fault, end bool) {
	now := time.Now()
	for _, held := range s.circuits.fail(o, fault, end, now) {
		s.host.log.Named(s.name).Warn("plugin is not asked for a while", "about", held.String(), "reason", fault.Message)
	}
	s.countPluginLocked(v, o.namespace, fault, end)
}

// countPluginLocked counts a fault against the plugin only.
func (s *slot) countPluginLocked(v *permit, namespace string, fault *Fault, end bool) {
	opened := s.circuit.fail(s.limits(), fault, namespace, false, time.Now())
	if opened {
		time.AfterFunc(time.Until(s.circuit.until), s.wakeWaiting)
	}
	if opened || !end && s.circuit.faults >= circuitFaults && s.mayRestartLocked() {
		v.child.kill(unresponsive, "too many of its answers were faults, the last: "+fault.Message)
	}
}

// admit reports whether a question of that owner may be asked now: a fault if not. A question that tries whether a
// circuit may close is on trial.
func (s *slot) admit(o owner) (fault *Fault, onTrial bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	by, tries := s.circuits.admit(o, time.Now())
	if by == nil {
		return nil, tries
	}
	about := "this Framework"
	if by == s.circuits.known[o.ofNamespace()] {
		about = "the Frameworks of this namespace"
	}
	return s.serving.config.fault(CircuitOpened, "is not asked about %s for a while, because several such questions got no answer or ended the process; the last: %s",
		about, by.last.Message), false
}

// beginTrialLocked keeps other questions out for a short time.
func (s *slot) beginTrialLocked(v *permit) {
	s.onTrial = v
	v.others = time.AfterFunc(trialTime, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.endTrialLocked(v)
		s.wakeAllLocked()
	})
}

// beginLocked records the owners of the question for which a permit is used, and how often the question was suspected before.
func (v *permit) beginLocked(s *slot, owners []owner, suspicions int) {
	v.owners, v.suspicions = owners, suspicions
	if s.onTrial == v && suspicions > 1 {
		v.others.Reset(min(trialTime<<min(suspicions-1, 10), v.config.timeout()))
	}
}

// endTrialLocked lets other questions in, if this permit keeps them out.
func (s *slot) endTrialLocked(v *permit) {
	if s.onTrial == v {
		s.onTrial = nil
		v.others.Stop()
	}
}

package pluginhost

import "time"

// trialTime is for how long nothing else is asked beside a question that may have ended the process. Most that crash a
// plugin do so at once; one that takes longer must not hold up everybody. It doubles with each end that leaves open whose
// question it was, up to the time for an answer.
const trialTime = 200 * time.Millisecond

// maxSuspicions is how often a question may be among several that may have ended a process. Until then it is asked
// again as if nothing had happened; from then on such ends count against the plugin.
const maxSuspicions = 3

// countCrash finds out, at the first call that ended with its process, whose question it was. Of a process that was asked by
// several namespaces at the same time that is not known; then each call is made again on trial, with nothing beside it. One
// that is on trial when the process ends is the one.
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

// countSuspicionsLocked counts an end that nobody in particular is to blame for against the plugin. It counts for each
// question that several such ends have left without an answer.
func (s *slot) countSuspicionsLocked(v *permit, suspects []*permit, fault *Fault) {
	for _, suspect := range suspects {
		if suspect.suspicions >= maxSuspicions {
			s.countPluginLocked(v, suspect.owners[0].namespace, fault, true)
		}
	}
}

// mayHaveEnded reports whether the process has ended for a reason that the questions under way may have to do with.
func mayHaveEnded(ch *child, f *Fault) bool { return f != nil && f.Kind == Crashed && !ch.endedByUs() }

// isInnocent reports whether the process has ended during a call because of another call, or nobody knows of which. Then
// nothing is known about its questions, and they are asked again, on trial, unless that has led to nothing several times.
// Only after countCrash.
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

// countLocked counts a fault against the Framework that it came with, its namespace, and the plugin. If nobody gets answers any
// more, it is the process that has to be replaced, whoever asks.
func (s *slot) countLocked(v *permit, o owner, fault *Fault, end bool) {
	now := time.Now()
	for _, held := range s.circuits.fail(o, fault, end, now) {
		s.host.log.Named(s.name).Warn("plugin is not asked for a while", "about", held.String(), "reason", fault.Message)
	}
	s.countPluginLocked(v, o.namespace, fault, end)
}

// countPluginLocked counts a fault against the plugin only.
func (s *slot) countPluginLocked(v *permit, namespace string, fault *Fault, end bool) {
	opened := s.circuit.fail(ofPlugin, fault, namespace, false, time.Now())
	if opened {
		time.AfterFunc(time.Until(s.circuit.until), s.wakeWaiting)
	}
	if opened || !end && s.circuit.faults >= circuitFaults && s.mayRestartLocked() {
		v.child.kill(unresponsive, "too many of its answers were faults, the last: "+fault.Message)
	}
}

// admit reports whether a question of that owner may be asked now: a fault if it may not. One that tries whether it may
// again is on trial.
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
	return s.serving.config.fault(CircuitOpened, "is not asked about %s for a while, as several questions about them got no answer, or ended it; the last: %s",
		about, by.last.Message), false
}

// beginTrialLocked keeps others out, but not for long.
func (s *slot) beginTrialLocked(v *permit) {
	s.onTrial = v
	v.others = time.AfterFunc(trialTime, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.endTrialLocked(v)
		s.wakeAllLocked()
	})
}

// beginLocked notes whose question a permit is used for, and how often it was suspected before.
func (v *permit) beginLocked(s *slot, owners []owner, suspicions int) {
	v.owners, v.suspicions = owners, suspicions
	if s.onTrial == v && suspicions > 1 {
		v.others.Reset(min(trialTime<<min(suspicions-1, 10), v.config.timeout()))
	}
}

// endTrialLocked lets others in, if it is the one with that permit that keeps them out.
func (s *slot) endTrialLocked(v *permit) {
	if s.onTrial == v {
		s.onTrial = nil
		v.others.Stop()
	}
}

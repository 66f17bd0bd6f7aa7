package pluginhost

import (
	"context"
	"time"
)

// permit is the permission to ask a process once. It must be returned with release.
type permit struct {
	supervisor *supervisor
	child      *child
	config     Config
	trial      bool // it may have ended a process before
	// Owners of the question, set before it is asked; empty until then.
	owners []owner

	// Guarded by the lock of the slot.
	limit  *namespaceLimit // nil if it counts against none
	others *time.Timer     // lets others in, though it is on trial
	blamed bool            // its question alone has ended the process
	// Number of times that the question was one of several that may have ended a process.
	suspicions int
}

// acquireFor is acquire for a question with an owner.
func (s *slot) acquireFor(ctx context.Context, o owner, trial bool, suspicions int) (*permit, *Fault) {
	fault, tries := s.admit(o)
	if fault != nil {
		return nil, fault
	}
	l, fault := s.acquireNamespace(ctx, o)
	if fault != nil {
		s.giveUp(o, tries)
		return nil, fault
	}
	v, fault := s.acquire(ctx, trial || tries)
	if fault != nil {
		s.giveUp(o, tries)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if fault != nil {
		s.leaveNamespaceLocked(l, o)
		return nil, fault
	}
	v.limit = l
	v.beginLocked(s, []owner{o}, suspicions)
	return v, nil
}

// giveUp lets another question of that owner try, if the trying one was not asked.
func (s *slot) giveUp(o owner, tries bool) {
	if tries {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.circuits.cancel([]owner{o})
	}
}

// acquireNamespace waits until the namespace of the owner may have another call under way. The limit is nil if the call
// counts against no namespace.
func (s *slot) acquireNamespace(ctx context.Context, o owner) (*namespaceLimit, *Fault) {
	if o == nobody {
		return nil, nil
	}
	s.mu.Lock()
	l := s.namespaces.join(o.namespace)
	s.mu.Unlock()
	select {
	case l.calls <- struct{}{}:
		return l, nil
	case <-ctx.Done():
		s.mu.Lock()
		s.namespaces.release(o.namespace)
		s.mu.Unlock()
		return nil, s.overdueFault("is busy with other questions")
	}
}

// leaveNamespaceLocked ends a call that acquireNamespace has let in.
func (s *slot) leaveNamespaceLocked(l *namespaceLimit, o owner) {
	if l != nil {
		<-l.calls
		s.namespaces.release(o.namespace)
	}
}

// acquire waits until the plugin can be asked. It returns a fault if that cannot be expected soon, or ctx ends. The time for an answer
// begins afterwards: other questions, or a start of the process, do not affect it. The wait is bounded, as each call and each start is. A
// call on trial comes before others, and does not queue with them, since they wait for it.
func (s *slot) acquire(ctx context.Context, trial bool) (*permit, *Fault) {
	if trial {
		s.waitForTrial(1)
		defer s.waitForTrial(-1)
		return s.awaitPermit(ctx, trial)
	}
	select {
	case s.calls <- struct{}{}:
	case <-ctx.Done():
		return nil, s.overdueFault("is busy with other questions")
	}
	v, fault := s.awaitPermit(ctx, trial)
	if fault != nil {
		<-s.calls
	}
	return v, fault
}

func (s *slot) awaitPermit(ctx context.Context, trial bool) (*permit, *Fault) {
	for {
		v, fault, changed := s.tryAcquire(trial)
		if fault != nil || v != nil {
			return v, fault
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, s.overdueFault("did not start in time")
		}
	}
}

func (s *slot) waitForTrial(more int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.suspects += more
	s.wakeAllLocked()
}

// startsToWaitFor is the number of failed starts after which questions no longer wait for another. The first failure,
// which may be a crash, is always followed by an attempt to restart.
const startsToWaitFor = 2

// notSoonLocked returns why no process can be expected soon; nil if one runs or may be about to.
func (s *slot) notSoonLocked() *Fault {
	switch v := s.serving; {
	case s.removed:
		return s.goneFault()
	case v.refusal != nil:
		return v.refusal
	case v.failures >= startsToWaitFor:
		return v.failure
	}
	return nil
}

func (s *slot) tryAcquire(trial bool) (*permit, *Fault, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if fault := s.notSoonLocked(); fault != nil {
		return nil, fault, nil
	}
	v := s.serving
	c := v.config
	switch {
	case s.circuit.holdsBack(time.Now()):
		if s.circuit.tried(s.limits()) {
			return nil, s.circuitFaultLocked(c), nil
		}
		return nil, nil, s.changed
	case !v.aliveLocked(), len(s.permits) >= maxCalls, s.onTrial != nil, !trial && s.suspects > 0:
		return nil, nil, s.changed
	}
	s.circuit.allow(time.Now())
	v.calls++
	out := &permit{supervisor: v, child: v.child, config: c, trial: trial}
	s.permits[out] = true
	if trial {
		s.beginTrialLocked(out)
	}
	return out, nil, nil
}

// circuitFaultLocked is the fault of a question that the circuit keeps from the plugin.
func (s *slot) circuitFaultLocked(c Config) *Fault {
	return c.fault(CircuitOpened, "is not asked for a while after %d questions in a row without an answer, the last: %s", s.circuit.faults, s.circuit.last.Message)
}

func (s *slot) goneFault() *Fault {
	return Config{Name: s.name, Kind: s.kind}.fault(NotConfigured, "is no longer configured")
}

// overdueFault is the fault of a question that was not asked, or not answered, in time.
func (s *slot) overdueFault(what string) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.serving
	switch {
	case v.aliveLocked():
		return v.config.fault(Timeout, "%s", what)
	case v.failure != nil:
		return v.failure
	default:
		return v.config.fault(NotRunning, "%s", what)
	}
}

// callOutcome is the outcome of a permitted call.
type callOutcome int

const (
	answered  callOutcome = iota // possibly with a fault
	retried                      // failed, and the question is asked again
	abandoned                    // before an answer, which shows nothing about the plugin
)

func outcomeOf(again bool) callOutcome {
	if again {
		return retried
	}
	return answered
}

// release returns a permit. The fault is nil if there was none.
func (s *slot) release(v *permit, fault *Fault, how callOutcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	full := len(s.permits) >= maxCalls
	s.returnPermitLocked(v)
	current := v.supervisor == s.serving
	switch {
	case !current:
	case how == abandoned:
		s.circuit.cancel()
		s.circuits.cancel(v.owners)
	case fault == nil:
		v.child.answers.Add(1)
		s.circuit.succeed()
		s.circuits.succeed(v.owners)
	case fault.Kind == Crashed: // see countCrash
		s.circuit.cancel()
	default:
		s.recordLocked(fault)
		if how != retried || s.circuit.probing {
			o, _ := common(v.owners)
			s.countLocked(v, o, fault, false)
		}
	}
	if fault != nil && fault.Kind == Timeout {
		v.supervisor.checkSoon()
	}
	s.wakeLocked(fault != nil || how == abandoned || v.trial || s.onTrial != nil || s.suspects > 0)
	if full {
		s.wakeAllLocked()
	}
}

// returnPermitLocked returns the resources of a permit.
func (s *slot) returnPermitLocked(v *permit) {
	v.supervisor.calls--
	delete(s.permits, v)
	if !v.trial {
		<-s.calls // never blocks, as it holds our own entry
	}
	s.endTrialLocked(v)
	if v.limit != nil {
		s.leaveNamespaceLocked(v.limit, v.owners[0])
	}
}

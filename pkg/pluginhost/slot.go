package pluginhost

import (
	"context"
	"reflect"
	"sync"
	"time"
)

// maxCalls is how many calls of one plugin are under way at most; further questions wait.
const maxCalls = 8

// slot is a configured name: the process that answers under it, and the one that will.
type slot struct {
	host  *Host
	name  string
	kind  Kind
	calls chan struct{} // holds an entry for each call under way
	batch *batcher      // of a FailureClassifier
	// Ended by kill, and with it all supervisors.
	ctx    context.Context
	cancel context.CancelFunc

	mu      sync.Mutex
	changed chan struct{} // closed and replaced when something that somebody may wait for has changed
	serving *supervisor
	next    *supervisor // has a newer configuration, and takes over once it is ready; nil if there is none
	removed bool
	circuit circuit
	counted *Fault // the last that circuit has counted
	health  Health
	// when a process was last restarted for a question that it did not answer; zero if none was
	restarted time.Time
	leavers   int            // supervisors that are being retired
	leaving   sync.WaitGroup // the same
}

func newSlot(h *Host, c Config) *slot {
	s := &slot{host: h, name: c.Name, kind: c.Kind, calls: make(chan struct{}, maxCalls), changed: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.batch = newBatcher(s)
	s.health = Health{Name: c.Name, Kind: c.Kind, State: Starting, Since: time.Now()}
	s.mu.Lock() // the supervisor begins at once
	defer s.mu.Unlock()
	s.serving = newSupervisor(s, c)
	return s
}

// update is called, with the lock held, after every change.
func (s *slot) update() {
	s.wakeAll()
	h, v := &s.health, s.serving
	if state := s.state(); state != h.State {
		h.State, h.Since = state, time.Now()
	}
	h.PID, h.Restarts, h.ConsecutiveFaults = 0, max(0, v.starts-1), s.circuit.faults
	if v.child != nil {
		h.PID, h.Version = v.child.process.pid(), v.child.version
	}
	h.Replacement = ""
	if s.next != nil {
		h.Replacement = s.next.obstacle()
	}
	s.host.tell(s.name)
}

func (s *slot) state() State {
	switch v := s.serving; {
	case v.refusal != nil:
		return Refused
	case !s.circuit.closed():
		return CircuitOpen
	case v.alive():
		return Ready
	case v.child != nil || v.failures > 0:
		return Failing
	default:
		return Starting
	}
}

// obstacle is why a supervisor cannot take over.
func (v *supervisor) obstacle() string {
	switch {
	case v.refusal != nil:
		return v.refusal.Message
	case v.failure != nil:
		return v.failure.Message
	default:
		return "is being started"
	}
}

func (s *slot) snapshot() Health {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.health
}

func (s *slot) config(v *supervisor) Config {
	s.mu.Lock()
	defer s.mu.Unlock()
	return v.config
}

// record keeps a fault for people to see. The lock is held.
func (s *slot) record(f *Fault) {
	s.health.LastFault, s.health.LastFaultTime = f, time.Now()
}

// starting is called by a supervisor before each start.
func (s *slot) starting(v *supervisor) Config {
	s.mu.Lock()
	defer s.mu.Unlock()
	v.starts++
	v.refusal = nil
	if v == s.serving {
		s.update()
	}
	return v.config
}

// startsFiles is called by a supervisor that is about to start what these files contain.
func (s *slot) startsFiles(v *supervisor, fingerprint string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v.fingerprint = fingerprint
}

// rose is called by a supervisor whose process has described itself, or refused to.
func (s *slot) rose(v *supervisor, ch *child, refusal *Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v.child, v.refusal = ch, refusal
	if refusal == nil {
		v.failure, v.failures = nil, 0
	}
	if v == s.next && refusal == nil {
		s.takeOver()
	}
	if v == s.serving && refusal != nil {
		s.record(refusal)
	}
	s.update()
}

// fell is called by a supervisor whose process has ended, or could not be started.
func (s *slot) fell(v *supervisor, f *Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v.child, v.refusal, v.failure = nil, nil, f
	v.failures++
	if v == s.serving {
		s.record(f)
	}
	s.update()
}

// takeOver lets the next supervisor serve. The lock is held.
func (s *slot) takeOver() {
	s.retire(s.serving)
	s.serving, s.next = s.next, nil
	s.circuit = circuit{}
	s.health.LastFault, s.health.LastFaultTime, s.health.Version = nil, time.Time{}, ""
}

// retire ends a supervisor that has no new calls after those that are under way. The lock is held.
func (s *slot) retire(v *supervisor) {
	s.leavers++
	s.leaving.Go(func() {
		s.awaitCalls(v)
		v.stop()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.leavers--
	})
}

func (s *slot) awaitCalls(v *supervisor) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for v.calls > 0 {
		changed := s.changed
		s.mu.Unlock()
		<-changed
		s.mu.Lock()
	}
}

// reload makes a changed configuration, or changed files, take over. It reads the files.
func (s *slot) reload(c Config) {
	fingerprint, err := c.fingerprint(s.host.directory)
	s.mu.Lock()
	defer s.mu.Unlock()
	same := func(v *supervisor) bool {
		return v != nil && v.sameProcess(c) && (err != nil || v.fingerprint == "" || v.fingerprint == fingerprint)
	}
	switch {
	case same(s.serving):
		s.serving.config = c
		if s.next != nil {
			s.retire(s.next)
			s.next = nil
		}
	case same(s.next):
		s.next.config = c
	default:
		s.replace(c)
	}
	s.update()
}

// sameProcess reports whether a configuration differs at most in what the process does not see.
func (v *supervisor) sameProcess(c Config) bool {
	mine := v.config
	mine.Timeout, mine.FailurePolicy, mine.MemoryLimit = c.Timeout, c.FailurePolicy, c.MemoryLimit
	return reflect.DeepEqual(mine, c)
}

// replace starts a new configuration. One that does not answer anyway needs not be kept for it; one that is only being
// started again may. The lock is held.
func (s *slot) replace(c Config) {
	if s.next != nil {
		s.retire(s.next)
	}
	s.next = newSupervisor(s, c)
	if v := s.serving; v.failures >= startsToWaitFor || v.refusal != nil {
		s.takeOver()
	}
}

// remove ends everything after the calls under way. No question is taken any more.
func (s *slot) remove() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.removed {
		return
	}
	s.removed = true
	s.retire(s.serving)
	if s.next != nil {
		s.retire(s.next)
	}
	s.update()
}

// kill ends everything at once.
func (s *slot) kill() {
	s.remove()
	s.cancel()
}

// ended reports whether nothing is left of a slot that was removed.
func (s *slot) ended() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.removed && s.leavers == 0
}

// wait returns when nothing is left of a slot that was killed.
func (s *slot) wait() {
	s.leaving.Wait()
	s.batch.close()
}

// visit is the permission to ask a process one question. It has to be given back with leave.
type visit struct {
	supervisor *supervisor
	child      *child
	config     Config
}

// enter waits until the plugin can be asked. It is a fault if that is not to be expected soon, or ctx ends. The time for
// an answer begins afterwards: that others ask, or that the process is being started, tells nothing about the answer. The
// wait has an end nevertheless, as each call has, and each start.
func (s *slot) enter(ctx context.Context) (visit, *Fault) {
	select {
	case s.calls <- struct{}{}:
	case <-ctx.Done():
		return visit{}, s.late("is busy with other questions")
	}
	for {
		v, fault, changed := s.tryEnter()
		if fault != nil {
			<-s.calls
		}
		if fault != nil || v.child != nil {
			return v, fault
		}
		select {
		case <-changed:
		case <-ctx.Done():
			<-s.calls
			return visit{}, s.late("did not become ready in time")
		}
	}
}

// startsToWaitFor is how many starts may fail before questions do not wait for another. The first failure, which may be
// a crash, is always followed by an attempt to restart.
const startsToWaitFor = 2

func (s *slot) tryEnter() (visit, *Fault, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.serving
	c := v.config
	switch {
	case s.removed:
		return visit{}, s.goneFault(), nil
	case v.refusal != nil:
		return visit{}, v.refusal, nil
	case v.failures >= startsToWaitFor:
		return visit{}, v.failure, nil
	case s.circuit.holdsBack(time.Now()):
		if s.circuit.tried() {
			return visit{}, s.circuitFault(c), nil
		}
		return visit{}, nil, s.changed
	case !v.alive():
		return visit{}, nil, s.changed
	}
	s.circuit.allow(time.Now())
	v.calls++
	return visit{v, v.child, c}, nil, nil
}

// circuitFault is that of a question that the circuit keeps from the plugin. The lock is held.
func (s *slot) circuitFault(c Config) *Fault {
	return c.fault(CircuitOpened, "is not asked for a while after %d questions in a row without an answer, the last: %s", s.circuit.faults, s.counted.Message)
}

func (s *slot) goneFault() *Fault {
	return Config{Name: s.name, Kind: s.kind}.fault(NotConfigured, "is not configured any more")
}

// late is the fault of a question that could not be asked in time.
func (s *slot) late(what string) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.serving
	switch {
	case v.alive():
		return v.config.fault(Timeout, "%s", what)
	case v.failure != nil:
		return v.failure
	default:
		return v.config.fault(NotRunning, "%s", what)
	}
}

// manner is how a visit ended.
type manner int

const (
	answered manner = iota // or not, which is a fault
	repeated               // not with success, and the question is asked again
	gaveUp                 // before there was an answer, which tells nothing about the plugin
)

func mannerOf(again bool) manner {
	if again {
		return repeated
	}
	return answered
}

// leave ends a visit. The fault is nil if there was none.
func (s *slot) leave(v visit, fault *Fault, how manner) {
	<-s.calls
	s.mu.Lock()
	defer s.mu.Unlock()
	v.supervisor.calls--
	current := v.supervisor == s.serving
	switch {
	case !current:
	case how == gaveUp:
		s.circuit.cancel()
	case fault == nil:
		v.child.answers.Add(1)
		s.circuit.succeed()
	case how == repeated && fault.Kind != Crashed && !s.circuit.probing:
		s.record(fault)
	default:
		s.record(fault)
		s.count(v, fault)
	}
	if fault != nil && fault.Kind == Timeout {
		v.supervisor.suspect()
	}
	s.wake(fault != nil || how == gaveUp)
}

// count counts a fault against the plugin. The end of a process is one, however many calls end with it. The lock is held.
func (s *slot) count(v visit, fault *Fault) {
	if fault.Kind == Crashed {
		if v.child.mourned {
			s.circuit.cancel()
			return
		}
		v.child.mourned = true
	}
	s.counted = fault
	if s.circuit.fail(time.Now()) {
		v.child.kill(silence, "too many of its answers were faults, the last: "+fault.Message)
		time.AfterFunc(time.Until(s.circuit.until), s.lookAgain)
	}
}

// lookAgain wakes those who wait for the circuit.
func (s *slot) lookAgain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wakeAll()
}

// wake avoids the cost of update for the many answers that change nothing. The lock is held.
func (s *slot) wake(fault bool) {
	if fault || s.removed || s.health.ConsecutiveFaults > 0 || s.health.State != s.state() {
		s.update()
		return
	}
	if s.leavers > 0 {
		s.wakeAll()
	}
}

// wakeAll lets those who wait look again. The lock is held.
func (s *slot) wakeAll() {
	close(s.changed)
	s.changed = make(chan struct{})
}

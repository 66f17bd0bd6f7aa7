package pluginhost

import (
	"context"
	"reflect"
	"sync"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
)

// maxCalls is the maximum number of concurrent calls of one plugin; further questions wait.
const maxCalls = 8

// slot is a configured name: the process that answers under it, and its successor.
type slot struct {
	host  *Host
	name  string
	kind  plugin.Kind
	calls chan struct{} // holds an entry for each call under way that is not on trial
	batch *batcher      // only for a FailureClassifier
	// Holds an entry for each call for logs that waits for the process or is under way.
	logCalls chan struct{}
	// Ended by kill, and with it all supervisors.
	ctx    context.Context
	cancel context.CancelFunc

	mu      sync.Mutex
	changed chan struct{} // closed and replaced on each change that somebody may wait for
	serving *supervisor
	next    *supervisor // has a newer configuration, and takes over once it is ready; may be nil
	removed bool
	circuit circuit
	// Circuits of the Frameworks and namespaces whose questions were answered with faults.
	circuits   circuits
	namespaces namespaceLimits
	permits    map[*permit]bool // under way
	// The process that was ready last and has described itself; nil if there was none.
	described *child
	onTrial   *permit // keeps all others out; may be nil
	suspects  int     // number waiting for a trial
	health    Health
	// When a process was last restarted for a question that it did not answer; zero if never.
	restarted time.Time
	retiring  int            // supervisors that are being retired
	retired   sync.WaitGroup // the same
}

func newSlot(h *Host, c Config) *slot {
	s := &slot{host: h, name: c.Name, kind: c.Kind, calls: make(chan struct{}, maxCalls), logCalls: make(chan struct{}, maxLogCalls), changed: make(chan struct{}),
		namespaces: namespaceLimits{}, permits: map[*permit]bool{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.batch = newBatcher(s)
	s.health = Health{Name: c.Name, Kind: c.Kind, State: Starting, Since: time.Now()}
	s.mu.Lock() // the supervisor begins at once
	defer s.mu.Unlock()
	s.serving = newSupervisor(s, c)
	return s
}

// limits are the limits of the plugin's circuit.
func (s *slot) limits() limits {
	if s.kind == plugin.KindHistorySink {
		return ofSink
	}
	return ofPlugin
}

// updateLocked must be called, with the lock held, after every change.
func (s *slot) updateLocked() {
	s.wakeAllLocked()
	h, v := &s.health, s.serving
	if state := s.stateLocked(); state != h.State {
		h.State, h.Since = state, time.Now()
	}
	h.PID, h.Restarts, h.ConsecutiveFaults = 0, max(0, v.starts-1), s.circuit.faults
	if v.child != nil {
		h.PID, h.Version, h.Minor = v.child.process.pid(), v.child.version, v.child.minor
	}
	h.Replacement = ""
	if s.next != nil {
		h.Replacement = s.next.whyNotReadyLocked()
	}
	s.host.notify(s.name)
}

func (s *slot) stateLocked() State {
	switch v := s.serving; {
	case v.refusal != nil:
		return Refused
	case s.circuit.open:
		return CircuitOpen
	case v.aliveLocked():
		return Ready
	case v.child != nil || v.failures > 0:
		return Failing
	default:
		return Starting
	}
}

// whyNotReadyLocked returns why a supervisor cannot take over.
func (v *supervisor) whyNotReadyLocked() string {
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

// recordLocked keeps a fault for Health.
func (s *slot) recordLocked(f *Fault) {
	s.health.LastFault, s.health.LastFaultTime = f, time.Now()
}

// starting is called by a supervisor before each start.
func (s *slot) starting(v *supervisor) Config {
	s.mu.Lock()
	defer s.mu.Unlock()
	v.starts++
	v.refusal = nil
	if v == s.serving {
		s.updateLocked()
	}
	return v.config
}

// startsFiles is called by a supervisor that is about to start files with this fingerprint.
func (s *slot) startsFiles(v *supervisor, fingerprint string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v.fingerprint = fingerprint
}

// onReady is called by a supervisor whose process has described itself, or refused to.
func (s *slot) onReady(v *supervisor, ch *child, refusal *Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v.child, v.refusal = ch, refusal
	if refusal == nil {
		v.failure, v.failures = nil, 0
		s.described = ch
	}
	if v == s.next && refusal == nil {
		s.takeOverLocked()
	}
	if v == s.serving && refusal != nil {
		s.recordLocked(refusal)
	}
	s.updateLocked()
}

// onExit is called by a supervisor whose process has ended, or could not be started.
func (s *slot) onExit(v *supervisor, f *Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v.child, v.refusal, v.failure = nil, nil, f
	v.failures++
	if v == s.serving {
		s.recordLocked(f)
	}
	s.updateLocked()
}

// takeOverLocked lets the next supervisor serve.
func (s *slot) takeOverLocked() {
	s.retireLocked(s.serving)
	s.serving, s.next = s.next, nil
	s.circuit, s.circuits = circuit{}, circuits{}
	s.health.LastFault, s.health.LastFaultTime, s.health.Version = nil, time.Time{}, ""
}

// retireLocked ends a supervisor after its calls under way; it gets no new ones.
func (s *slot) retireLocked(v *supervisor) {
	s.retiring++
	s.retired.Go(func() {
		s.awaitCalls(v)
		v.stop()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.retiring--
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

// reload starts the replacement for a changed configuration or changed files. It reads the files.
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
			s.retireLocked(s.next)
			s.next = nil
		}
	case same(s.next):
		s.next.config = c
	default:
		s.replaceLocked(c)
	}
	s.updateLocked()
}

// sameProcess reports whether a configuration differs only in settings that the process does not see.
func (v *supervisor) sameProcess(c Config) bool {
	mine := v.config
	mine.Timeout, mine.FailurePolicy, mine.MemoryLimit = c.Timeout, c.FailurePolicy, c.MemoryLimit
	mine.FrameworkParameters, mine.Shadow = c.FrameworkParameters, c.Shadow
	return reflect.DeepEqual(mine, c)
}

// replaceLocked starts a new configuration. A current process that cannot answer is not kept for it, unless it is
// merely being restarted.
func (s *slot) replaceLocked(c Config) {
	if s.next != nil {
		s.retireLocked(s.next)
	}
	s.next = newSupervisor(s, c)
	if v := s.serving; v.failures >= startsToWaitFor || v.refusal != nil {
		s.takeOverLocked()
	}
}

// remove ends everything after the calls under way. No further question is accepted.
func (s *slot) remove() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.removed {
		return
	}
	s.removed = true
	s.retireLocked(s.serving)
	if s.next != nil {
		s.retireLocked(s.next)
	}
	s.updateLocked()
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
	return s.removed && s.retiring == 0
}

// wait returns when nothing is left of a slot that was killed.
func (s *slot) wait() {
	s.retired.Wait()
	s.batch.close()
}

// wakeWaiting wakes callers that wait for the circuit.
func (s *slot) wakeWaiting() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wakeAllLocked()
}

// wakeLocked avoids the cost of updateLocked for the many answers that change nothing.
func (s *slot) wakeLocked(fault bool) {
	if fault || s.removed || s.health.ConsecutiveFaults > 0 || s.health.State != s.stateLocked() {
		s.updateLocked()
		return
	}
	if s.retiring > 0 {
		s.wakeAllLocked()
	}
}

// wakeAllLocked makes all waiting callers check again.
func (s *slot) wakeAllLocked() {
	close(s.changed)
	s.changed = make(chan struct{})
}

package pluginhost

import (
	"context"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/hashicorp/go-hclog"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
)

// timing has the host's time limits; tests use shorter ones.
type timing struct {
	start         time.Duration // until the handshake
	grace         time.Duration // between the request to end and the kill
	healthCheck   time.Duration // between health checks
	healthTimeout time.Duration // for the answer to a health check, and to Describe, if the plugin's timeout is shorter
	memoryCheck   time.Duration // between checks of the memory in use
	backoffFirst  time.Duration // before the first restart, doubling
	backoffMost   time.Duration
	healthy       time.Duration // time after which the backoff starts again with backoffFirst
}

var defaultTiming = timing{
	start: 30 * time.Second, grace: 2 * time.Second, healthCheck: 10 * time.Second, healthTimeout: 5 * time.Second, memoryCheck: time.Second,
	backoffFirst: 200 * time.Millisecond, backoffMost: 30 * time.Second, healthy: time.Minute,
}

// missedChecks consecutive misses count as a hang. A busy machine may miss one.
const missedChecks = 2

// supervisor keeps a process of one configuration running. The state shared with its slot is guarded by the slot's
// lock.
type supervisor struct {
	slot   *slot
	log    hclog.Logger
	output *output

	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{}

	// A question got no answer: check whether the process hangs. Has room for one.
	checkNow chan struct{}
	// The process has ended because of a question, so the next one need not wait. Has room for one.
	restartNow chan struct{}

	// Guarded by slot.mu.
	config   Config
	child    *child // nil until it has described itself, or refused to
	refusal  *Fault // why it refused its parameters
	failure  *Fault // why the last process ended, or could not be started; nil once one is ready
	failures int    // since a process was last ready for long enough
	starts   int
	calls    int // under way
	// Fingerprint of the files that were started last, or are being started; empty before that, or if they cannot be read.
	fingerprint string
}

func newSupervisor(s *slot, c Config) *supervisor {
	log := s.host.log.Named(c.Name)
	v := &supervisor{slot: s, config: c, log: log, output: newOutput(log, time.Now),
		done: make(chan struct{}), checkNow: make(chan struct{}, 1), restartNow: make(chan struct{}, 1)}
	v.ctx, v.cancel = context.WithCancel(s.ctx)
	go v.run()
	return v
}

// aliveLocked reports whether there is a process that can be asked. It detects a process that has just ended, or is
// being killed, before the supervisor has cleaned up.
func (v *supervisor) aliveLocked() bool {
	if v.child == nil || v.child.killed.Load() != nil {
		return false
	}
	select {
	case <-v.child.process.ended:
		return false
	default:
		return true
	}
}

// run starts processes, one after the other, until the supervisor is cancelled.
func (v *supervisor) run() {
	defer close(v.done)
	t := v.slot.host.timing
	pause := backoff.NewExponentialBackOff(backoff.WithInitialInterval(t.backoffFirst),
		backoff.WithMaxInterval(t.backoffMost), backoff.WithMultiplier(2), backoff.WithMaxElapsedTime(0))
	for v.ctx.Err() == nil {
		began := time.Now()
		fault := v.once()
		if v.ctx.Err() != nil {
			return
		}
		if time.Since(began) >= t.healthy {
			pause.Reset()
		}
		again := pause.NextBackOff()
		v.slot.onExit(v, fault)
		v.log.Warn("plugin is not running", "reason", fault.Message, "restart_in", again.Round(time.Millisecond).String())
		select {
		case <-time.After(again):
		case <-v.restartNow:
			pause.Reset()
		case <-v.ctx.Done():
		}
	}
}

// once starts a process and returns why it ended.
func (v *supervisor) once() *Fault {
	c := v.slot.starting(v)
	v.output.begin()
	t := v.slot.host.timing
	ch, fault := v.launch(c)
	if fault != nil {
		return fault
	}
	fault = ch.describe(v.ctx, c, max(c.timeout(), t.healthTimeout))
	if fault != nil && fault.Kind != RefusedParameters {
		ch.end(0)
		return fault
	}
	v.slot.onReady(v, ch, fault)
	if fault != nil {
		v.log.Error("plugin refuses its parameters", "reason", fault.Message)
	} else {
		v.log.Info("plugin is ready", "version", ch.version, "protocol", fmt.Sprintf("%d.%d", plugin.Version, ch.minor), "pid", ch.process.pid())
		v.followHints(c, ch)
	}
	v.watch(ch)
	if v.ctx.Err() != nil {
		ch.end(t.grace)
		return c.fault(NotRunning, "was stopped")
	}
	ch.end(0)
	return ch.exitFault(c)
}

func (v *supervisor) launch(c Config) (*child, *Fault) {
	t := v.slot.host.timing
	fingerprint, err := c.fingerprint(v.slot.host.directory)
	v.slot.startsFiles(v, fingerprint)
	if err != nil {
		return nil, c.fault(NotRunning, "cannot be started: %v", err)
	}
	limit := func() int64 { return v.slot.config(v).memoryLimit() }
	return launch(v.ctx, c, v.slot.host.directory, v.output, t.start, func(ch *child) { ch.limitMemory(t.memoryCheck, limit) })
}

// watch returns when the process has ended, or should end.
func (v *supervisor) watch(ch *child) {
	tick := time.NewTicker(v.slot.host.timing.healthCheck)
	defer tick.Stop()
	missed := 0
	for {
		select {
		case <-ch.process.ended:
			return
		case <-v.ctx.Done():
			return
		case <-tick.C:
		case <-v.checkNow:
		}
		missed = v.checkHealth(ch, missed)
	}
}

// checkHealth checks the health of the process, and kills it after several consecutive misses.
func (v *supervisor) checkHealth(ch *child, missed int) int {
	err := ch.healthy(v.ctx, max(v.slot.config(v).timeout(), v.slot.host.timing.healthTimeout))
	if err == nil || v.ctx.Err() != nil {
		return 0
	}
	if missed++; missed < missedChecks {
		v.checkSoon()
		return missed
	}
	select {
	case <-ch.process.ended: // by itself; its own end explains more
	case <-v.ctx.Done():
	case <-time.After(exitNotice):
		ch.kill(unresponsive, "it did not answer health checks: "+err.Error())
	}
	return 0
}

// checkSoon makes the supervisor check the process before the next tick.
func (v *supervisor) checkSoon() {
	select {
	case v.checkNow <- struct{}{}:
	default:
	}
}

// restartAtOnce makes the supervisor restart an ended process without delay.
func (v *supervisor) restartAtOnce() {
	select {
	case v.restartNow <- struct{}{}:
	default:
	}
}

// stop ends the process and returns when it is gone, with its children.
func (v *supervisor) stop() {
	v.cancel()
	<-v.done
}

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
)

// leaseDuration is as short as it may be with writes that take a second, so that a run has many takeovers.
const leaseDuration = 3 * time.Second

var elected = []string{
	"--leader-elect", "--leader-elect-namespace=kube-system", "--leader-elect-lease-duration=" + leaseDuration.String(),
	"--leader-elect-renew-deadline=1500ms", "--leader-elect-retry-period=200ms",
}

// Log messages of a controller when it begins to lead, and when it ends because it no longer leads.
const (
	saysLeading = "election: leading"
	saysLost    = "the lease was lost"
)

// controller is a process under test. When it has ended, it is started again, as a cluster would.
type controller struct {
	cluster *cluster.Cluster
	binary  string
	args    []string
	dir     string // work dir
	log     string // output of all its lives
	skew    time.Duration
	figures *figures
	random  *rand.Rand // only for keep
	ended   func()

	mu      sync.Mutex
	life    *launch.Process // nil before the first
	retired bool
	over    chan struct{} // closed when no life follows
	fault   error         // the first end by itself
}

// live starts the controller. It keeps running until it is retired.
func (c *controller) live() error {
	c.over = make(chan struct{})
	if err := c.start(); err != nil {
		return err
	}
	go c.keep()
	return nil
}

func (c *controller) keep() {
	defer close(c.over)
	for {
		c.note(c.now())
		c.ended()
		time.Sleep(time.Duration(c.random.IntN(300)) * time.Millisecond)
		if err := c.start(); err != nil {
			c.fail(err)
			return
		}
		if c.isRetired() {
			return
		}
	}
}

// start begins a life, unless the controller is retired.
func (c *controller) start() (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.retired {
		return nil
	}
	o := launch.Options{
		Binary: c.binary, Args: append([]string{"-v=4", "--http-address=127.0.0.1:0"}, c.args...), Dir: c.dir, Log: c.log,
		Attributes: &syscall.SysProcAttr{Setpgid: true},
	}
	if c.skew > 0 {
		by := time.Duration(c.random.Int64N(int64(2*c.skew))) - c.skew
		o.Env = []string{skewVariable + "=" + strconv.Itoa(int(by.Seconds()))}
		c.figures.count("clocks: set")
	}
	life, err := launch.Controller(c.cluster, o)
	if err == nil {
		c.life = life
	}
	return err
}

// note waits for the end of a life, and decides whether that end is allowed. A controller that no longer leads has to end.
func (c *controller) note(life *launch.Process) {
	switch {
	case !life.EndedByItself():
	case strings.Contains(life.Text(), saysLost):
		c.figures.count("leases: lost")
	default:
		c.fail(fmt.Errorf("the controller has ended by itself (%v); see %s", life.Err(), c.log))
	}
}

func (c *controller) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fault == nil {
		c.fault = err
	}
}

// failed returns how the process ended, if it ended by itself.
func (c *controller) failed() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fault
}

func (c *controller) isRetired() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.retired
}

// end ends this life with a signal.
func (c *controller) end(signal syscall.Signal) { c.now().End(signal) }

// now is the current life, or the last one.
func (c *controller) now() *launch.Process {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.life
}

// retire ends the controller for good, and returns when it has ended.
func (c *controller) retire(signal syscall.Signal) {
	c.mu.Lock()
	c.retired = true
	c.mu.Unlock()
	c.end(signal)
	<-c.over
}

// freeze stops the process, as on a suspended machine, and resumes it after a while.
func (c *controller) freeze(ctx context.Context, d time.Duration) {
	life := c.now()
	if life.Signal(syscall.SIGSTOP) != nil {
		return
	}
	pause(ctx, d)
	life.Signal(syscall.SIGCONT)
}

// leads reports whether it has begun to lead in this life.
func (c *controller) leads() bool { return strings.Contains(c.now().Text(), saysLeading) }

// plugins are the processes that the controller has started, whichever of its threads it was.
func (c *controller) plugins() (out []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", c.now().PID()))
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for _, field := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(field); err == nil {
				out = append(out, pid)
			}
		}
	}
	return out
}

package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

// leaseDuration is as short as it may be with writes that take a second, so that a run has many takeovers.
const leaseDuration = 3 * time.Second

var elected = []string{
	"--leader-elect", "--leader-elect-namespace=kube-system", "--leader-elect-lease-duration=" + leaseDuration.String(),
	"--leader-elect-renew-deadline=1500ms", "--leader-elect-retry-period=200ms",
}

// What a controller says when it begins to lead, and when it ends because it does not lead any more.
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
	log     string // of all its lives
	skew    time.Duration
	figures *figures
	random  *rand.Rand // of keep only

	mu      sync.Mutex
	cmd     *exec.Cmd // nil before the first life
	begin   int64     // of this life's part of the log
	asked   bool      // this life was ended by us
	retired bool
	over    chan struct{} // closed when there is no life any more
	fault   error         // the first that has ended by itself
}

// live starts the controller. It goes on until it is retired.
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
		c.note(c.cmd.Wait())
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
func (c *controller) start() error {
	log, err := os.OpenFile(c.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.retired {
		return nil
	}
	if c.begin, err = log.Seek(0, io.SeekEnd); err != nil {
		return err
	}
	cmd := c.cluster.Command(context.Background(), c.binary, append([]string{"-v=4"}, c.args...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.dir, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if c.skew > 0 {
		by := time.Duration(c.random.Int64N(int64(2*c.skew))) - c.skew
		cmd.Env = append(cmd.Env, skewVariable+"="+strconv.Itoa(int(by.Seconds())))
		c.figures.count("clocks: set")
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting the controller: %w", err)
	}
	c.cmd, c.asked = cmd, false
	return nil
}

// note decides whether a life has ended as it may. One that does not lead any more has to end.
func (c *controller) note(err error) {
	switch c.mu.Lock(); {
	case c.asked:
		c.mu.Unlock()
	case c.says(saysLost):
		c.mu.Unlock()
		c.figures.count("leases: lost")
	default:
		c.mu.Unlock()
		c.fail(fmt.Errorf("the controller has ended by itself (%v); see %s", err, c.log))
	}
}

func (c *controller) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fault == nil {
		c.fault = err
	}
}

// failed says how the process ended, if it has by itself.
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
func (c *controller) end(signal syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = true
	c.cmd.Process.Signal(signal)
}

// retire ends the controller for good, and returns when it has ended.
func (c *controller) retire(signal syscall.Signal) {
	c.mu.Lock()
	c.retired = true
	c.mu.Unlock()
	c.end(signal)
	<-c.over
}

// freeze stops the process, as a machine that is suspended does, and lets it go on after a while.
func (c *controller) freeze(ctx context.Context, d time.Duration) {
	c.mu.Lock()
	process := c.cmd.Process
	c.mu.Unlock()
	if process.Signal(syscall.SIGSTOP) != nil {
		return
	}
	pause(ctx, d)
	process.Signal(syscall.SIGCONT)
}

// leads reports whether it has begun to lead in this life.
func (c *controller) leads() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.says(saysLeading)
}

// says reports whether this life's log has the words. The caller holds the lock.
func (c *controller) says(words string) bool {
	log, err := os.Open(c.log)
	if err != nil {
		return false
	}
	defer log.Close()
	text, err := io.ReadAll(io.NewSectionReader(log, c.begin, 1<<40))
	return err == nil && strings.Contains(string(text), words)
}

// plugins are the processes that the controller has started, whichever of its threads it was.
func (c *controller) plugins() (out []int) {
	c.mu.Lock()
	parent := c.cmd.Process.Pid
	c.mu.Unlock()
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent))
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

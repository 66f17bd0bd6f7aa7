package pluginhost

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-plugin/runner"
)

// process is one start of a plugin, and go-plugin's runner for it. Go-plugin's own runner would read its output without
// limit, kill it without its children, and start it on a thread that may end before it.
type process struct {
	cmd    *exec.Cmd
	output *output
	beside func() // called when the process runs; nil for nothing

	stdout, stderr *os.File // our ends
	handshake      *handshake
	readers        sync.WaitGroup

	ended chan struct{} // closed when the process has been waited for
	err   error         // reason; only after ended

	mu      sync.Mutex // guards against signalling an id after it was waited for
	running *os.Process
	id      int // also after the end; 0 before the start
}

var _ runner.Runner = (*process)(nil)

func newProcess(path string, args []string, output *output) *process {
	cmd := exec.Command(path, args...)
	cmd.Dir = "/"
	cmd.SysProcAttr = endWithParent()
	return &process{cmd: cmd, output: output, handshake: newHandshake(), ended: make(chan struct{})}
}

// Start returns when the process runs. It ignores ctx, as starting does not block.
func (p *process) Start(context.Context) error {
	stdout, err := p.pipe(&p.cmd.Stdout)
	if err != nil {
		return err
	}
	stderr, err := p.pipe(&p.cmd.Stderr)
	if err != nil {
		stdout.Close()
		return err
	}
	p.stdout, p.stderr = stdout, stderr
	started := make(chan error)
	// If it cannot be started, the readers find the end of the pipes at once.
	p.readers.Go(func() { p.handshake.read(p.stdout, p.output) })
	p.readers.Go(func() { p.output.copy(p.stderr) })
	go p.run(started)
	return <-started
}

func (p *process) pipe(theirs *io.Writer) (ours *os.File, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	*theirs = w
	return r, nil
}

// run starts the process, waits for it, and ends its leftovers. All of that is done on one thread, which is locked until then: on Linux, a
// child that should end with its parent ends with the thread that started it.
func (p *process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	p.cmd.Stdout.(*os.File).Close()
	p.cmd.Stderr.(*os.File).Close()
	if err != nil {
		p.err = err
		started <- err
		p.drain()
		close(p.ended)
		return
	}
	p.mu.Lock()
	p.running, p.id = p.cmd.Process, p.cmd.Process.Pid
	p.mu.Unlock()
	if p.beside != nil {
		go p.beside()
	}
	started <- nil
	waitForEnd(p.cmd.Process)
	p.reap()
	p.drain()
	close(p.ended)
}

func (p *process) reap() {
	p.mu.Lock()
	defer p.mu.Unlock()
	// Until it is waited for, its id is not given to another process or group.
	killGroup(p.cmd.Process)
	p.err = p.cmd.Wait()
	p.running = nil
	reapGroup(p.id)
}

// drainTime is how long the last output is read. A process of another group may keep the pipes open forever.
const drainTime = 200 * time.Millisecond

func (p *process) drain() {
	deadline := time.Now().Add(drainTime)
	p.stdout.SetReadDeadline(deadline)
	p.stderr.SetReadDeadline(deadline)
	p.readers.Wait()
	p.stdout.Close()
	p.stderr.Close()
}

// Wait until the process has ended.
func (p *process) Wait(context.Context) error {
	<-p.ended
	return p.err
}

// Kill ends the process and its children at once. It may be called at any time.
func (p *process) Kill(context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running != nil {
		killGroup(p.running)
	}
	return nil
}

// awaitEnd waits until nothing is left of a process that was killed, or was never started.
func (p *process) awaitEnd() {
	if p.stdout != nil {
		p.Kill(context.Background())
		<-p.ended
	}
}

// exited describes for people how the process ended; only after ended.
func (p *process) exited() string {
	how := "ended by itself"
	var exit *exec.ExitError
	switch {
	case errors.As(p.err, &exit):
		how = "ended with " + exit.String()
	case p.err != nil:
		how = "ended: " + p.err.Error()
	}
	if last := p.output.last(); last != "" {
		how += "; its last words: " + last
	}
	return how
}

// ID must not be empty, even before the process runs, or go-plugin does not clean up after a failed start.
func (p *process) ID() string { return "pid " + strconv.Itoa(p.pid()) }

func (p *process) pid() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.id
}

// Name is the command.
func (p *process) Name() string { return p.cmd.Path }

// Diagnose adds nothing.
func (p *process) Diagnose(context.Context) string { return "" }

// Stdout returns only the handshake.
func (p *process) Stdout() io.ReadCloser { return p.handshake }

// Stderr is empty for go-plugin; see output.
func (p *process) Stderr() io.ReadCloser { return io.NopCloser(strings.NewReader("")) }

// PluginToHost changes nothing, as plugins run on the same machine.
func (p *process) PluginToHost(network, address string) (string, string, error) {
	return network, address, nil
}

// HostToPlugin changes nothing either.
func (p *process) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}

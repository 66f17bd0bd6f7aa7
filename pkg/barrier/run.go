package barrier

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"syscall"
	"time"

	"github.com/hashicorp/go-hclog"
)

// Exit codes (contract 10.2). The controller's default failure rules match them.
const (
	ExitPassed = 0
	// ExitFailed: the last read at the deadline failed, no kubeconfig could be found, or a file could not be written.
	ExitFailed = 1
	// ExitNoClient: no client can be created from the kubeconfig. The original crashes with this code.
	ExitNoClient = 2
	// ExitTimeout: the timeout has passed, and the Framework is not ready. It is a transient conflict: the whole
	// attempt should release its resources, and retry later.
	ExitTimeout = 201
	// ExitInvalid: a setting is invalid, there is no such Framework, or the Pod's account may not read it. It is
	// permanent: a retry does not help.
	ExitInvalid = 210
	// exitSignal plus a signal's number is the exit code after that signal, as for a program that does not handle it.
	exitSignal = 128
)

// Signaled is the cause with which ctx is canceled when a signal ends the barrier.
type Signaled syscall.Signal

func (s Signaled) Error() string { return "ended by signal: " + syscall.Signal(s).String() }

// Options are the inputs of Run. All but TerminationLog must be set.
type Options struct {
	Getenv  func(name string) string
	Dir     string // where the files are written
	Version string
	Stderr  io.Writer // log
	// TerminationLog is the file from which Kubernetes reads the container's last words; they are written if it exists.
	// Empty for none.
	TerminationLog string
}

// lastLookTime is how long a read at the deadline is retried.
const lastLookTime = 10 * time.Second

// Run waits until the Framework is ready, and writes the files. It returns the exit code of the process.
func Run(ctx context.Context, o Options) int {
	log := hclog.New(&hclog.LoggerOptions{Name: "frameworkbarrier", Output: o.Stderr, Level: logLevel(o.Getenv)})
	code, err := run(ctx, o, log)
	if err != nil {
		log.Error("not passed", "exit_code", code, "error", err)
		lastWords(o.TerminationLog, err.Error())
	}
	return code
}

func logLevel(getenv func(string) string) hclog.Level {
	if level := hclog.LevelFromString(getenv("BARRIER_LOG_LEVEL")); level != hclog.NoLevel {
		return level
	}
	return hclog.Info
}

func run(ctx context.Context, o Options, log hclog.Logger) (int, error) {
	settings, err := readSettings(o.Getenv)
	if err != nil {
		return ExitInvalid, err
	}
	client, err := connect(o.Getenv, settings, o.Version)
	if errors.Is(err, errClient) {
		return ExitNoClient, err
	}
	if err != nil {
		return ExitFailed, err
	}
	log.Info("waiting until every task has an address", "version", o.Version,
		"framework", settings.Namespace+"/"+settings.Name, "api_server", client.collection.Host, "timeout", settings.Timeout)
	f, code, err := newWaiter(client, settings, log).decide(ctx)
	if err != nil {
		return code, err
	}
	if err := writeFiles(o.Dir, f); err != nil {
		return ExitFailed, err
	}
	log.Info("passed")
	return ExitPassed, nil
}

// decide waits until the deadline, and then reads once more. Without an error, the Framework is ready.
func (w *waiter) decide(ctx context.Context) (*framework, int, error) {
	waiting, cancel := context.WithTimeout(ctx, w.settings.Timeout)
	defer cancel()
	f, err := w.wait(waiting)
	switch {
	case err == nil:
		return f, ExitPassed, nil
	case errors.Is(err, errNotFound) || errors.Is(err, errForbidden):
		return nil, ExitInvalid, w.named(err)
	case ctx.Err() != nil:
		return nil, interrupted(ctx), context.Cause(ctx)
	}
	return w.lastLook(ctx)
}

// lastLook decides at the deadline. Only a Framework that is not ready is a timeout.
func (w *waiter) lastLook(ctx context.Context) (*framework, int, error) {
	f, err := w.insist(ctx)
	switch {
	case errors.Is(err, errNotFound):
		return nil, ExitInvalid, w.named(err)
	case ctx.Err() != nil:
		return nil, interrupted(ctx), context.Cause(ctx)
	case refusedWith(err) == http.StatusForbidden && !w.exists:
		return nil, ExitInvalid, w.named(fmt.Errorf("%w: %w", errForbidden, err))
	case err != nil:
		return nil, ExitFailed, fmt.Errorf("after %s: %w", w.settings.Timeout, w.named(err))
	case w.released(f):
		return f, ExitPassed, nil
	}
	err = fmt.Errorf("not ready after %s: %s", w.settings.Timeout, f.notReady())
	if role := w.roleNotReady(f); role != "" {
		err = fmt.Errorf("%w; %s", err, role)
	}
	return nil, ExitTimeout, err
}

// insist reads the Framework, with retries for a while.
func (w *waiter) insist(ctx context.Context) (f *framework, err error) {
	short, cancel := context.WithTimeout(ctx, w.insists)
	defer cancel()
	for pause := w.pauses.begin(); ; {
		// Each try has its own timeout: the previous one's may be over when the API server answers slowly.
		if f, err = w.get(ctx); err == nil || errors.Is(err, errNotFound) {
			return f, err
		}
		if sleep(short, longer(pause.NextBackOff(), err)) != nil {
			return nil, err
		}
	}
}

func (w *waiter) named(err error) error {
	return fmt.Errorf("framework %s/%s: %w", w.settings.Namespace, w.settings.Name, err)
}

func interrupted(ctx context.Context) int {
	if s := Signaled(0); errors.As(context.Cause(ctx), &s) {
		return exitSignal + int(s)
	}
	return ExitFailed
}

// lastWords are cut to Kubernetes' limit. A missing file is not created: then this is not a container.
func lastWords(path, text string) {
	if path == "" {
		return
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return
	}
	defer file.Close()
	_, _ = io.WriteString(file, abbreviate(text, 4096))
}

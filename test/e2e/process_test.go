package e2e

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
)

// process is the controller under test: its binary, in a work dir of its own. It is started, ended and started again
// by one goroutine at a time.
type process struct {
	binary string
	dir    string // work dir: the configuration is in it
	log    string // path of the log of all runs

	run   *launch.Process // the last life
	fault chan struct{}   // closed when a run ended by itself
}

// newProcess installs the controller below dir, and prepares its work dir there.
func newProcess(ctx context.Context, dir string) (*process, error) {
	p := &process{
		dir:   filepath.Join(dir, "controller"),
		log:   cmp.Or(*keepLog, filepath.Join(dir, "controller.log")),
		fault: make(chan struct{}),
	}
	err := os.RemoveAll(p.log)
	if err != nil {
		return nil, err
	}
	if p.binary, err = clustertest.Install(ctx, dir, clustertest.ControllerProgram, buildFlags...); err != nil {
		return nil, err
	}
	if _, err := clustertest.Install(ctx, dir, clustertest.PluginPrograms, buildFlags...); err != nil {
		return nil, err
	}
	return p, p.writeConfig()
}

func build(ctx context.Context, to, what string) error {
	return clustertest.Build(ctx, to, what, buildFlags...)
}

// conflictDelay is as short as a test can still see it.
const conflictDelay = `
frameworkMinRetryDelaySecForTransientConflictFailed: 2
frameworkMaxRetryDelaySecForTransientConflictFailed: 3
`

// writeConfig writes the configuration that we ship, with a shorter retry delay after conflicts.
func (p *process) writeConfig() error {
	shipped, err := os.ReadFile("../../example/config/default/frameworkcontroller.yaml")
	if err != nil {
		return err
	}
	if err := os.Mkdir(p.dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(p.dir, "frameworkcontroller.yaml"), append(shipped, conflictDelay...), 0o644)
}

func (p *process) start() (err error) {
	p.run, err = launch.Controller(kube, launch.Options{Binary: p.binary, Args: []string{"-v=4"}, Dir: p.dir, Log: p.log})
	if err != nil {
		return err
	}
	go func(run *launch.Process) {
		if run.EndedByItself() {
			close(p.fault)
		}
	}(p.run)
	return nil
}

// kill ends the process without warning.
func (p *process) kill() { p.run.Kill() }

// terminate asks the process to end, and returns how long that took; the error is nil if it exited with 0.
func (p *process) terminate() (took time.Duration, err error) { return p.run.Terminate(patience) }

// restart starts the process again, after kill or terminate.
func (p *process) restart(t *testing.T) {
	t.Helper()
	require.NoError(t, p.start())
}

// down ends the process, does something, and starts it again.
func (p *process) down(t *testing.T, do func()) {
	t.Helper()
	if _, err := p.terminate(); err != nil {
		t.Errorf("the controller ended with %v", err)
	}
	defer p.restart(t)
	do()
}

// logOf returns the last lines of the log that mention a text.
func (p *process) logOf(text string, most int) string {
	content, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	var lines []string
	for line := range bytes.Lines(content) {
		if bytes.Contains(line, []byte(text)) {
			lines = append(lines, string(line))
		}
	}
	return strings.Join(lines[max(0, len(lines)-most):], "")
}

package http

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// interpreter runs blocks of a language.
type interpreter struct {
	command []string // the file is the last argument
	// pause ends the output of a block with a zero byte, and waits for a line before the next one.
	pause string
	env   []string
}

var shell = interpreter{command: []string{"sh", "-e"}, pause: "printf '\\0'; read -r _"}

// program is a file with blocks that runs in a folder. It stops after each, so that the test can check the effect.
type program struct {
	t      *testing.T
	in     io.Writer
	out    *bufio.Reader
	errors string // path of its standard error
}

// run begins the blocks. The process and its children are killed when the test ends, or takes too long.
func (i interpreter) run(t *testing.T, dir string, blocks ...block) *program {
	t.Helper()
	var text strings.Builder
	for _, b := range blocks {
		text.WriteString(b.Text + i.pause + "\n")
	}
	file, err := os.CreateTemp(dir, "page")
	require.NoError(t, err)
	_, err = file.WriteString(text.String())
	require.NoError(t, err)
	require.NoError(t, file.Close())
	p := &program{t: t, errors: file.Name() + ".errors"}
	cmd := i.process(t, dir, file.Name())
	p.in, err = cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	p.out = bufio.NewReader(out)
	errors, err := os.Create(p.errors)
	require.NoError(t, err)
	defer errors.Close()
	cmd.Stderr = errors
	begin(t, cmd)
	return p
}

// process finds the cluster as a user of the machine does, and nothing else that such a user has configured.
func (i interpreter) process(t *testing.T, dir, file string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	t.Cleanup(cancel)
	cmd := kube.Command(ctx, i.command[0], slices.Concat(i.command[1:], []string{file})...)
	path := filepath.Dir(kube.Kubectl) + string(filepath.ListSeparator) + os.Getenv("PATH")
	cmd.Env = slices.Concat(cmd.Env, []string{"PATH=" + path, "HOME=" + dir, "NO_PROXY=*", "no_proxy=*"}, i.env)
	cmd.Dir = dir
	return cmd
}

// begin starts a process in a group of its own, so that it ends together with its children.
func begin(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Cancel() // it may have ended
		_ = cmd.Wait()   // it was killed
	})
}

// next waits until the next block has ended, and returns its output. An error in it ends the test.
func (p *program) next() string {
	p.t.Helper()
	out, err := p.out.ReadString(0)
	if err != nil {
		text, _ := os.ReadFile(p.errors) // there is nothing more to say if that fails
		p.t.Fatalf("the program has ended: %v\n%s\n%s", err, out, text)
	}
	return strings.TrimSuffix(out, "\x00")
}

// goOn starts the next block.
func (p *program) goOn() {
	p.t.Helper()
	_, err := io.WriteString(p.in, "\n")
	require.NoError(p.t, err)
}

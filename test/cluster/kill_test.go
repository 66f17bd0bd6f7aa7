package cluster

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const headless = "TEST_WITHOUT_FIRST_THREAD"

// init ends the first thread of a process that a test has started for that, and lets the others live for a minute.
func init() {
	if os.Getenv(headless) == "" {
		return
	}
	runtime.LockOSThread()
	go func() {
		time.Sleep(time.Minute)
		os.Exit(0)
	}()
	time.Sleep(10 * time.Millisecond) // until the goroutine has a thread
	syscall.RawSyscall(syscall.SYS_EXIT, 0, 0, 0)
}

// A process that has lost only its first thread shows as a zombie, but has not ended.
func TestHasEnded(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), headless+"=1")
	require.NoError(t, cmd.Start())
	defer cmd.Wait()
	defer cmd.Process.Kill()
	pid := cmd.Process.Pid
	err := poll(t.Context(), 10*time.Second, func(context.Context) bool {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return bytes.Contains(text, []byte(") Z "))
	})
	if err != nil {
		t.Fatalf("waiting for a zombie: %v", err)
	}
	if hasEnded(pid) {
		t.Error("a process whose first thread has ended counts as ended")
	}
	require.NoError(t, cmd.Process.Kill())
	if err := poll(t.Context(), 10*time.Second, func(context.Context) bool { return hasEnded(pid) }); err != nil {
		t.Fatalf("waiting for the end of the process: %v", err)
	}
	_ = cmd.Wait()
	if !hasEnded(pid) {
		t.Error("a process that is gone does not count as ended")
	}
}

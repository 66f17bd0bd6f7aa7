package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"
)

// storeInNoRoom, as a variable of the environment, makes this program store records in a small file system that it mounts there.
const storeInNoRoom = "STORE_IN_NO_ROOM"

// A full disk keeps records from being acknowledged, and loses none that were. With room again they are stored, without a
// restart.
func TestDiskFull(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("a small file system can be mounted by root only")
	}
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), storeInNoRoom+"="+t.TempDir())
	child.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS} // the mount disappears with the child
	output, err := child.CombinedOutput()
	if errors.Is(err, syscall.EPERM) || strings.Contains(string(output), cannotMount) {
		t.Skipf("a small file system cannot be mounted here: %v: %s", err, output)
	}
	require.NoError(t, err, "%s", output)
}

// cannotMount begins the error of a child that may not mount.
const cannotMount = "mounting a small file system"

func storeUntilFull(dir string) error {
	if err := syscall.Mount("", "/", "", syscall.MS_PRIVATE|syscall.MS_REC, ""); err != nil {
		return fmt.Errorf("%s: %w", cannotMount, err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
		return fmt.Errorf("%s: %w", cannotMount, err)
	}
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 1<<20), 0o600); err != nil {
		return err
	}
	ctx := context.Background()
	s, err := Open(ctx, Options{Database: filepath.Join(dir, "history.db"), Log: hclog.NewNullLogger()})
	if err != nil {
		return err
	}
	stored := 0
	for ; ; stored++ {
		if _, err = s.Ingest(ctx, "default", crashRecords(stored)); err != nil {
			break
		}
	}
	if refused(err) || stored == 0 || s.Counts().Refused > 0 {
		return fmt.Errorf("after %d requests: %w", stored, err)
	}
	if _, err := s.Frameworks(ctx, FrameworkQuery{Range: always, Limit: 1}); err != nil {
		return fmt.Errorf("a query on a full disk: %w", err)
	}
	if err := os.Remove(ballast); err != nil {
		return err
	}
	if _, err := s.Ingest(ctx, "default", crashRecords(stored)); err != nil {
		return fmt.Errorf("with room again: %w", err)
	}
	var attempts, sums int
	err = s.readers.QueryRowContext(ctx, "SELECT (SELECT count(*) FROM task_attempt), (SELECT sum(attempts) FROM usage)").Scan(&attempts, &sums)
	if want := 3 * (stored + 1); err != nil || attempts != want || sums != want {
		return fmt.Errorf("%d attempts of Tasks and a sum of %d, not %d: %w", attempts, sums, want, err)
	}
	return s.Close()
}

package main

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// The folder is held until the last process has ended that has inherited the claim.
func TestClaimLastsAsLongAsItsProcesses(t *testing.T) {
	h := home(t.TempDir() + "/node")
	requireHeld := func(want bool) {
		t.Helper()
		held, err := h.held()
		require.NoError(t, err)
		require.Equal(t, want, held)
	}
	requireHeld(false)
	owner, err := h.claim()
	require.NoError(t, err)
	requireHeld(true)
	_, err = h.claim()
	require.ErrorContains(t, err, "another process starts the node")

	heir := exec.Command("sleep", "infinity")
	heir.ExtraFiles = []*os.File{owner}
	require.NoError(t, heir.Start())
	t.Cleanup(func() { heir.Process.Kill() })
	require.NoError(t, owner.Close())
	requireHeld(true)
	require.NoError(t, heir.Process.Kill())
	heir.Wait()
	requireHeld(false)
}

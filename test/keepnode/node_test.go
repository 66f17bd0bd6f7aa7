package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// From make node-up to make node-down, as people use it: kubectl reaches the cluster from the machine, containers run and their logs can be
// read, a loaded image can be used, and in the end nothing is left. It needs everything that package node needs; otherwise it is skipped
// with keepnode's message.
func TestNodeForPeople(t *testing.T) {
	if testing.Short() {
		t.Skip("needs a node")
	}
	t.Chdir("../..")
	h, err := newHome()
	require.NoError(t, err)
	if held, err := h.held(); err != nil || held {
		t.Skipf("a node is up, which is not of this test: %v", err)
	}
	keepnode := filepath.Join(t.TempDir(), "keepnode")
	run(t, "go", "build", "-o", keepnode, "./test/keepnode")
	output, err := exec.CommandContext(t.Context(), keepnode, "up").CombinedOutput()
	if _, cannot, found := strings.Cut(string(output), "this machine cannot run a node: "); found {
		t.Skip(cannot)
	}
	require.NoError(t, err, string(output))
	t.Cleanup(func() { exec.Command(keepnode, "down").Run() })
	require.Contains(t, string(output), "make node-down")

	t.Setenv("KUBECONFIG", h.kubeconfig())
	const kubectl = "bin/tools/kubectl"
	run(t, kubectl, "apply", "-f", "example/framework/batchsucceeded.yaml")
	run(t, kubectl, "wait", "--for=condition=Completed", "--timeout=3m", "fw/batchsucceeded")
	require.Contains(t, run(t, kubectl, "get", "fw", "batchsucceeded", "-o", "jsonpath={.status}"), `"phrase":"Succeeded"`)
	run(t, kubectl, "run", "talker", "--image=busybox:1.37", "--restart=Never", "--command", "--", "echo", "it runs")
	run(t, kubectl, "wait", "--for=jsonpath={.status.phase}=Succeeded", "--timeout=3m", "pod/talker")
	require.Contains(t, run(t, kubectl, "logs", "talker"), "it runs")
	archives, err := filepath.Glob("bin/e2e-node/frameworkbarrier-*.tar")
	require.NoError(t, err)
	require.Contains(t, run(t, keepnode, "load", archives[0]), "the node has the images in bin/e2e-node/frameworkbarrier-")
	require.Contains(t, run(t, keepnode, "up"), "the node is up already")

	run(t, keepnode, "down")
	_, err = os.Stat(string(h))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.Empty(t, left(t, "keepnode hold"))
	require.Contains(t, run(t, keepnode, "down"), "no node is up")
}

func run(t *testing.T, program string, args ...string) string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
	require.NoError(t, err, string(output))
	return string(output)
}

// left are processes whose command line has that in it, as separate arguments.
func left(t *testing.T, command string) (pids []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	for _, file := range files {
		line, _ := os.ReadFile(file) // the process may be gone
		if bytes.Contains(bytes.ReplaceAll(line, []byte{0}, []byte(" ")), []byte(command)) {
			pids = append(pids, file)
		}
	}
	return pids
}

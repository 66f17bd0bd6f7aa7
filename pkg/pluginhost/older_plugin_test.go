package pluginhost

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// older is the last commit whose contract has no pending Pods, and whose verdicts say nothing of nodes, scopes and delays.
const older = "e23cee1407c85604a7481f4c7f27dfa55f53062f"

// buildOlder builds a program of that commit.
func buildOlder(t *testing.T, pkg string) (path string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "git", "rev-parse", "--verify", "--quiet", older+"^{commit}").CombinedOutput(); err != nil {
		t.Skipf("skipping: commit %s is not in the history here: %v %s", older, err, out)
	}
	dir := t.TempDir()
	unpack := exec.CommandContext(t.Context(), "sh", "-c", `git -C "$(git rev-parse --show-toplevel)" archive "$0" | tar -x -C "$1"`, older, dir)
	if out, err := unpack.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	path = filepath.Join(dir, "older")
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", path, pkg)
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// A plugin that was built before the contract had a field goes on working: it judges failed Pods, it names no minor version, its verdicts say nothing of what
// it cannot know, it is never asked about Pods that have not failed, and Frameworks may set any of its parameters.
func TestOlderPlugin(t *testing.T) {
	path := buildOlder(t, "./example/plugin/go-classifier")
	w := newWorld(t, Config{Name: "old", Kind: plugin.KindFailureClassifier, Command: path})
	require.NoError(t, w.AwaitReady(t.Context(), "old"))
	ended := []*pluginpb.Container{{Name: "c", Terminated: &pluginpb.Terminated{ExitCode: 42}}}
	failed := &pluginpb.FailedPod{Uid: "failed", Containers: ended}
	late := &pluginpb.FailedPod{Uid: "late", Containers: ended, Pending: &pluginpb.PendingPod{Kind: plugin.NotRunning}}
	v, source, err := w.Classify(context.Background(), "old", []*pluginpb.FailedPod{failed, late})
	require.NoError(t, err)
	got := v.Given["failed"]
	if got.GetCode() != 42 || got.GetPhrase() != "LicenseServerBusy" || source.Version != "1.0.0" || len(v.Faults) > 0 || w.health("old").Minor != 0 {
		t.Errorf("%v, %v, minor version %d", v, source, w.health("old").Minor)
	}
	if got.GetWaitSeconds() != 0 || got.AvoidNode != nil || got.GetRestart() != 0 || got.DelaySeconds != nil || got.GetGiveUpAttempt() {
		t.Errorf("its verdict says what it cannot know: %v", got)
	}
	if v.Given["late"] != nil || w.JudgesPending("old") {
		t.Errorf("it was asked about a Pod that has not failed: %v", v.Given["late"])
	}
	if keys, err := w.FrameworkParameters(t.Context(), "old"); keys != nil || err != nil {
		t.Errorf("Frameworks may set %q only: %v", keys, err)
	}
}

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

// older is the last commit whose contract has no pending Pods, and whose verdicts have no nodes, scopes and delays.
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

// A plugin that was built before the contract had a field keeps working: it judges failed Pods, it reports no minor version, its verdicts
// lack newer fields, it is never asked about Pods that have not failed, and Frameworks may set any of its parameters.
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

// A sink of an older minor version gets no record of a kind that was added later, and the controller treats the record as acknowledged.
func TestOlderSink(t *testing.T) {
	older, newer, newest := sink("old"), sink("new"), sink("newest")
	older.Env["MINOR"], newer.Env["MINOR"], newest.Env["MINOR"] = "3", "4", "5"
	w := newWorld(t, older, newer, newest)
	list := record(0, "error") // the child fails if it gets it
	list.Content = &pluginpb.Record_Presence{Presence: &pluginpb.PresenceRecord{ResourceVersion: "1"}}
	stored, err := w.store("old", list)
	require.NoError(t, err)
	require.Equal(t, map[string]bool{"key-0": true}, stored)
	stored, _, err = w.Store(t.Context(), "old", []*pluginpb.Record{list, record(1, "nothing")})
	require.NoError(t, err)
	require.Equal(t, map[string]bool{"key-0": true}, stored, "it got the other record, and has not acknowledged it")
	_, err = w.store("new", list)
	wantFault(t, err, Failed, "on purpose")

	shadow := record(0, "error")
	shadow.Content = &pluginpb.Record_ShadowVerdict{ShadowVerdict: &pluginpb.ShadowVerdictRecord{Plugin: "tomorrow"}}
	stored, err = w.store("new", shadow)
	require.NoError(t, err)
	require.Equal(t, map[string]bool{"key-0": true}, stored)
	_, err = w.store("newest", shadow)
	wantFault(t, err, Failed, "on purpose")
}

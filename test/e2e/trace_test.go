package e2e

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// trace is one recorded story of the original controller: the whole visible world after each step, once nothing changed.
type trace struct {
	What      string
	Snapshots []snapshot
}

type snapshot struct {
	Label     string
	Framework any
	Pods      []string
	ConfigMap string
}

// step does something after which a snapshot was taken.
type step struct {
	label string
	do    func(s *story)
}

// TestTraces repeats the steps of the recording of the original, and requires the same visible results.
func TestTraces(t *testing.T) {
	recorded := readTraces(t)
	for name := range recorded {
		if _, known := traceSteps[name]; !known {
			t.Errorf("the recording of %s is not replayed", name)
		}
	}
	for name, steps := range traceSteps {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			replay(t, name, steps, recorded[name].Snapshots)
		})
	}
}

func readTraces(t *testing.T) map[string]trace {
	t.Helper()
	content, err := os.ReadFile("testdata/traces.json")
	require.NoError(t, err)
	var traces map[string]trace
	require.NoError(t, json.Unmarshal(content, &traces))
	return traces
}

func replay(t *testing.T, name string, steps []step, snapshots []snapshot) {
	if len(steps) != len(snapshots) {
		t.Fatalf("%d steps for %d snapshots", len(steps), len(snapshots))
	}
	s := newStory(t)
	for i, step := range steps {
		if step.label != snapshots[i].Label {
			t.Fatalf("step %s where %s was recorded", step.label, snapshots[i].Label)
		}
		t.Log(step.label)
		step.do(s)
		s.requireWorld(name, snapshots[i].world())
	}
}

func (s snapshot) world() world {
	return world{Framework: normalised(s.Framework), Pods: s.Pods, ConfigMap: s.ConfigMap}
}

// start creates a Framework with Pods that run for ever, and waits until all of them run.
func start(name, spec string, tasks int32) func(*story) {
	return func(s *story) {
		s.create(name, spec)
		s.awaitAllRunning(name, tasks)
	}
}

// inOrder does one thing after the other.
func inOrder(steps ...func(*story)) func(*story) {
	return func(s *story) {
		for _, do := range steps {
			do(s)
		}
	}
}

func exits(pod string, code int32) func(*story) {
	return func(s *story) { s.endPod(pod, code) }
}

func patched(name, patch string) func(*story) {
	return func(s *story) { s.patch(name, patch) }
}

func podDeleted(name string) func(*story) {
	return func(s *story) { s.deletePod(name) }
}

func podFailed(name, reason string) func(*story) {
	return func(s *story) { s.failPod(name, reason) }
}

// taskLeaves waits until a scale-down of role a that removes the Task `index` has been seen.
func taskLeaves(name string, index int) func(*story) {
	return func(s *story) {
		s.await(name, "giving up a Task", func(f *v1.FrameworkStatus) bool {
			t := task(f, "a", index)
			return t == nil || t.DeletionPending
		})
	}
}

var traceSteps = map[string][]step{
	"batchsucceeded": {
		{"running", start("batchsucceeded", `{taskRoles: [
			{name: a, taskNumber: 2, task: {pod: `+pod()+`}},
			{name: b, taskNumber: 1, task: {pod: `+pod()+`}}]}`, 3)},
		{"one", exits("batchsucceeded-a-0", 0)},
		{"two", exits("batchsucceeded-b-0", 0)},
		{"all", exits("batchsucceeded-a-1", 0)},
	},
	"taskretryunknown": {
		{"first", inOrder(
			start("taskretryunknown", `{taskRoles: [
				{name: a, taskNumber: 2, task: {retryPolicy: {maxRetryCount: 1}, pod: `+pod()+`}}]}`, 2),
			exits("taskretryunknown-a-0", 9))},
		{"second", exits("taskretryunknown-a-0", 9)},
	},
	"frameworkretry": {
		{"unknown", inOrder(
			start("frameworkretry", `{retryPolicy: {fancyRetryPolicy: true, maxRetryCount: 1}, taskRoles: [
				{name: a, taskNumber: 2, task: {pod: `+pod()+`}}]}`, 2),
			exits("frameworkretry-a-1", 5))},
		{"transient", exits("frameworkretry-a-0", 200)},
		{"unknown2", exits("frameworkretry-a-1", 5)},
	},
	"rescalebasic": {
		{"running", start("rescalebasic", `{taskRoles: [
			{name: a, taskNumber: 4, task: {pod: `+pod()+`},
				frameworkAttemptCompletionPolicy: {minFailedTaskCount: 4, minSucceededTaskCount: 1}}]}`, 4)},
		{"twofail", inOrder(podDeleted("rescalebasic-a-2"), podDeleted("rescalebasic-a-3"))},
		{"down", patched("rescalebasic", scaleTo(2))},
		{"up", patched("rescalebasic", scaleTo(4))},
		{"fail2", podDeleted("rescalebasic-a-2")},
		{"downup3", inOrder(
			patched("rescalebasic", scaleTo(2)), taskLeaves("rescalebasic", 2), patched("rescalebasic", scaleTo(3)))},
		{"up4", patched("rescalebasic", scaleTo(4))},
		{"up6", patched("rescalebasic", `[{op: replace, path: /spec/taskRoles/0/taskNumber, value: 6}]`)},
		{"succ", exits("rescalebasic-a-5", 0)},
	},
	"stoprunning": {
		{"stop", inOrder(
			start("stoprunning", `{retryPolicy: {fancyRetryPolicy: true, maxRetryCount: -2}, taskRoles: [
				{name: a, taskNumber: 2, task: {pod: `+pod()+`}}]}`, 2),
			patched("stoprunning", `spec: {executionType: Stop}`))},
	},
	"poddeleted": {
		{"deleted", inOrder(
			start("poddeleted", `{taskRoles: [
				{name: a, taskNumber: 2, task: {retryPolicy: {fancyRetryPolicy: true}, pod: `+pod()+`}}]}`, 2),
			podDeleted("poddeleted-a-0"))},
		{"ok", inOrder(exits("poddeleted-a-0", 0), exits("poddeleted-a-1", 0))},
	},
	"podevicted": {
		{"evicted", inOrder(
			start("podevicted", `{taskRoles: [
				{name: a, taskNumber: 1, task: {retryPolicy: {fancyRetryPolicy: true}, pod: `+pod()+`}}]}`, 1),
			podFailed("podevicted-a-0", "Evicted"))},
		{"deadline", podFailed("podevicted-a-0", "DeadlineExceeded")},
	},
	"addrole": {
		{"added", inOrder(
			start("addrole", `{taskRoles: [{name: a, taskNumber: 1, task: {pod: `+pod()+`}}]}`, 1),
			patched("addrole", `[{op: add, path: /spec/taskRoles/-, value:
				{name: b, taskNumber: 2, task: {pod: `+pod()+`}}}]`))},
		{"removed", patched("addrole", `[{op: remove, path: /spec/taskRoles/0}]`)},
		{"done", inOrder(exits("addrole-b-0", 0), exits("addrole-b-1", 0))},
	},
}

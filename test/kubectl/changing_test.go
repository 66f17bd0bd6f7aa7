package kubectl

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// The output of the changing commands is in testdata, and their effects match it.
func TestChanging(t *testing.T) {
	t.Parallel()
	s := newScene(t, "changing")
	s.create("train", specOf("executionType: Create", role{name: "ps"}, role{tasks: 3, policy: "minSucceededTaskCount: 3"}))
	s.until("train", "held", hasState(v1.AttemptCreationPending))
	var text []string
	run := func(args ...string) {
		t.Helper()
		text = append(text, transcript(t, append(args, "-n", s.namespace)...))
	}
	run("start", "train", "--dry-run=client")
	run("start", "train", "--dry-run=server")
	run("start", "train")
	run("start", "train")
	s.until("train", "running", runs)
	run("scale", "train", "worker=5", "--succeed-at", "worker=5", "--dry-run=client")
	run("scale", "train", "worker=5", "--succeed-at", "worker=5")
	f := s.until("train", "of six Tasks", func(f *v1.Framework) bool { return f.Status.Tasks.Running == 6 })
	if n := f.Spec.TaskRoles[1].FrameworkAttemptCompletionPolicy.MinSucceededTaskCount; n != 5 {
		t.Errorf("minSucceededTaskCount is %d", n)
	}
	run("scale", "train", "worker=5")
	run("scale", "train", "--fail-at", "worker=2", "--dry-run=client")
	run("scale", "train", "--fail-at", "worker=2")
	f = s.until("train", "unchanged but for the policy", runs)
	if n := f.Spec.TaskRoles[1].FrameworkAttemptCompletionPolicy.MinFailedTaskCount; n != 2 {
		t.Errorf("minFailedTaskCount is %d", n)
	}
	run("scale", "train", "worker=1") // asks, and is not answered
	if f := s.until("train", "unchanged", runs); f.Status.Tasks.Total != 6 {
		t.Errorf("it was scaled down without being confirmed: %d Tasks", f.Status.Tasks.Total)
	}
	run("scale", "train", "worker=2", "ps=0", "--yes")
	s.until("train", "of two Tasks", func(f *v1.Framework) bool { return f.Status.Tasks.Total == 2 })
	run("stop", "train")
	run("stop", "train", "--dry-run=client")
	s.until("train", "running", runs)
	run("stop", "train", "--yes")
	s.until("train", "completed", completed)
	run("stop", "train")
	run("start", "train")
	run("scale", "train", "worker=1")
	run("delete", "train", "--dry-run=client")
	run("delete", "train", "--dry-run=server")
	run("delete", "train")
	if _, err := frameworks.FrameworkControllerV1().Frameworks(s.namespace).Get(t.Context(), "train", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("it is there after its deletion: %v", err)
	}
	s.create("paused", specOf("suspend: true", role{}))
	run("start", "paused")
	s.until("paused", "running", runs)
	run("delete", "paused") // asks
	s.makePod("paused-worker-9", map[string]string{v1.KeyFrameworkName: "paused"})
	run("delete", "paused", "--yes", "--now")
	if p, err := core.CoreV1().Pods(s.namespace).Get(t.Context(), "paused-worker-9", metav1.GetOptions{}); err != nil || p.DeletionTimestamp != nil {
		t.Errorf("a Pod was deleted that only looks like one of the Framework: %v", err)
	}
	s.create("half", specOf("", role{tasks: 2, simulated: atOnce, policy: "minSucceededTaskCount: 3"},
		role{name: "ps", simulated: ends("7"), retry: "maxRetryCount: 3, backoff: {initialDelaySec: 600}"}))
	s.until("half", "half done", func(f *v1.Framework) bool {
		return f.Status != nil && f.Status.Tasks.Succeeded == 2 && f.Status.AttemptStatus.TaskRoleStatuses[1].TaskStatuses[0].State == v1.AttemptCompleted
	})
	run("scale", "half", "--succeed-at", "worker=2") // asks, though nothing runs
	run("scale", "half", "--succeed-at", "worker=2", "--yes")
	s.until("half", "completed", completed)
	requireGolden(t, "changing.txt", strings.Join(text, "\n"))
}

// A deletion that does not end in time is reported, with the exit code of a timeout.
func TestDeletionTakesLong(t *testing.T) {
	t.Parallel()
	s := newScene(t, "slow")
	s.create("slow", specOf("", role{podSpec: "terminationGracePeriodSeconds: 600", simulated: []string{"terminate-after=600s"}}))
	s.until("slow", "running", runs)
	if a := kubectl(t, "delete", "slow", "--yes", "--timeout=1s", "-n", s.namespace); a.code != 124 || !strings.Contains(a.err, "its deletion continues") {
		t.Errorf("%+v", a)
	}
}

// A role that is moved or removed between reading and writing makes the test of the patch fail, and nothing is changed.
func TestChangedMeanwhile(t *testing.T) {
	t.Parallel()
	s := newScene(t, "meanwhile")
	s.create("train", specOf("", role{name: "ps"}, role{tasks: 2}))
	s.until("train", "running", runs)
	// Between them the command asks, and waits for the answer.
	cmd := kube.Command(t.Context(), bin+"/kubectl-framework", "scale", "train", "worker=1", "-n", s.namespace)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	var out, errOut lockedBuffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	require.NoError(t, cmd.Start())
	s.eventually(50*time.Millisecond, func(context.Context) error {
		if !strings.Contains(errOut.String(), "Continue?") {
			return fmt.Errorf("it has not asked: %s", errOut.String())
		}
		return nil
	})
	s.patch("train", `{"spec":{"taskRoles":[{"name":"worker","taskNumber":2}]}}`)
	_, err = in.Write([]byte("y\n"))
	require.NoError(t, err)
	err = cmd.Wait()
	if err == nil || cmd.ProcessState.ExitCode() != 1 || !strings.Contains(errOut.String(), "nothing was done") {
		t.Errorf("%v: %s%s", err, out.String(), errOut.String())
	}
	f, err := frameworks.FrameworkControllerV1().Frameworks(s.namespace).Get(t.Context(), "train", metav1.GetOptions{})
	require.NoError(t, err)
	if f.Spec.TaskRoles[0].TaskNumber != 2 {
		t.Errorf("it was changed: %+v", f.Spec.TaskRoles)
	}
}

// Ctrl-C at the question ends the command, and nothing is done.
func TestBrokenOffAtTheQuestion(t *testing.T) {
	t.Parallel()
	s := newScene(t, "brokenoff")
	s.create("train", specOf("", role{}))
	s.until("train", "running", runs)
	cmd := kube.Command(t.Context(), bin+"/kubectl-framework", "delete", "train", "-n", s.namespace)
	_, err := cmd.StdinPipe() // it stays silent
	require.NoError(t, err)
	var errOut lockedBuffer
	cmd.Stderr = &errOut
	require.NoError(t, cmd.Start())
	s.eventually(50*time.Millisecond, func(context.Context) error {
		if !strings.Contains(errOut.String(), "Continue?") {
			return fmt.Errorf("it has not asked: %s", errOut.String())
		}
		return nil
	})
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("%v: %s", err, errOut.String())
	}
	if f := s.until("train", "running", runs); f.DeletionTimestamp != nil {
		t.Error("it was deleted")
	}
}

// wait ends with 0, with 1 if the condition cannot be met, and with 124 after a timeout.
func TestWait(t *testing.T) {
	t.Parallel()
	s := newScene(t, "waiting")
	s.create("good", specOf("", role{simulated: []string{"run-for=2s"}}))
	s.create("bad", specOf("", role{simulated: ends("7")}))
	s.create("endless", specOf("", role{}))
	s.create("held", specOf("executionType: Create", role{}))
	var text []string
	for _, args := range [][]string{
		{"wait", "good", "--for=running"}, {"wait", "good"}, {"wait", "good", "--for=completed"},
		{"wait", "bad"}, {"wait", "bad", "--for=completed"}, {"wait", "bad", "--for=running"},
		{"wait", "endless", "--for=running", "--timeout=60s"}, {"wait", "endless", "--timeout=10s"},
		{"wait", "held", "--for=running", "--timeout=10s"}, {"wait", "good", "--for=nothing"}, {"wait", "nobody"},
	} {
		text = append(text, transcript(t, append(args, "-n", s.namespace)...))
	}
	requireGolden(t, "wait.txt", strings.Join(text, "\n"))
}

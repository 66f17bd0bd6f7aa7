package kubectl

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// What the changing commands print is in testdata, and what they do is what they say.
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
	run("scale", "train", "worker=1") // asks, and is not answered
	if f := s.until("train", "unchanged", runs); f.Status.Tasks.Total != 6 {
		t.Errorf("it was scaled down without being confirmed: %d Tasks", f.Status.Tasks.Total)
	}
	run("scale", "train", "worker=2", "ps=0", "--yes")
	s.until("train", "of two Tasks", func(f *v1.Framework) bool { return f.Status.Tasks.Total == 2 })
	run("stop", "train")
	run("stop", "train", "--yes")
	s.until("train", "completed", completed)
	run("stop", "train")
	run("start", "train")
	run("scale", "train", "worker=1")
	run("delete", "train", "--dry-run=server")
	run("delete", "train")
	if _, err := frameworks.FrameworkControllerV1().Frameworks(s.namespace).Get(t.Context(), "train", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("it is there after its deletion: %v", err)
	}
	s.create("paused", specOf("suspend: true", role{}))
	run("start", "paused")
	s.until("paused", "running", runs)
	run("delete", "paused") // asks
	run("delete", "paused", "--yes", "--now")
	requireGolden(t, "changing.txt", strings.Join(text, "\n"))
}

// A deletion that does not come to its end in time says so, with the exit code of a time-out.
func TestDeletionTakesLong(t *testing.T) {
	t.Parallel()
	s := newScene(t, "slow")
	s.create("slow", specOf("", role{podSpec: "terminationGracePeriodSeconds: 600", simulated: []string{"terminate-after=600s"}}))
	s.until("slow", "running", runs)
	if a := kubectl(t, "delete", "slow", "--yes", "--timeout=1s", "-n", s.namespace); a.code != 124 || !strings.Contains(a.err, "goes on being deleted") {
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
		if !strings.Contains(errOut.String(), "Go on?") {
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

// wait ends with 0, with 1 if it is in vain, and with 124 when the time is over.
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
		{"wait", "endless", "--for=running", "--timeout=60s"}, {"wait", "endless", "--timeout=1s"},
		{"wait", "held", "--for=running", "--timeout=1s"}, {"wait", "good", "--for=nothing"}, {"wait", "nobody"},
	} {
		text = append(text, transcript(t, append(args, "-n", s.namespace)...))
	}
	requireGolden(t, "wait.txt", strings.Join(text, "\n"))
}

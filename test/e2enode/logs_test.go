package e2enode

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

// kubectl framework logs prints the output of real containers, each line with its Task. With -f, it continues with the next Pod of a
// retried Task, until the Framework has completed; --previous prints the output of a container before its restart.
func TestLogs(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	plugin := s.plugin()
	s.apply("logs")
	s.awaitRunning("logs", 5)
	followed := &output{}
	follow := plugin("logs", "logs", "-f")
	follow.Stdout, follow.Stderr = followed, followed
	require.NoError(t, follow.Start())
	s.untilSaid(followed, "[talker-0] I am 0\n", "[talker-0] of talker\n", "[talker-1] I am 1\n", "[retried-0] attempt 0\n", "[again-0] second life\n", "[pair-0 prepare] prepared\n", "[pair-0] at work\n")

	s.requirePrinted(plugin("logs", "logs", "talker"), "[talker-0] I am 0\n[talker-0] of talker\n[talker-1] I am 1\n[talker-1] of talker\n")
	s.requirePrinted(plugin("logs", "logs", "talker/1", "--tail", "1"), "[talker-1] of talker\n")
	s.requirePrinted(plugin("logs", "logs", "again/0"), "[again-0] second life\n")
	s.requirePrinted(plugin("logs", "logs", "again/0", "--previous"), "[again-0] first life\n")

	s.requirePrinted(plugin("logs", "logs", "pair"), "[pair-0 prepare] prepared\n[pair-0] at work\n")
	s.requirePrinted(plugin("logs", "logs", "-c", "side"), "[pair-0] beside it\n")
	s.requirePrinted(plugin("logs", "logs", "-c", "prepare"), "[pair-0] prepared\n")
	s.requirePrinted(plugin("logs", "logs", "talker", "again", "--since", "1h", "--tail", "1"), "[again-0] second life\n[talker-0] of talker\n[talker-1] of talker\n")
	s.until("all that is printed is older than a second", func(context.Context) bool {
		got, err := plugin("logs", "logs", "--since", "1s").CombinedOutput()
		return err == nil && len(got) == 0
	})

	s.kubectl("exec", "logs-retried-0", "--", "touch", "/tmp/fail")
	s.untilSaid(followed, "[retried-0] failing\n", "[retried-0] attempt 1\n")
	s.kubectl("patch", "framework", "logs", "--type=merge", "--patch", `{"spec": {"executionType": "Stop"}}`)
	s.awaitCompleted("logs")
	if err := follow.Wait(); err != nil {
		t.Errorf("%v, after\n%s", err, followed)
	}
	for _, once := range []string{"[retried-0] attempt 0\n", "[retried-0] attempt 1\n", "[talker-1] I am 1\n"} {
		if n := strings.Count(followed.String(), once); n != 1 {
			t.Errorf("%q is printed %d times in\n%s", once, n, followed)
		}
	}
}

// plugin returns how to run kubectl framework in the story's namespace, as kubectl finds it on the PATH.
func (s *story) plugin() func(args ...string) *exec.Cmd {
	s.t.Helper()
	dir := s.t.TempDir()
	_, err := clustertest.Install(s.t.Context(), dir, clustertest.KubectlProgram)
	require.NoError(s.t, err)
	return func(args ...string) *exec.Cmd {
		cmd := kube.Command(s.t.Context(), kube.Kubectl, append([]string{"framework", "--namespace=" + s.namespace}, args...)...)
		cmd.Env = append(cmd.Env, "PATH="+dir+":"+os.Getenv("PATH"))
		return cmd
	}
}

func (s *story) requirePrinted(cmd *exec.Cmd, want string) {
	s.t.Helper()
	got, err := cmd.CombinedOutput()
	if err != nil || string(got) != want {
		s.t.Errorf("%v: %v, got\n%swant\n%s", cmd.Args, err, got, want)
	}
}

// untilSaid waits until an output has all of these lines, in any order.
func (s *story) untilSaid(o *output, lines ...string) {
	s.t.Helper()
	for _, line := range lines {
		s.until("the output has "+strings.TrimSpace(line), func(context.Context) bool { return strings.Contains(o.String(), line) })
	}
}

// output is the output of a process so far.
type output struct {
	mu   sync.Mutex
	text strings.Builder
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

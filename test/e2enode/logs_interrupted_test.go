package e2enode

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/frameworkcontroller/frameworkcontroller/test/proxy"
)

// Followed logs lose and repeat no line: when the connections to the API server break and a container restarts before they are back, when
// the API server itself is killed and comes back, and when the kubelet does. The test is not parallel, because the others need both.
func TestLogsInterrupted(t *testing.T) {
	s := newStory(t)
	road, err := proxy.Listen(kube.Config.Host)
	require.NoError(t, err)
	t.Cleanup(road.Close)
	s.apply("counting")
	s.awaitRunning("counting", 2)
	followed, warnings := &output{}, &output{}
	follow := s.plugin()("logs", "counting", "-f", "--server="+road.URL())
	follow.Stdout, follow.Stderr = followed, warnings
	require.NoError(t, follow.Start())
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("what was followed:\n%s\n%s", followed, warnings)
		}
	})
	written := func(task string) string {
		var lines strings.Builder
		for line := range strings.Lines(s.log("counting-"+task, "app")) {
			lines.WriteString("[" + task + "] " + line)
		}
		return lines.String()
	}
	goesOn := func(after string) {
		t.Helper()
		n := strings.Count(written("worker-0"), "\n")
		s.untilSaid(followed, fmt.Sprintf("[worker-0] line %d\n", n+2))
		t.Logf("it goes on after %s", after)
	}
	whileAway := func() { // time for more than one try
		t.Helper()
		n := strings.Count(written("worker-0"), "\n")
		s.until("more was logged", func(context.Context) bool { return strings.Count(written("worker-0"), "\n") > n+6 })
	}
	goesOn("the beginning")

	road.Refuse()
	whileAway()
	s.kubectl("exec", "counting-again-0", "--", "touch", "/memory/fail")
	s.until("it was started again", func(context.Context) bool { return strings.Contains(written("again-0"), "life 2 line 2\n") })
	require.NoError(t, road.Accept())
	goesOn("the connections broke")
	s.untilSaid(followed, "[again-0] life 1 ends\n", "[again-0] life 2 line 3\n")

	leaseMayBeLost.Store(true)
	restart, err := kube.Kill("kube-apiserver")
	require.NoError(t, err)
	require.NoError(t, restart())
	goesOn("the API server was killed")

	require.NoError(t, real.KillKubelet())
	whileAway()
	require.NoError(t, real.RestartKubelet(t.Context()))
	require.NoError(t, real.AwaitReady(t.Context(), corev1.ConditionTrue))
	goesOn("the kubelet was killed")

	s.kubectl("exec", "counting-worker-0", "--", "touch", "/tmp/end")
	s.kubectl("exec", "counting-again-0", "--", "touch", "/memory/end")
	s.awaitCompleted("counting")
	if err := follow.Wait(); err != nil {
		t.Error(err)
	}
	require.Empty(t, warnings.String())
	for _, task := range []string{"worker-0", "again-0"} {
		require.Equal(t, written(task), linesOf(followed, task))
	}
}

// linesOf returns the lines of a Task among others.
func linesOf(o *output, task string) string {
	var lines strings.Builder
	for line := range strings.Lines(o.String()) {
		if strings.HasPrefix(line, "["+task+"] ") {
			lines.WriteString(line)
		}
	}
	return lines.String()
}

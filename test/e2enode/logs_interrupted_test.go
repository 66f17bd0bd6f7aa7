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

// A log that is followed loses no line and repeats none when the connections to the API server break and it is away for a while, nor
// when the kubelet is killed and comes back. It is not parallel, as the others want a kubelet.
func TestLogsInterrupted(t *testing.T) {
	s := newStory(t)
	road, err := proxy.Listen(kube.Config.Host)
	require.NoError(t, err)
	t.Cleanup(road.Close)
	s.apply("counting")
	s.awaitRunning("counting", 1)
	followed := &output{}
	follow := s.plugin()("logs", "counting", "-f", "--server="+road.URL())
	follow.Stdout, follow.Stderr = followed, followed
	require.NoError(t, follow.Start())
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("what was followed:\n%s", followed)
		}
	})
	goesOn := func(after string) {
		t.Helper()
		n := strings.Count(s.log("counting-worker-0", "app"), "\n")
		s.until(fmt.Sprintf("line %d is printed after %s", n+2, after), func(context.Context) bool {
			return strings.Contains(followed.String(), fmt.Sprintf("[worker-0] line %d\n", n+2))
		})
	}
	whileAway := func() { // time for more than one try
		t.Helper()
		n := strings.Count(s.log("counting-worker-0", "app"), "\n")
		s.until("more was logged", func(context.Context) bool { return strings.Count(s.log("counting-worker-0", "app"), "\n") > n+6 })
	}
	goesOn("the beginning")

	road.Refuse()
	whileAway()
	require.NoError(t, road.Accept())
	goesOn("the connections broke")

	require.NoError(t, real.KillKubelet())
	whileAway()
	require.NoError(t, real.RestartKubelet(t.Context()))
	require.NoError(t, real.AwaitReady(t.Context(), corev1.ConditionTrue))
	goesOn("the kubelet was started again")

	s.kubectl("exec", "counting-worker-0", "--", "touch", "/tmp/end")
	s.awaitCompleted("counting")
	if err := follow.Wait(); err != nil {
		t.Errorf("%v, after\n%s", err, followed)
	}
	var want strings.Builder
	for line := range strings.Lines(s.log("counting-worker-0", "app")) {
		want.WriteString("[worker-0] " + line)
	}
	require.Equal(t, want.String(), followed.String())
}

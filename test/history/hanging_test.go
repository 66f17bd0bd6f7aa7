package history

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

// A server that hangs costs a Framework whose records may be dropped no more than timeouts. Each gap is visible, as an event and in a
// metric, and later Frameworks are recorded again.
func TestServerHangs(t *testing.T) {
	s := newSiteIn(t, t.TempDir(), `failurePolicy: Drop, parameters: {url: `)
	s.awaitController()
	require.NoError(t, s.server.Signal(syscall.SIGSTOP))
	begun := time.Now()
	s.apply(strings.ReplaceAll(crowd, "NAME", s.framework))
	s.await(s.framework, func(f *v1.Framework) bool { return f.Status != nil && f.Status.State == v1.Completed })
	t.Logf("the Framework has ended after %s", time.Since(begun).Round(time.Second))
	clustertest.Eventually(t, patience, func(ctx context.Context) error {
		events, err := core.CoreV1().Events("default").List(ctx, metav1.ListOptions{FieldSelector: "reason=HistoryDropped,involvedObject.name=" + s.framework})
		if err == nil && len(events.Items) == 0 {
			err = fmt.Errorf("there is no event")
		}
		return err
	})
	var dropped float64
	clustertest.Eventually(t, patience, func(context.Context) error {
		dropped = s.metric("frameworkcontroller_history_records_dropped_total")
		if least := 24.0; dropped < least { // the attempts of its Tasks
			return fmt.Errorf("%v records are counted, and %v were dropped at least", dropped, least)
		}
		return nil
	})
	t.Logf("%v records were dropped", dropped)

	require.NoError(t, s.server.Signal(syscall.SIGCONT))
	require.NoError(t, frameworks.FrameworkControllerV1().Frameworks("default").Delete(t.Context(), s.framework, metav1.DeleteOptions{}))
	lives := 0
	next := func() (uid string) {
		lives++
		s.framework = fmt.Sprintf("%s%d", strings.ToLower(t.Name()), lives)
		s.apply(strings.ReplaceAll(crowd, "NAME", s.framework))
		return string(s.await(s.framework, func(f *v1.Framework) bool { return f.Status != nil && f.Status.State == v1.Completed }).UID)
	}
	clustertest.Eventually(t, 2*patience, func(ctx context.Context) error { // the controller holds calls back for a while
		uid := next()
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		return clustertest.Poll(ctx, func(ctx context.Context) error { return s.shows(ctx, s.framework, uid, "Completed") })
	})
	s.awaitRecord(next(), "Completed")
	s.requireAttempts(map[string]int{"7 retried": 12, "0 last": 12})
}

// metric returns a metric of the controller; 0 if it has none.
func (s *site) metric(name string) (value float64) {
	s.t.Helper()
	_, text := clustertest.GetFrom(clustertest.AddressIn(s.leader.Text()), "/metrics")
	for line := range strings.Lines(text) {
		if _, err := fmt.Sscanf(line, name+" %g", &value); err == nil {
			return value
		}
	}
	return 0
}

package lifecycle

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// A window is a budget of failures in time. What has happened in it is in the status: the times of the failures that counted,
// of which the window itself says how many are of interest.

// windowFull reports whether as many failures that count as the window allows lie in its time.
func (e retryCase) windowFull() bool {
	w := e.policy.Window
	return w != nil && e.failed() && len(inWindow(e.counters.RecentFailures, w, e.ended.Time)) >= int(w.Failures)
}

// inWindow returns those of the times that lie in the window when it ends at that time. Those that lie after that count, as
// the clock may have been set back, but not for longer than the window lasts.
func inWindow(times []metav1.Time, w *v1.RetryWindowSpec, end time.Time) []metav1.Time {
	within := seconds(int64(w.WithinSec))
	return slices.DeleteFunc(slices.Clone(times), func(t metav1.Time) bool { return end.Sub(t.Time).Abs() >= within })
}

// noteFailure remembers a failure that counts, as long as there is a window that asks for it.
func (e retryCase) noteFailure(s *v1.RetryPolicyStatus) {
	w := e.policy.Window
	switch {
	case w == nil:
		s.RecentFailures = nil
	case e.failed():
		times := append(inWindow(s.RecentFailures, w, e.ended.Time), metav1.NewTime(e.ended.Time))
		s.RecentFailures = times[max(0, len(times)-max(int(w.Failures), 1)):]
	}
}

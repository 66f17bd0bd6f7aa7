package retry

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// A window is a budget of failures in time. The status keeps the times of the counted failures, as many as the window needs.

// windowFull reports whether the window contains as many counted failures as it allows.
func (c Case) windowFull() bool {
	w := c.Policy.Window
	return w != nil && c.failed() && len(inWindow(c.Counters.RecentFailures, w, c.Ended.Time)) >= int(w.Failures)
}

// inWindow returns the times that lie in the window that ends at end. Times after the end count, too, as the clock may have been
// put back, but not for longer than the window lasts.
func inWindow(times []metav1.Time, w *v1.RetryWindowSpec, end time.Time) []metav1.Time {
	within := time.Duration(w.WithinSec) * time.Second
	return slices.DeleteFunc(slices.Clone(times), func(t metav1.Time) bool { return end.Sub(t.Time).Abs() >= within })
}

// noteFailure returns the times of recent failures, including this one if it is a failure; none if there is no window.
func (c Case) noteFailure() []metav1.Time {
	w := c.Policy.Window
	switch {
	case w == nil:
		return nil
	case !c.failed():
		return c.Counters.RecentFailures
	}
	times := append(inWindow(c.Counters.RecentFailures, w, c.Ended.Time), metav1.NewTime(c.Ended.Time))
	return times[max(0, len(times)-max(int(w.Failures), 1)):]
}

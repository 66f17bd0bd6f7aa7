package retry

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// A window is a budget of failures in time. What has happened in it is in the status: the times of the failures that counted,
// as many as the window looks at.

// windowFull reports whether as many failures that count as the window allows lie in its time.
func (c Case) windowFull() bool {
	w := c.Policy.Window
	return w != nil && c.failed() && len(inWindow(c.Counters.RecentFailures, w, c.Ended.Time)) >= int(w.Failures)
}

// inWindow returns those of the times that lie in the window when it ends at that time. Times after the end count, too, as
// the clock may have been set back, but not for longer than the window lasts.
func inWindow(times []metav1.Time, w *v1.RetryWindowSpec, end time.Time) []metav1.Time {
	within := time.Duration(w.WithinSec) * time.Second
	return slices.DeleteFunc(slices.Clone(times), func(t metav1.Time) bool { return end.Sub(t.Time).Abs() >= within })
}

// noteFailure returns the times of recent failures with that of this one, if it is a failure; none if there is no window.
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

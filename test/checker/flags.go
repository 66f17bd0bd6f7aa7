package checker

import v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"

// flags holds S2a, "deletionPending never goes true→false for an instanceUID", and S2c, "An instance once stored
// with the flag is eventually removed or replaced (unless the attempt ends first, then it is Completed)".
type flags struct{}

func (flags) see(t *replay, c change) {
	if c.framework == nil || c.framework.before == nil || c.framework.after == nil {
		return
	}
	for p, task := range c.framework.after.tasks {
		old := c.framework.before.tasks[p]
		if old != nil && old.InstanceUID == task.InstanceUID && old.DeletionPending {
			t.hold(FlagStays, c.task(p), task.DeletionPending, "its flag was taken back")
		}
	}
}

func (flags) end(t *replay) {
	if !t.settled {
		return
	}
	for name, f := range t.frameworks {
		for p, task := range f.tasks {
			if task.DeletionPending {
				t.hold(FlagEnds, subject{v1.FrameworkKind, name, p.String()}, ended(f.Status.State) && task.State == v1.Completed,
					"in the end it is still flagged, and %s", task.State)
			}
		}
	}
}

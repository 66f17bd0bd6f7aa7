package checker

import v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"

// turns holds the promises about parallelism: a Task begins its turn only while fewer Tasks of its role than the spec allows have one, and
// a Pod is created only for a Task that has its turn. A status is written on the version that it was decided from, so the spec beside it is
// the one that it was decided by.
type turns struct{}

func (turns) see(t *replay, c change) {
	if c.framework == nil || c.framework.before == nil || c.framework.after == nil ||
		c.framework.before.Status == nil || c.framework.after.Status == nil {
		return
	}
	before, after := c.framework.before, c.framework.after
	if before.attempt().ID != after.attempt().ID {
		return
	}
	for p, task := range after.tasks {
		old, role := before.tasks[p], after.role(p.role)
		if old == nil || role == nil || role.Parallelism == nil || !old.AttemptStatus.AwaitsTurn || task.AttemptStatus.AwaitsTurn ||
			task.State != v1.AttemptCreationPending {
			continue
		}
		n := after.haveTurn(p.role)
		t.hold(Turns, c.task(p), n <= int(*role.Parallelism), "it begins its turn as one of %d, and parallelism is %d", n, *role.Parallelism)
		t.hold(Turns, c.task(p), task.InstanceUID != "", "it begins its turn without an instanceUID")
	}
}

// haveTurn counts the Tasks of a role that have a Pod, or may have one any time.
func (f *framework) haveTurn(role string) (n int) {
	for p, task := range f.tasks {
		delayed := task.State == v1.AttemptCompleted && task.RetryPolicyStatus.RetryDelaySec != nil
		if p.role == role && !task.AttemptStatus.AwaitsTurn && task.State != v1.Completed && !delayed {
			n++
		}
	}
	return n
}

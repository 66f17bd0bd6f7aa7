// Package retry decides whether an attempt that has ended, of a Task or of a Framework, is followed by another one: by which row
// of one table, after which delay, counted against which limit, together with which other Tasks, and if not, why not.
//
// It takes values and returns values. It never changes its arguments, reads no clock, and always makes the same decision in the same
// case. Package lifecycle moves the Task or the Framework, stores the delay and the counters, and ends the attempts of other Tasks.
//
//	c := retry.OfTask(role, roleStatus.RetriedCount, task, retry.EndingOf(&task.AttemptStatus, now))
//	d := retry.Decide(c)
//	if d.Follows {
//		begin := task.TransitionTime.Add(time.Duration(d.DelaySec) * time.Second)
//		task.RetryPolicyStatus = d.Counted(c)
//	}
//
// # Words
//
// A row is one line of the table; docs/design/state-machines.md prints them. A budget gives failures of one cause their own retries. A
// window bounds the failures in time. The pause is the least delay after Pods that never ran. A restart includes other Tasks. A verdict
// states whether the policy of a Task, of its role, or of the Framework has a retry left, and otherwise the limit; the status keeps it
// as data, and Sentence puts it into words.
package retry

// Package retry decides whether an attempt that has ended, of a Task or of a Framework, is followed by another one: by which row
// of one table, after which delay, counted against which limit, together with which other Tasks, and if not, why not.
//
// It takes values and returns values. It changes nothing that it is given, reads no clock, and the same case always has the same
// decision. Moving the Task or the Framework, storing the delay and the counters, and ending the attempts of other Tasks is up to
// package lifecycle.
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
// A row is one line of the table; docs/state-machines.md prints them. A budget gives failures of one cause retries of their own.
// A window bounds the failures in time. The pause is the least delay after Pods that never ran. A restart has other Tasks start
// again, too. A verdict says what the policy of a Task, of its role, or of the Framework has left, and by which limit it has
// nothing left; the status keeps it as data, and Sentence puts it into words.
package retry

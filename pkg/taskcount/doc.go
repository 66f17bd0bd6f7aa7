// Package taskcount is the built-in completion policy: an attempt ends when enough Tasks of a role have failed or
// succeeded, or when all Tasks have completed.
//
// It promises the outcomes, triggers and messages of contract 3.2. It keeps nothing, and reads no clock: the caller keeps
// the counts, and the Tasks themselves are looked at only once a count says that the attempt ends. So it costs the same
// for ten Tasks and for ten thousand. What follows from an outcome is left to the caller.
//
//	outcome, decided := taskcount.Decide(attempt)               // any time
//	outcome, decided = taskcount.DecideOn(attempt, role, task)  // when that Task has just completed
//
// Vocabulary. The trigger is the Task that the outcome goes by. An outcome inherits if the attempt ends as its trigger
// did; otherwise the attempt has succeeded, because all Tasks completed and no threshold was reached.
package taskcount

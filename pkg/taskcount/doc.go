// Package taskcount is the built-in completion policy: an attempt ends when enough Tasks of a role have failed or
// succeeded, or when all Tasks have completed.
//
// It promises the outcomes, triggers and messages of contract 3.2. It keeps no state, and reads no clock: the caller
// keeps the counts, and Tasks are read only once a count decides the attempt. So it costs the same for ten Tasks and
// for ten thousand. The consequences of an outcome are left to the caller.
//
//	outcome, decided := taskcount.Decide(attempt)               // any time
//	outcome, decided = taskcount.DecideOn(attempt, role, task)  // when that Task has just completed
//
// Vocabulary. The trigger is the Task that decides the outcome. An outcome inherits if the attempt ends as its trigger
// did; otherwise the attempt has succeeded, because all Tasks completed and no threshold was reached.
package taskcount

// Package waiting decides what a Framework waits for, as facts, and makes the sentence of the condition Waiting from them.
//
// It promises that the fact changes only with something worth a status write: a short wait is not reported, and words of others
// that change all the time are kept as they were stored. It is pure: it reads a View and returns values. Setting the condition and
// status.waiting, and looking again in time, are left to the caller.
//
//	fact, lookAt := waiting.Of(view)           // the zero Fact if the Framework waits for nothing
//	condition.Message = fact.Sentence()        // for people; never read back
//	status.Waiting = fact.Status(view.Stored, now)
//
// # Words
//
//   - A Fact is one thing in the way: its reason, the action and the Task that it is about, and words of others.
//   - A blocker is a Fact that the caller has found: an action that fails, or a question that waits.
//   - A Pod stalls while it makes no progress: it terminates, or does not get to run. A Cause says why. Patience is how long that
//     is not worth reporting.
//   - Words are what schedulers, kubelets, API servers, webhooks and plugins say. Fleeting words in them, such as numbers and
//     times, are no news.
package waiting

// Package waiting determines why a Framework waits, as facts, and makes the sentence of the condition Waiting from them.
//
// It promises that the fact changes only with something worth a status write: a short wait is not reported, and words of others
// that change constantly are kept as stored. It is pure: it reads a View and returns values. Setting the condition and
// status.waiting, and looking again in time, are left to the caller.
//
//	fact, lookAt := waiting.Of(view)           // the zero Fact if the Framework waits for nothing
//	condition.Message = fact.Sentence()        // for people; never read back
//	status.Waiting = fact.Status(view.Stored, now)
//
// # Words
//
//   - A Fact is one obstacle: its reason, its action and its Task, and words of others.
//   - A blocker is a Fact found by the caller: a failing action, or a waiting question.
//   - A Pod stalls while it makes no progress: it terminates, or does not start. A Cause is the reason. Patience is how long
//     a stall is not worth reporting.
//   - Words are the texts of schedulers, kubelets, API servers, webhooks and plugins. Fleeting words in them, such as numbers and
//     times, are no news.
package waiting

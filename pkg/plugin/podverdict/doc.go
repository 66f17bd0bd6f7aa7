// Package podverdict turns the facts and verdicts of package completion into the messages of the plugin contract, and
// back. The controller and the shipped classifiers use the same conversion, so that a rule gives the same answer through
// a plugin as it gives directly. It is pure.
//
//	question := podverdict.Question(pod)          // the controller; it adds facts that completion.Pod does not have
//	pod = podverdict.Pod(question)                // the plugin
//	verdict, ok := podverdict.Verdict(uid, status) // the plugin; not every status can be expressed in the contract
//	status = podverdict.Status(verdict)           // the controller
package podverdict

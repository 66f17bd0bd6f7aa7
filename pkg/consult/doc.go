// Package consult asks plugins, one after the other, and returns the decision: the first opinion counts, and without any the built-in rule.
// It knows which plugins a Framework has chosen, how questions are built, and how to continue if a plugin does not answer. Package
// pluginhost runs plugins, and package lifecycle decides what to ask.
//
// # Words
//
//   - The Panel is all plugins together; a member is one of them that is asked about a Framework.
//   - A question is a message to a plugin: about a FailedPod, the RoleProgress of an attempt, or the RoleShapes of an
//     attempt whose Pods should be presented to a scheduler.
//   - A pending Pod has not failed: it does not get to run. A question about one is asked of members that judge such Pods.
//   - A Judgment, a lifecycle.Decision or v1.SchedulerHints is the answer, in the type that the caller stores.
//   - An abstention is an answer without an opinion: the next member is asked.
//   - A Refusal means that a member cannot answer until the Framework is changed.
//   - Waiting means that a question cannot be answered now, because a member does not answer and its policy is to wait.
//   - Skipped is a member that does not answer, or refuses, and without which the question was answered.
//
// # Data flow
//
//	spec, status, Pod -> question -> member, member, ... -> first opinion, or the built-in rule -> answer
//	                                                     -> *Waiting or *Refusal
//
// Between questions, the package remembers only parsed parameters. It changes none of its arguments.
package consult

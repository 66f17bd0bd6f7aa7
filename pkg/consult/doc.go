// Package consult asks plugins, one after the other, and returns the decision: the first opinion counts, and without any the
// built-in rule. It knows which plugins a Framework has chosen, how questions are worded, and what happens if a plugin does
// not answer. Package pluginhost runs plugins, and package lifecycle decides what to ask.
//
// # Words
//
//   - The Panel is all plugins together; a member is one of them that is asked about a Framework.
//   - A question is a message to a plugin: about a FailedPod, the RoleProgress of an attempt, or the RoleShapes of one whose
//     Pods are to be presented to a scheduler.
//   - A pending Pod has not failed: it does not get to run. A question about one is asked of members that judge such Pods.
//   - A Judgement, a lifecycle.Decision or v1.SchedulerHints is the answer, in the words of those that store it.
//   - An abstention is an answer without an opinion: the next member is asked.
//   - A Refusal says that a member cannot answer until the Framework is changed.
//   - Waiting says that a question cannot be answered, as a member does not answer now, and its policy is to wait for it.
//   - Skipped is a member that does not answer, or refuses, and without which the question was answered.
//   - EarlierVerdicts are what a classifier is told of a Task's attempts before, by the Task's status.
//
// # Data flow
//
//	spec, status, Pod -> question -> member, member, ... -> first opinion, or the built-in rule -> answer
//	                                                     -> *Waiting or *Refusal
//
// Nothing here is remembered between questions but parameters that were read, and nothing that is given is changed.
package consult

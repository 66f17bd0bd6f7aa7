// Package reason has the reasons for the controller's actions as data: typed identifiers, each with one row of a table.
//
// It is pure and imports nothing of this project, so that the core, the controller, the metrics and pkg/explain can share it. A
// reason stays data from the decision to the report. Only there this package makes a sentence from it, and no sentence is ever
// read back.
//
//	lifecycle decides:   DeletePod{..., Why: reason.Deletion{Cause: reason.ScaleDown, Ended: true, Code: -230}}
//	log and annotations: Why.Cause, Why.Code, Why.Row
//	a metric:            frameworkcontroller_deletions_total{kind="Pod",cause="ScaleDown"}
//	an event:            reason.Deleted{Kind: reason.Pod, Names: ..., Number: ..., Why: ...}.Sentence()
//	explain:             Why.Cause.Row(), with what it means, what to change and which command is next
//	the manual:          its tables are made from the rows (go test ./pkg/reason -rewrite)
//
// # Words
//
//   - A Cause is the reason of a deletion. Causes has all of them.
//   - A Deletion is a Cause with its arguments.
//   - A Waiting is a reason of the condition Waiting. An API server may give reasons that WaitingTable does not have.
//   - An Event is the reason of a Kubernetes Event. EventTable has the reasons that are no Waiting. Nothing else is
//     emitted.
//   - A completion code has its row in package completion, where its number is.
//   - Facts are the arguments of an event, which has them as annotations.
package reason

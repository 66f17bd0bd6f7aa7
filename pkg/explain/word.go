package explain

import "github.com/frameworkcontroller/frameworkcontroller/pkg/reason"

// Word explains one constant. It is the same for all Frameworks.
type Word struct {
	// Means describes the event behind the constant, in whole sentences.
	Means string
	// Ends describes the event that ends a wait; empty if the constant is no wait.
	Ends string
	// Change names a change that prevents the failure; empty if the constant is no failure.
	Change string
	// Vague: Change fits many causes, so that the remedy of a rule takes its place.
	Vague bool
	// Next are the commands to run next. In them `{framework}`, `{namespace}`, `{role}`, `{task}`, `{pod}` and `{node}` stand for
	// names. A command with an unknown name is left out.
	Next []Step
}

var (
	describePod  = reason.DescribePod
	seeNode      = reason.SeeNode
	seeNodes     = reason.SeeNodes
	seeEvents    = reason.SeeEvents
	seeTasks     = reason.SeeTasks
	seeLogs      = reason.SeeLogs
	followLogs   = Step{Command: "kubectl framework logs {framework} {task} -n {namespace} -f", Why: "follows what the Task prints, also in its next attempts"}
	seeSpec      = reason.SeeSpec
	editSpec     = reason.EditSpec
	controllerIs = reason.SeeController
	resume       = reason.StartFramework
	explainTask  = Step{Command: "kubectl framework explain {framework} {task} -n {namespace}", Why: "says more about that Task"}
)

// WaitingWord explains a reason of the condition Waiting.
func WaitingWord(why string) Word {
	row := reason.Waiting(why).Row()
	return Word{Means: row.Means, Ends: row.Ends, Next: row.Next}
}

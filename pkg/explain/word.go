package explain

import (
	"regexp"
	"slices"
	"strings"
)

// Word is what is said of one constant. It is the same for all Frameworks.
type Word struct {
	// Means says what has happened, in whole sentences.
	Means string
	// Ends says what would end it; empty of what is no wait.
	Ends string
	// Change says what to change so that it does not happen again; empty of what is no failure.
	Change string
	// Next are the commands to run next. In them {framework}, {namespace}, {role}, {task}, {pod} and {node} stand for names; a
	// command whose names are not known is left out.
	Next []Step
}

var (
	describePod  = Step{"kubectl describe pod {pod} -n {namespace}", "shows the Pod and its events"}
	seeNodes     = Step{"kubectl get nodes", "shows which nodes are ready"}
	seeEvents    = Step{"kubectl framework events {framework} -n {namespace}", "shows what has happened, in order"}
	seeTasks     = Step{"kubectl framework tasks {framework} -n {namespace}", "shows each Task and its code"}
	seeLogs      = Step{"kubectl framework logs {framework} {task} -n {namespace}", "shows what the Task has printed"}
	followLogs   = Step{"kubectl framework logs {framework} {task} -n {namespace} -f", "follows what the Task prints, also in its next attempts"}
	seeSpec      = Step{"kubectl get fw {framework} -n {namespace} -o yaml", "shows the spec that was stored"}
	editSpec     = Step{"kubectl edit fw {framework} -n {namespace}", "changes the spec while it runs"}
	explainTask  = Step{"kubectl framework explain {framework} {task} -n {namespace}", "says more about that Task"}
	seeNode      = Step{"kubectl describe node {node}", "shows the state of the node and what runs on it"}
	askAPI       = Step{"kubectl version", "shows whether the API server answers"}
	seePlugins   = Step{"kubectl framework plugins -n {namespace}", "shows the plugins of the controller, and how they are"}
	seeQuota     = Step{"kubectl describe quota -n {namespace}", "shows what the quota allows and what is used"}
	controllerIs = Step{"kubectl get pods -A -l app.kubernetes.io/name=frameworkcontroller", "shows whether the controller runs"}
)

// advise adds the commands of a word whose names are known, each once.
func (t *telling) advise(steps ...Step) {
	for _, step := range steps {
		command, ok := t.place(step.Command)
		known := func(s Step) bool { return s.Command == command }
		if ok && !slices.ContainsFunc(t.answer.Next, known) {
			t.answer.Next = append(t.answer.Next, Step{command, step.Why})
		}
	}
}

// unknownName is a name that nobody has filled in. Commands may have other braces.
var unknownName = regexp.MustCompile(`\{[a-z]+\}`)

// place puts the names into a command; ok is false if one is not known.
func (t *telling) place(command string) (placed string, ok bool) {
	for name, value := range t.about {
		if value != "" {
			command = strings.ReplaceAll(command, "{"+name+"}", value)
		}
	}
	return command, !unknownName.MatchString(command)
}

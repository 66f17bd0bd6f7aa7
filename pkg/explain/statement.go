package explain

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	retryrules "github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/retry"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// Statement is one thing that an answer states, as data. Topic, Subject and Args are stable; Sentence is made from them and may be
// reworded at any time.
type Statement struct {
	Topic   Topic   `json:"topic"`
	Subject Subject `json:"subject"`
	Args    Args    `json:"arguments,omitzero"`
	// Continues: it is read on the line of the statement before it.
	Continues bool   `json:"continues,omitempty"`
	Sentence  string `json:"sentence"`
	// Parts are the parts of the sentence, in its order; nil if it words no time and names no Task or node.
	Parts []Part `json:"-"`

	next []Step // with the names filled in
}

// Subject is what a statement is about.
type Subject struct {
	// Kind is Framework, Role, Task, Pod, Container, Node, Event or Link.
	Kind string `json:"kind"`
	// Name of the object; of an Event its reason.
	Name string `json:"name"`
	// Role of a Task, a Pod or a container; of a node that only one role avoids, that role.
	Role string `json:"role,omitempty"`
	// Index of the Task of a role; nil if the subject belongs to no single Task.
	Index *int32 `json:"index,omitempty"`
}

// Kinds of subjects.
const (
	ofFramework = v1.FrameworkKind
	ofRole      = "Role"
	ofTask      = "Task"
	ofPod       = "Pod"
	ofClaim     = "PersistentVolumeClaim"
	ofContainer = "Container"
	ofNode      = "Node"
	ofEvent     = "Event"
	ofLink      = "Link"
)

func roleSubject(role string) Subject { return Subject{Kind: ofRole, Name: role} }

func taskSubject(role string, index int32) Subject {
	return Subject{Kind: ofTask, Name: TaskName(role, index), Role: role, Index: &index}
}

// same reports whether two subjects are one.
func (s Subject) same(as Subject) bool {
	index := func(s Subject) int64 {
		if s.Index == nil {
			return -1
		}
		return int64(*s.Index)
	}
	return s.Kind == as.Kind && s.Name == as.Name && s.Role == as.Role && index(s) == index(as)
}

// Args are the arguments of a statement. Each has the same meaning in all topics; what a topic does not have is left out.
type Args struct {
	// Attempt is the number of the attempt, from 0.
	Attempt *int32 `json:"attempt,omitempty"`
	// Since is when it began or happened. Until is when it ends or is due.
	Since *metav1.Time `json:"since,omitzero"`
	Until *metav1.Time `json:"until,omitzero"`
	// Outcome is Succeeded, Stopped, Failed or Ended for a Framework, and the state of a Task as `tasks` lists it.
	Outcome string `json:"outcome,omitempty"`
	// Code, Phrase and Type say how an attempt ended. Code is the exit code of a container.
	Code   *int32 `json:"code,omitempty"`
	Phrase string `json:"phrase,omitempty"`
	Type   string `json:"type,omitempty"`
	Signal int32  `json:"signal,omitempty"`
	// Row of the retry table. Cause of a deletion. Reason of a condition, an event, a Pod or a container.
	Row    retryrules.RowID `json:"row,omitempty"`
	Cause  string           `json:"cause,omitempty"`
	Reason string           `json:"reason,omitempty"`
	// Item of a Task, shortened if it is long.
	Item string `json:"item,omitempty"`
	// Words are quoted from a scheduler, a kubelet, an API server, a plugin or a container; From names the source.
	Words string `json:"words,omitempty"`
	From  string `json:"from,omitempty"`
	// Pod, its Node and its IP address.
	Pod  string `json:"pod,omitempty"`
	Node string `json:"node,omitempty"`
	IP   string `json:"ip,omitempty"`
	// Memory is a limit of a container; From is then an earlier one.
	Memory string `json:"memory,omitempty"`
	// Container that runs though another one has ended.
	Container string `json:"container,omitempty"`
	// Controller that runs the Framework instead.
	Controller string `json:"controller,omitempty"`
	// Plugin with its Version, and the Rule by which it decided.
	Plugin  string `json:"plugin,omitempty"`
	Version string `json:"version,omitempty"`
	Rule    string `json:"rule,omitempty"`
	// Role and Task have to do with the subject. Scope is Role or Framework.
	Role  string `json:"role,omitempty"`
	Task  string `json:"task,omitempty"`
	Scope string `json:"scope,omitempty"`
	// Field of the spec.
	Field string `json:"field,omitempty"`
	// Mode in which a node is avoided; Relaxed if no other node was found.
	Mode    string `json:"mode,omitempty"`
	Relaxed bool   `json:"relaxed,omitempty"`
	// Tasks, Nodes and Attempts are numbers of them. Counts has the number of Tasks in each state.
	Tasks    *int             `json:"tasks,omitempty"`
	Nodes    *int             `json:"nodes,omitempty"`
	Attempts *int             `json:"attempts,omitempty"`
	Counts   map[Standing]int `json:"counts,omitempty"`
	// Failed is a number of failed Tasks that ends the attempt, or did not. Succeeded is a number of succeeded Tasks that ends it.
	Failed    *int32 `json:"failed,omitempty"`
	Succeeded *int32 `json:"succeeded,omitempty"`
	// Retries is how often something was retried, Counted how often that counted against maxRetryCount.
	Retries *int32 `json:"retries,omitempty"`
	Counted *int32 `json:"counted,omitempty"`
	// Used of Limit retries, of the Budget with that cause if there is one. A negative Limit is none. WithinSec is the time of a
	// window.
	Used      *int32 `json:"used,omitempty"`
	Limit     *int32 `json:"limit,omitempty"`
	Budget    string `json:"budget,omitempty"`
	WithinSec int32  `json:"withinSec,omitempty"`
	// Follows: there is another attempt. Ending: Pods are not gone yet. Delayed: the retry waits for a delay after that.
	Follows bool `json:"follows,omitempty"`
	Ending  bool `json:"ending,omitempty"`
	Delayed bool `json:"delayed,omitempty"`
	// Awaits are the states of other roles, and of other Frameworks, that a role starts after.
	Awaits []Await `json:"awaits,omitempty"`
	// Limits are the limits that may be raised. Policies are the retry policies that may be changed.
	Limits   []Limit       `json:"limits,omitempty"`
	Policies []RetryPolicy `json:"policies,omitempty"`
	// Verdicts say for a Task, its role and the Framework whether a retry was left.
	Verdicts []v1.RetryVerdict `json:"verdicts,omitempty"`
	// Deleted are Pods that the controller has deleted.
	Deleted []DeletedPods `json:"deleted,omitempty"`

	likewise bool // a statement before it gives the same reason for another subject
}

// Await is a state that the Tasks of another role, or another Framework, have to reach.
type Await struct {
	Role string `json:"role"`
	// Framework is another Framework, instead of a role; empty for a role.
	Framework string `json:"framework,omitempty"`
	// When is Running, Addressed, Ready or Succeeded; Created if the role only needs its Pods. For a Framework, it is Succeeded or
	// Completed.
	When string `json:"when"`
	// Reached is the number of Tasks that have reached it, out of Tasks.
	Reached int `json:"reached"`
	Tasks   int `json:"tasks"`
}

// RetryPolicy names a retry policy: of the Framework, of the Tasks of a role, or of a role as a whole.
type RetryPolicy struct {
	// Scope is Framework, Tasks or Role.
	Scope string `json:"scope"`
	Role  string `json:"role,omitempty"`
}

// Limit is a number of a retry policy.
type Limit struct {
	RetryPolicy
	// Field is maxRetryCount, budgets or window.
	Field string `json:"field"`
	// Budget is the cause of the budget.
	Budget string `json:"budget,omitempty"`
	Value  int32  `json:"value"`
}

// DeletedPods are Pods that were deleted for one cause.
type DeletedPods struct {
	Cause string `json:"cause"`
	// Since is when the last one was.
	Since metav1.Time `json:"since,omitzero"`
	// Tasks of the Pods, as far as the events name them.
	Tasks []string `json:"tasks,omitempty"`
}

// Step is a command, and what it is good for.
type Step = reason.Step

// Answer is what there is to say.
type Answer struct {
	// About is what was asked about: the Framework, a role or a Task.
	About Subject `json:"about"`
	// Statements come in the order in which they are to be read.
	Statements []Statement `json:"statements"`
	// Next are the commands to run next, the most useful first.
	Next []Step `json:"next"`
}

// Lines are the sentences, those together that are read on one line.
func (a Answer) Lines() []string {
	var lines []string
	for _, s := range a.Statements {
		if n := len(lines); s.Continues && n > 0 {
			lines[n-1] += " " + s.Sentence
			continue
		}
		lines = append(lines, s.Sentence)
	}
	return lines
}

// compose makes an answer: it drops what repeats another statement, makes the sentences, and collects the commands.
func compose(k *known, about Subject, all []Statement, last ...Step) Answer {
	a := Answer{About: about, Next: []Step{}}
	dropped := false
	for _, s := range all {
		if dropped = s.Continues && dropped || repeats(s, a.Statements); dropped {
			if s.Topic != Warning { // commands that follow after it are still of use
				a.advise(s.next...)
			}
			continue
		}
		s.Args.likewise = s.Topic == NotRetried && slices.ContainsFunc(a.Statements, s.hasSameReason)
		said := sentenceOf(s, about, k)
		s.Sentence, s.Parts = said.String(), said.merged()
		a.Statements = append(a.Statements, s)
		a.advise(s.next...)
	}
	a.advise(k.steps(names{}, last...)...)
	return a
}

// advise adds commands, each once.
func (a *Answer) advise(steps ...Step) {
	for _, step := range steps {
		if !slices.ContainsFunc(a.Next, func(s Step) bool { return s.Command == step.Command }) {
			a.Next = append(a.Next, step)
		}
	}
}

// repeats reports whether a statement adds nothing to those before it: one of them has its topic and its subject, or quotes the
// same words of others.
func repeats(s Statement, before []Statement) bool {
	words := strings.TrimSpace(cmp.Or(s.Args.Words, s.Args.Reason))
	for i := range before {
		b := &before[i]
		switch {
		case b.Topic == s.Topic && b.Subject.same(s.Subject) && !slices.Contains(repeatable, s.Topic):
			return true
		case slices.Contains(quoting, s.Topic) && words != "" && (strings.Contains(b.Args.Words, words) || b.Args.Reason == words):
			return true
		case s.Topic == Warning && s.Args.Reason == "PodRefused" && b.refusesPod():
			return true
		}
	}
	return false
}

// refusesPod reports whether a statement is that an attempt ended since the API server refused its Pod.
func (s *Statement) refusesPod() bool {
	return s.Topic == AttemptEnded && completion.IsPredefined(s.Args.ended(), completion.CodePodCreationPermanentError, completion.CodePodCreationUnknownError)
}

// hasSameReason reports whether another statement says that something else is not retried, for a reason that is long to read.
func (s *Statement) hasSameReason(b Statement) bool {
	return s.Args.Row == retryrules.Permanent && b.Topic == NotRetried && b.Args.Row == retryrules.Permanent
}

// ended is the end of an attempt that the arguments have.
func (a *Args) ended() v1.CompletionStatus {
	s := v1.CompletionStatus{Phrase: a.Phrase, Type: v1.CompletionType{Name: v1.CompletionTypeName(a.Type)}}
	if a.Code != nil {
		s.Code = *a.Code
	}
	return s
}

// advising adds commands to the last statement.
func advising(all []Statement, steps ...Step) []Statement {
	last := &all[len(all)-1]
	last.next = append(last.next, steps...)
	return all
}

// names are those that commands may have; empty if they are not known.
type names struct{ role, task, pod, node string }

// unknownName is a name that nobody has filled in. Commands may have other braces.
var unknownName = regexp.MustCompile(`\{[a-z]+\}`)

// steps fills the names into commands, and leaves those out of which a name is not known.
func (k *known) steps(n names, of ...Step) (steps []Step) {
	for _, step := range of {
		if step.Command == editSpec.Command && k.status != nil && k.status.State == v1.Completed {
			continue // it does not start again
		}
		for placeholder, value := range map[string]string{"framework": k.Framework.Name, "namespace": k.Framework.Namespace,
			"role": n.role, "task": n.task, "pod": n.pod, "node": n.node} {
			if value != "" {
				step.Command = strings.ReplaceAll(step.Command, "{"+placeholder+"}", value)
			}
		}
		if !unknownName.MatchString(step.Command) {
			steps = append(steps, step)
		}
	}
	return steps
}

// namesOf are those of a Pod: its Task, and its node if it has one.
func (k *known) namesOf(pod string) names {
	role, index, ok := v1.ParsePodName(k.Framework.Name, pod)
	if !ok {
		return names{}
	}
	n := names{role: role, task: TaskName(role, index), pod: pod}
	if p := k.pod(pod); p != nil {
		n.node = p.Spec.NodeName
	}
	return n
}

// taskNames are those of a Task, also if its Pod does not exist.
func taskNames(k *known, role string, task *v1.TaskStatus) names {
	n := k.namesOf(task.AttemptStatus.PodName)
	n.role, n.task, n.pod = role, TaskName(role, task.Index), task.AttemptStatus.PodName
	return n
}

// TaskName is a Task as users write and read it.
func TaskName(role string, index int32) string { return v1.TaskName(role, index) }

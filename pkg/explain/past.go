package explain

import (
	"fmt"
	"slices"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	retryrules "github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/retry"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// Past is the input of an answer about a past attempt of a Framework, from a history. Package explain does not change it.
type Past struct {
	// Framework with its status at the end of the attempt. The state is Completed if it was the last attempt. The spec is unknown,
	// and so are limits of retries.
	Framework *v1.Framework
	// Gone: the Framework was deleted.
	Gone bool
	// Retry is the decision after the attempt.
	Retry PastRetry
	// Tasks has further facts about the Tasks, by their names. An entry may be missing.
	Tasks map[string]PastTask
	// First is the first failure of the attempt; nil if no Task failed, or if it is not known.
	First *PastFailure
	// Earlier attempts of the whole Framework, the first one first.
	Earlier []PastAttempt
	// Now is the time at which the history was read.
	Now time.Time
}

// PastRetry is the decision on a retry.
type PastRetry struct {
	// Follows: another attempt followed.
	Follows bool
	// Row of the retry table; empty if none decided, or if it is not known.
	Row retryrules.RowID
}

// PastTask has the facts about an attempt of a Task that its status lacks.
type PastTask struct {
	Retry PastRetry
	// Deletion is why the controller deleted the Pod; zero if it did not, or if that is not known.
	Deletion reason.Cause
}

// PastFailure is the first failure of an attempt of a Framework.
type PastFailure struct {
	Role string
	// Task with the attempt that failed, which may be an earlier one than in the status.
	Task *v1.TaskStatus
	PastTask
	// Ended is when the containers of the Pod ended, or else the attempt.
	Ended time.Time
	// Disrupted: the Pod was disrupted, and no Task failed by itself.
	Disrupted bool
	// Later is the number of failures after it.
	Later int
}

// PastAttempt is an earlier attempt of a Framework.
type PastAttempt struct {
	ID   int32
	End  v1.CompletionStatus
	Next time.Time // when the next attempt began
}

// pastFacts are facts that can be asked.
type pastFacts struct {
	*known
	Past
}

func recall(p Past) *pastFacts {
	return &pastFacts{know(Facts{Framework: p.Framework, Now: p.Now}), p}
}

// PastFramework explains how an attempt of a Framework ended.
func PastFramework(of Past) Answer {
	p := recall(of)
	return compose(p.known, p.framework(), slices.Concat(
		headline(p.known),
		p.gone(),
		tasksOf(p.known),
		p.attemptEnded(),
		p.firstFailure(),
		p.earlier(),
		linked(p.known),
	), append(p.ofAttempt(names{}, seeTasksOf), seePast)...)
}

// PastRole explains how the Tasks of a role ended. The status must have the role.
func PastRole(of Past, role string) Answer {
	p := recall(of)
	all := roleTasks(p.known, role)
	for i := range p.roleStatus(role).TaskStatuses {
		if task := &p.roleStatus(role).TaskStatuses[i]; StandingOf(task) == Failed {
			all = append(all, p.failed(role, task, p.Tasks[TaskName(role, task.Index)])...)
			break
		}
	}
	return compose(p.known, roleSubject(role), all,
		p.ofAttempt(names{role: role}, seeTasksOfRole)...)
}

// PastTaskOf explains how a Task ended, or states that the status has no such Task.
func PastTaskOf(of Past, role string, index int32) Answer {
	p, about := recall(of), taskSubject(role, index)
	task := p.task(role, index)
	if task == nil {
		return compose(p.known, about, []Statement{{Topic: NoSuchTask, Subject: about}})
	}
	more, s := p.Tasks[about.Name], task.AttemptStatus.CompletionStatus
	all := slices.Concat(taskHeadline(p.known, role, task), taskRetries(role, task),
		codeOf(about, &task.AttemptStatus.ID, s.CompletionStatus), failureOf(role, task), p.deletion(role, task, more.Deletion),
		pastRetry(about, role, s.CompletionStatus, more.Retry))
	if StandingOf(task) == Failed && !more.Retry.Follows {
		all = append(all, change(about, s.CompletionStatus)...)
	}
	all = append(all, earlierTaskAttempts(p.known, role, task)...)
	return compose(p.known, about, all, append(p.log(about.Name), p.ofAttempt(names{}, explainWhole)...)...)
}

// PastFirstFailure explains which Task failed first, and how. A first failure must exist.
func PastFirstFailure(of Past) Answer {
	first := *of.First
	first.Retry = PastRetry{} // is another question
	of.First = &first
	p := recall(of)
	return compose(p.known, p.framework(), p.firstFailure())
}

func (p *pastFacts) gone() []Statement {
	if !p.Gone {
		return nil
	}
	return []Statement{{Topic: FrameworkDeleted, Subject: p.framework(), Continues: true}}
}

// attemptEnded states how the attempt ended, by which Task, and whether a retry followed.
func (p *pastFacts) attemptEnded() []Statement {
	s := p.status.AttemptStatus.CompletionStatus
	all := codeOf(p.framework(), nil, s.CompletionStatus)
	if by := s.Trigger; by != nil {
		all = append(all, Statement{Topic: EndedByTask, Subject: taskSubject(by.TaskRoleName, by.TaskIndex)})
		if task := p.task(by.TaskRoleName, by.TaskIndex); task != nil && inherited(s, task) {
			name := TaskName(by.TaskRoleName, by.TaskIndex)
			all = slices.Concat(all, failureOf(by.TaskRoleName, task),
				pastRetry(taskSubject(by.TaskRoleName, by.TaskIndex), by.TaskRoleName, s.CompletionStatus, p.Tasks[name].Retry))
			if s.Type.Name == v1.CompletionFailed {
				all = advising(all, p.log(name)...)
			}
		}
	}
	all = append(all, decider(p.known, s)...)
	all = append(all, pastRetry(p.framework(), "", s.CompletionStatus, p.Retry)...)
	if p.status.State == v1.Completed && s.Type.Name == v1.CompletionFailed {
		all = append(all, change(p.framework(), s.CompletionStatus)...)
	}
	return all
}

// firstFailure states which Task failed first, and how, unless attemptEnded has stated it.
func (p *pastFacts) firstFailure() []Statement {
	f := p.First
	if f == nil {
		return nil
	}
	about, a := taskSubject(f.Role, f.Task.Index), &f.Task.AttemptStatus
	args := placed(a)
	args.Since, args.Attempts = at(f.Ended), &f.Later
	topic := FailedFirst
	if f.Disrupted {
		topic = DisruptedFirst
	}
	all := []Statement{{Topic: topic, Subject: about, Args: args}}
	if !p.endedAs(f) {
		all = append(all, p.failed(f.Role, f.Task, f.PastTask)...)
	}
	return advising(all, append(p.log(about.Name), p.ofAttempt(names{}, seeLinesAround)...)...)
}

// endedAs reports whether the attempt of the Framework ended with this failure, so that attemptEnded states its details.
func (p *pastFacts) endedAs(f *PastFailure) bool {
	s := p.status.AttemptStatus.CompletionStatus
	if s.Trigger == nil || s.Trigger.TaskRoleName != f.Role || s.Trigger.TaskIndex != f.Task.Index {
		return false
	}
	task := p.task(f.Role, f.Task.Index)
	return task != nil && task.AttemptStatus.ID == f.Task.AttemptStatus.ID && inherited(s, task)
}

// failed states how an attempt of a Task failed.
func (p *pastFacts) failed(role string, task *v1.TaskStatus, more PastTask) []Statement {
	about, s := taskSubject(role, task.Index), task.AttemptStatus.CompletionStatus
	return slices.Concat(codeOf(about, &task.AttemptStatus.ID, s.CompletionStatus), failureOf(role, task),
		pastRetry(about, role, s.CompletionStatus, more.Retry))
}

func (p *pastFacts) deletion(role string, task *v1.TaskStatus, why reason.Cause) []Statement {
	if why == 0 {
		return nil
	}
	return []Statement{{Topic: PodDeleted, Subject: taskSubject(role, task.Index), Args: Args{Pod: task.AttemptStatus.PodName, Cause: why.String()}}}
}

func (p *pastFacts) earlier() (told []Statement) {
	for i := range p.Earlier {
		a := &p.Earlier[i]
		told = append(told, Statement{Topic: EarlierRetry, Subject: p.framework(),
			Args: Args{Attempt: &a.ID, Since: at(a.Next), Code: &a.End.Code, Phrase: a.End.Phrase}})
	}
	return told[max(0, len(told)-mostEarlier):]
}

// task returns a Task of the status, which may lack others; nil if there is none.
func (p *pastFacts) task(role string, index int32) *v1.TaskStatus {
	of := p.roleStatus(role)
	if of == nil {
		return nil
	}
	i := slices.IndexFunc(of.TaskStatuses, func(t v1.TaskStatus) bool { return t.Index == index })
	if i < 0 {
		return nil
	}
	return &of.TaskStatuses[i]
}

// pastRetry states whether another attempt followed, and why. The limits are not known.
func pastRetry(about Subject, role string, ended v1.CompletionStatus, r PastRetry) []Statement {
	row, found := retryrules.RowOf(string(r.Row))
	switch {
	case !found, row.ID == retryrules.EndedByController:
		return nil
	case row.ID == retryrules.GivenUp:
		return []Statement{{Topic: GivenUp, Subject: about, Args: Args{Row: row.ID}}}
	case !r.Follows && ended.Type.Name == v1.CompletionFailed:
		return []Statement{{Topic: NotRetried, Subject: about, Args: Args{Row: row.ID}}}
	case !r.Follows:
		return nil
	case row.Role:
		return []Statement{{Topic: RoleWasRestarted, Subject: roleSubject(role)}}
	}
	return []Statement{{Topic: WasRetried, Subject: about, Args: Args{Row: row.ID}}}
}

// Commands about the past. The number of the attempt is appended.
var (
	seeTasksOf     = Step{Command: "kubectl framework tasks {framework} -n {namespace}", Why: "shows each Task and its code"}
	seeTasksOfRole = Step{Command: "kubectl framework tasks {framework} {role} -n {namespace}", Why: "shows each Task and its code"}
	explainWhole   = Step{Command: "kubectl framework explain {framework} -n {namespace}", Why: "says more about the whole Framework"}
	seeKeptLog     = Step{Command: "kubectl framework logs {framework} {task} -n {namespace}", Why: "shows the log of the Task, if it was kept"}
	seeLinesAround = Step{Command: "kubectl framework logs {framework} --first-failure -n {namespace}", Why: "shows the lines of all Tasks around it, as far as logs were kept"}
)

// seePast is the command that shows the whole history of the Framework.
var seePast = Step{Command: "kubectl framework history {framework} -n {namespace}", Why: "shows all attempts, with the outcomes of their Tasks"}

// ofAttempt is a command about the attempt of the Framework.
func (p *pastFacts) ofAttempt(n names, step Step) []Step {
	steps := p.steps(n, step)
	for i := range steps {
		steps[i].Command += fmt.Sprintf(" --attempt %d", p.status.AttemptStatus.ID)
	}
	return steps
}

func (p *pastFacts) log(task string) []Step { return p.ofAttempt(names{task: task}, seeKeptLog) }

package main

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
)

// tone is whether something is good or bad, for its colour.
type tone int

const (
	plainTone tone = iota
	good
	bad
	notable // neither, but worth a look
)

// line is one thing that has happened, to some Tasks or to the Framework.
type line struct {
	who  []taskName // empty for the Framework
	text string
	why  string // empty if there is nothing to add
	tone tone
}

// story derives the events of a Framework from its current and its previous status.
type story struct {
	begun   bool
	attempt int32
	ended   bool // the attempt is over
	over    bool // the Framework is
	waiting string
	tasks   map[taskName]v1.TaskStatus
	retries int
}

// update returns the events since the last update, in the order of cause and effect.
func (s *story) update(f *v1.Framework) (lines []line) {
	if f.Status == nil || f.Status.State == "" {
		return nil
	}
	if !s.begun || s.attempt != f.Status.AttemptStatus.ID {
		if s.begun {
			lines = append(lines, line{text: fmt.Sprintf("attempt %d of the Framework begins", f.Status.AttemptStatus.ID), tone: notable})
		}
		s.begun, s.attempt, s.ended, s.tasks = true, f.Status.AttemptStatus.ID, false, map[taskName]v1.TaskStatus{}
	}
	before, after := s.tell(f.Status)
	lines = append(append(lines, before...), s.attemptEnded(f.Status)...)
	lines = append(append(lines, after...), s.waits(f.Status)...)
	if f.Status.State == v1.Completed && !s.over {
		s.over = true
		lines = append(lines, completed(f.Status))
	}
	return lines
}

// tell reports on the Tasks: the causes of the end of the attempt, if it has ended, and the consequences.
func (s *story) tell(status *v1.FrameworkStatus) (before, after []line) {
	now := map[taskName]v1.TaskStatus{}
	for _, role := range status.AttemptStatus.TaskRoleStatuses {
		for _, task := range role.TaskStatuses {
			name := taskName{role.Name, task.Index}
			now[name] = task
			for _, l := range s.tellTask(name, task) {
				if cutShort(&task) {
					after = addTo(after, name, l)
				} else {
					before = addTo(before, name, l)
				}
			}
		}
	}
	for name := range s.tasks {
		if _, there := now[name]; !there {
			after = addTo(after, name, line{text: "is gone: the number of Tasks was lowered", tone: notable})
		}
	}
	s.tasks = now
	return before, after
}

// addTo groups Tasks to which the same has happened.
func addTo(lines []line, name taskName, l line) []line {
	i := slices.IndexFunc(lines, func(o line) bool { return o.text == l.text && o.tone == l.tone })
	if i < 0 {
		l.who = []taskName{name}
		return append(lines, l)
	}
	lines[i].who = append(lines[i].who, name)
	return lines
}

func (s *story) tellTask(name taskName, now v1.TaskStatus) (lines []line) {
	was, known := s.tasks[name]
	a := &now.AttemptStatus
	if known && a.ID != was.AttemptStatus.ID {
		s.retries += int(a.ID - was.AttemptStatus.ID)
		lines = append(lines, line{text: triedAgain(was.RetryPolicyStatus, now), tone: notable})
	}
	fresh := !known || a.ID != was.AttemptStatus.ID
	if now.State == v1.AttemptRunning && (fresh || was.State != v1.AttemptRunning) {
		lines = append(lines, line{text: "runs", tone: plainTone})
	}
	if a.CompletionStatus != nil && (fresh || was.AttemptStatus.CompletionStatus == nil) {
		lines = append(lines, ended(a))
	}
	if explain.StandingOf(&now) == explain.Failed && (!known || explain.StandingOf(&was) != explain.Failed) {
		lines = append(lines, line{text: "has failed for good", why: "The retry policy of the role allows no further retry.", tone: bad})
	}
	return lines
}

func triedAgain(before v1.RetryPolicyStatus, now v1.TaskStatus) string {
	text := fmt.Sprintf("is tried again, as attempt %d", now.AttemptStatus.ID)
	if now.RetryPolicyStatus.AccountableRetriedCount > before.AccountableRetriedCount {
		return text + ": a retry that counts against maxRetryCount"
	}
	return text + ": a retry that does not count against maxRetryCount"
}

// ended describes the end of an attempt of a Task, and its meaning.
func ended(a *v1.TaskAttemptStatus) line {
	s := a.CompletionStatus.CompletionStatus
	switch {
	case s.Type.Name == v1.CompletionSucceeded:
		return line{text: "has succeeded", tone: good}
	case completion.IsPredefined(s, completion.CodeFrameworkAttemptCompletion):
		return line{text: fmt.Sprintf("is cut short by the end of the attempt, code %d, which is no failure", s.Code)}
	}
	return line{text: fmt.Sprintf("has failed, code %d %s", s.Code, s.Phrase), why: explain.CodeWord(s).Means, tone: bad}
}

func cutShort(task *v1.TaskStatus) bool {
	s := task.AttemptStatus.CompletionStatus
	return s != nil && completion.IsPredefined(s.CompletionStatus, completion.CodeFrameworkAttemptCompletion)
}

func (s *story) attemptEnded(status *v1.FrameworkStatus) []line {
	end := status.AttemptStatus.CompletionStatus
	if end == nil || s.ended {
		return nil
	}
	s.ended = true
	l := line{text: fmt.Sprintf("the attempt is over: %s", outcome(end.CompletionStatus)), tone: toneOf(end.CompletionStatus)}
	if by := end.Trigger; by != nil && by.TaskRoleName != "" {
		l.who = []taskName{{by.TaskRoleName, by.TaskIndex}}
		l.text, l.why = "ends the attempt, "+outcome(end.CompletionStatus), by.Message+"."
	}
	return []line{l}
}

func outcome(s v1.CompletionStatus) string {
	if s.Type.Name == v1.CompletionSucceeded {
		return "as a success"
	}
	return fmt.Sprintf("as a failure with code %d %s", s.Code, s.Phrase)
}

func toneOf(s v1.CompletionStatus) tone {
	if s.Type.Name == v1.CompletionSucceeded {
		return good
	}
	return bad
}

// waits reports a new obstacle.
func (s *story) waits(status *v1.FrameworkStatus) []line {
	was := s.waiting
	s.waiting = ""
	c := meta.FindStatusCondition(status.Conditions, v1.ConditionWaiting)
	if c == nil || !meta.IsStatusConditionTrue(status.Conditions, v1.ConditionWaiting) {
		return nil
	}
	s.waiting = c.Reason
	if was == c.Reason {
		return nil
	}
	return []line{{text: "the Framework waits, " + c.Reason, why: c.Message, tone: notable}}
}

func completed(status *v1.FrameworkStatus) line {
	s := status.AttemptStatus.CompletionStatus
	if s == nil {
		return line{text: "the Framework has completed"}
	}
	if s.Type.Name == v1.CompletionSucceeded {
		return line{text: "the Framework has succeeded", tone: good}
	}
	return line{text: fmt.Sprintf("the Framework has failed, code %d %s", s.Code, s.Phrase), tone: bad}
}

// counts prints the states of the Tasks: each is counted once.
func (s *story) counts() string {
	n := map[explain.Standing]int{}
	for _, task := range s.tasks {
		n[explain.StandingOf(&task)]++
	}
	var parts []string
	for _, standing := range explain.Standings() {
		if n[standing] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[standing], standing))
		}
	}
	return fmt.Sprintf("%s: %s", several(len(s.tasks), "Task"), strings.Join(parts, ", "))
}

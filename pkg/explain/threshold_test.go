package explain

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/lifecycletest"
)

// In random lives, the answers about thresholds agree with the core. The number of Tasks that is said to end the attempt ends it in a
// copy of the life, and one Task less does not. The threshold that is said to have ended an attempt was the first one reached, by an
// independent count of the Tasks in the status that stored the end; and no other one is named after an edit.
func TestThresholdsEndAttemptsAsSaid(t *testing.T) {
	seen := map[string]int{}
	for number := range *lives / 2 {
		l := &counting{t: t, seen: seen, ended: -1}
		l.begin(rand.New(rand.NewPCG(number, 3)))
		for _, c := range l.lifeOf() {
			l.do(c)
		}
		l.foretell()
		l.edit()
		if t.Failed() {
			t.Fatalf("life %d:\n%s", number, l.told.String())
		}
	}
	for _, kind := range []string{
		"said of failures, and reached", "said of failures, and not reached", "not said of failures",
		"said of successes, and reached", "said of successes, and not reached", "not said of successes",
		"EndedByFailures", "EndedBySuccesses", "EndedByLast", "EndedByLast with failures", "ended without a Task", "ended by a plugin's advice",
		"ended by an edit", "changed after the end", "some attempts of the Task were no final failure",
	} {
		if seen[kind] == 0 {
			t.Errorf("no life has %q", kind)
		}
	}
	t.Log(seen)
}

// finished returns when Tasks of a role have completed for good with that result, the first one first. Tasks that are being removed do
// not count, and neither do those that were cut short.
func finished(f *v1.Framework, role string, result v1.CompletionTypeName) (times []time.Time) {
	const cutShort = -220
	for _, r := range f.Status.AttemptStatus.TaskRoleStatuses {
		for _, task := range r.TaskStatuses {
			if r.Name != role || task.DeletionPending || task.State != v1.Completed {
				continue
			}
			if s := task.AttemptStatus.CompletionStatus; s.Type.Name == result && s.Code != cutShort {
				times = append(times, task.CompletionTime.Time)
			}
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	return times
}

// reached is a threshold that a role has reached.
type reached struct {
	topic Topic
	role  string
	least int32
	at    time.Time
}

// reachedFirst returns the thresholds that were reached first; several if that was at the same time.
func reachedFirst(f *v1.Framework) (first []reached) {
	for _, role := range f.Spec.TaskRoles {
		policy := role.FrameworkAttemptCompletionPolicy
		failed, succeeded := finished(f, role.Name, v1.CompletionFailed), finished(f, role.Name, v1.CompletionSucceeded)
		if n := policy.MinFailedTaskCount; n >= 1 && len(failed) >= int(n) {
			first = append(first, reached{EndedByFailures, role.Name, n, failed[n-1]})
		}
		if n := policy.MinSucceededTaskCount; n >= 1 && len(succeeded) >= int(n) {
			first = append(first, reached{EndedBySuccesses, role.Name, n, succeeded[n-1]})
		}
	}
	slices.SortStableFunc(first, func(x, y reached) int { return x.at.Compare(y.at) })
	return slices.DeleteFunc(first, func(r reached) bool { return r.at.After(first[0].at) })
}

// totals returns how many Tasks of all roles have completed, how many of these have failed, and how many the spec asks for.
func totals(f *v1.Framework) (completed, failed, wanted int) {
	for _, role := range f.Spec.TaskRoles {
		n := len(finished(f, role.Name, v1.CompletionFailed))
		failed += n
		completed += n + len(finished(f, role.Name, v1.CompletionSucceeded))
		wanted += int(role.TaskNumber)
	}
	return completed, failed, wanted
}

// stored looks at each status that stores the end of an attempt.
func (l *counting) stored() {
	f := l.story.Object()
	a := &f.Status.AttemptStatus
	if a.CompletionStatus == nil || a.ID == l.ended {
		return
	}
	said := l.saysOf(f)
	l.ended, l.end, l.said = a.ID, f, said
	fmt.Fprintf(l.told, "--- attempt %d ended: it says %s\n", a.ID, shortly(said))
	switch first := reachedFirst(f); {
	case a.CompletionStatus.Trigger == nil:
		l.seen["ended without a Task"]++
		if len(said) > 0 {
			l.t.Errorf("no Task ended attempt %d, and it says %s", a.ID, shortly(said))
		}
	case len(said) == 0 && l.gaveUp(f):
		l.seen["ended by a plugin's advice"]++
	case len(said) != 1:
		l.t.Errorf("Tasks ended attempt %d, and it says %s", a.ID, shortly(said))
	case len(first) > 0:
		l.endedBy(f, said[0], first)
	default:
		l.endedByLast(f, said[0])
	}
}

// saysOf returns what is said about the threshold that ended the attempt, or about the last Task.
func (l *counting) saysOf(f *v1.Framework) (said []Statement) {
	for _, s := range Framework(Facts{Framework: f, Now: l.story.Now()}).Statements {
		if s.Topic == EndedByFailures || s.Topic == EndedBySuccesses || s.Topic == EndedByLast {
			said = append(said, Statement{Topic: s.Topic, Subject: s.Subject, Args: s.Args})
		}
	}
	return said
}

// shortly writes topics, subjects and arguments.
func shortly(said []Statement) string {
	text, err := json.Marshal(said)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// lookAgain looks at an attempt that has ended after something else has happened. If a threshold was changed, none may be named any more.
func (l *counting) lookAgain() {
	f := l.story.Object()
	if l.end == nil || f.Status.AttemptStatus.CompletionStatus == nil {
		return
	}
	switch said := l.saysOf(f); {
	case len(said) == 0 && len(l.said) > 0:
		l.seen["changed after the end"]++
	case !reflect.DeepEqual(said, l.said):
		l.t.Errorf("of an attempt that has ended, it said %s, and later %s", shortly(l.said), shortly(said))
	}
}

// gaveUp reports whether a plugin ended the attempt when the Task failed, whatever the thresholds were.
func (l *counting) gaveUp(f *v1.Framework) bool {
	by := f.Status.AttemptStatus.CompletionStatus.Trigger
	task := know(Facts{Framework: f}).taskStatus(by.TaskRoleName, by.TaskIndex)
	advice := task.AttemptStatus.CompletionStatus.Advice
	return advice != nil && advice.GiveUpAttempt
}

// endedBy compares what is said to have ended an attempt with the thresholds that were reached first.
func (l *counting) endedBy(f *v1.Framework, said Statement, first []reached) {
	l.seen[string(said.Topic)]++
	i := slices.IndexFunc(first, func(r reached) bool { return r.topic == said.Topic && r.role == said.Subject.Role })
	if i < 0 {
		l.t.Errorf("%+v was reached first, and it says %s", first, shortly([]Statement{said}))
		return
	}
	n := cmp.Or(said.Args.Failed, said.Args.Succeeded)
	if n == nil || *n != first[i].least || (said.Args.Failed != nil) != (said.Topic == EndedByFailures) ||
		(said.Args.Succeeded != nil) != (said.Topic == EndedBySuccesses) {
		l.t.Errorf("%+v was reached first, and it says %s", first, shortly([]Statement{said}))
	}
	task := know(Facts{Framework: f}).taskStatus(said.Subject.Role, *said.Subject.Index)
	if !task.CompletionTime.Time.Equal(first[i].at) {
		l.t.Errorf("%+v was reached first, and %s completed at %s", first, said.Subject.Name, task.CompletionTime)
	}
	if strings.HasPrefix(l.done[len(l.done)-1].Line, "edit") {
		l.seen["ended by an edit"]++
	}
}

func (l *counting) endedByLast(f *v1.Framework, said Statement) {
	completed, failed, wanted := totals(f)
	var told int32
	if said.Args.Failed != nil {
		told = *said.Args.Failed
		l.seen["EndedByLast with failures"]++
	}
	l.seen["EndedByLast"]++
	if said.Topic != EndedByLast || completed < wanted || wanted < 1 || int(told) != failed {
		l.t.Errorf("no threshold was reached, %d of %d Tasks have completed, %d of them failed, and it says %s",
			completed, wanted, failed, shortly([]Statement{said}))
	}
}

// foretell lets what is said about one role come true in a copy of the life, if its attempt goes on.
func (l *counting) foretell() {
	f := l.story.Object()
	if f.Status == nil || f.Status.AttemptStatus.CompletionStatus != nil || f.Status.State != v1.AttemptRunning || len(f.Spec.TaskRoles) == 0 {
		return
	}
	role := f.Spec.TaskRoles[l.IntN(len(f.Spec.TaskRoles))].Name
	for _, s := range Role(Facts{Framework: f, Now: l.story.Now()}, role).Statements {
		if s.Topic == CompletionPolicy {
			if l.IntN(2) == 0 {
				l.copy().comeTrue(role, v1.CompletionFailed, s.Args.Failed)
			} else {
				l.copy().comeTrue(role, v1.CompletionSucceeded, s.Args.Succeeded)
			}
			return
		}
	}
	l.t.Errorf("nothing is said about role %s", role)
}

// comeTrue ends one Task of the role after the other with that result, until that ends the attempt, and counts. A nil number is
// said to never end it.
func (l *counting) comeTrue(role string, result v1.CompletionTypeName, least *int32) {
	kind, rule := "failures", "minFailedTaskCount"
	if result == v1.CompletionSucceeded {
		kind, rule = "successes", "minSucceededTaskCount"
	}
	defer l.edit()
	for l.end == nil && l.finishNext(role, result) {
		f := cmp.Or(l.end, l.story.Object())
		n := len(finished(f, role, result))
		want, got := least != nil && n >= int(*least), false
		if l.end != nil {
			by := f.Status.AttemptStatus.CompletionStatus.Trigger
			got = by != nil && by.TaskRoleName == role && by.Rule == rule
		}
		switch {
		case got != want:
			l.t.Errorf("role %s has %d %s; by the answer they end the attempt: %t; and they do: %t", role, n, kind, want, got)
		case least == nil:
			l.seen["not said of "+kind]++
		case want:
			l.seen["said of "+kind+", and reached"]++
		default:
			l.seen["said of "+kind+", and not reached"]++
		}
	}
}

// finishNext ends the first Task of the role that goes on, until it has completed for good, or its attempt of the Framework has
// ended. It reports false if there is no such Task.
func (l *counting) finishNext(role string, result v1.CompletionTypeName) bool {
	tasks := know(Facts{Framework: l.story.Object()}).roleStatus(role).TaskStatuses
	i := slices.IndexFunc(tasks, func(t v1.TaskStatus) bool { return t.State != v1.Completed && !t.DeletionPending })
	if i < 0 {
		return false
	}
	code := map[v1.CompletionTypeName]string{v1.CompletionFailed: "9", v1.CompletionSucceeded: "0"}[result]
	for try := range 6 {
		if try == 4 { // it would be retried forever
			l.do(lifecycletest.Command{Line: "edit", Input: role + " max=0 fancy=no\n"})
		}
		l.do(lifecycletest.Command{Line: "advance 1s"})
		l.do(lifecycletest.Command{Line: fmt.Sprintf("exit %s-%d %s", role, i, code)})
		if l.end != nil || l.story.Object().Status.AttemptStatus.TaskRoleStatuses == nil {
			return true
		}
		if know(Facts{Framework: l.story.Object()}).taskStatus(role, int32(i)).State == v1.Completed {
			return true
		}
		l.seen["some attempts of the Task were no final failure"]++
		l.do(lifecycletest.Command{Line: "advance 20m"})
	}
	l.t.Errorf("Task %s-%d does not complete", role, i)
	return false
}

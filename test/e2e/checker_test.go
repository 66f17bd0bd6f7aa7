package e2e

import (
	"fmt"
	"strconv"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// checker goes through what happened in a namespace, in order, and returns what must not have happened, whatever the
// story was. It relies on nobody deleting Pods by force but the controller, and Frameworks being deleted last.
func check(observations []observation) []string {
	t := checker{
		frameworks: map[string]*frameworkSeen{},
		pods:       map[string]*podSeen{},
		created:    map[string]bool{},
		lost:       map[string]bool{},
	}
	for _, s := range observations {
		switch {
		case s.pod != nil && (s.gone || s.held):
			t.podGone(s.pod)
			delete(t.pods, s.pod.name)
		case s.pod != nil:
			t.podCreated(s.pod)
			t.pods[s.pod.name] = s.pod
		case s.gone:
			delete(t.frameworks, s.framework.name)
		default:
			t.stored(s.framework)
			t.frameworks[s.framework.name] = s.framework
		}
	}
	return t.violations
}

// checker is the state of the namespace as the checker goes along.
type checker struct {
	frameworks map[string]*frameworkSeen // as last stored, by name
	pods       map[string]*podSeen       // those that are there, and may run, by name
	created    map[string]bool           // attempts of Tasks that a Pod was created for
	lost       map[string]bool           // those whose Pod went before an outcome was stored
	violations []string
}

func (t *checker) violationf(format string, args ...any) {
	t.violations = append(t.violations, fmt.Sprintf(format, args...))
}

func (t *checker) podCreated(p *podSeen) {
	if t.pods[p.name] != nil {
		t.violationf("Pod %s was created while another one had its name", p.name)
	}
	if t.created[p.taskAttempt()] {
		t.violationf("Pod %s was created twice in attempt %s of its Task", p.name, p.attempt)
	}
	t.created[p.taskAttempt()] = true
	for _, other := range t.pods {
		if other.framework == p.framework && other.frameworkUID != p.frameworkUID {
			t.violationf("Pod %s was created while Pod %s of an earlier Framework %s was there", p.name, other.name, p.framework)
		}
	}
	t.calledFor(p)
}

// calledFor: a Pod is created only after the status that calls for it was stored.
func (t *checker) calledFor(p *podSeen) {
	f := t.frameworks[p.framework]
	if f == nil || f.uid != p.frameworkUID || f.configMapUID != p.configMapUID {
		t.violationf("Pod %s was created before the attempt of its Framework was stored", p.name)
		return
	}
	task, found := f.tasks[p.name]
	if !found || !madeFor(p, task) {
		t.violationf("Pod %s was created before its Task and attempt were stored", p.name)
	}
}

func madeFor(p *podSeen, task taskSeen) bool { return p.taskAttempt() == task.taskAttempt() }

func (p *podSeen) taskAttempt() string { return p.task + " " + p.attempt }

func (t taskSeen) taskAttempt() string { return t.uid + " " + strconv.FormatInt(t.attempt, 10) }

func (t *checker) podGone(p *podSeen) {
	f := t.frameworks[p.framework]
	if f == nil || f.uid != p.frameworkUID {
		return
	}
	if task, found := f.tasks[p.name]; found && madeFor(p, task) && !task.decided {
		t.lost[p.taskAttempt()] = true
	}
}

// notOurs: if a Pod went before an outcome was stored, then it was not the controller that deleted it, and the outcome
// says so.
func (t *checker) notOurs(f *frameworkSeen) {
	for name, task := range f.tasks {
		external := task.code == completion.CodePodExternalDeleted ||
			task.code == completion.CodeFrameworkAttemptCompletion && f.code == completion.CodeConfigMapExternalDeleted
		if t.lost[task.taskAttempt()] && task.decided && !external {
			t.violationf("Pod %s was deleted before the outcome %d of its Task was stored", name, task.code)
			delete(t.lost, task.taskAttempt())
		}
	}
}

func (t *checker) stored(f *frameworkSeen) {
	for _, p := range t.pods {
		if p.frameworkUID == f.uid {
			t.mayRun(p, f)
		}
	}
	if f.retries.accountable > f.retries.total {
		t.violationf("Framework %s counts %+v", f.name, f.retries)
	}
	t.allEnded(f)
	t.notOurs(f)
	if before := t.frameworks[f.name]; before != nil && before.uid == f.uid {
		t.onlyForward(before, f)
	}
}

// mayRun: while a Pod is there, the status has its Task, in the attempt that it was created for, and does not claim
// that the attempt has ended.
func (t *checker) mayRun(p *podSeen, f *frameworkSeen) {
	task, found := f.tasks[p.name]
	switch {
	case ended(f.state):
		t.violationf("Pod %s was there when Framework %s was %s", p.name, f.name, f.state)
	case !found:
		t.violationf("Pod %s was there when the status had no such Task any more", p.name)
	case !madeFor(p, task):
		t.violationf("Pod %s of attempt %s was there when its Task was in attempt %d", p.name, p.attempt, task.attempt)
	case ended(task.state):
		t.violationf("Pod %s was there when its Task was %s", p.name, task.state)
	}
}

func ended(state string) bool {
	return state == string(v1.AttemptCompleted) || state == string(v1.Completed)
}

// allEnded: a Framework's attempt has ended only if all its Tasks have, with an outcome.
func (t *checker) allEnded(f *frameworkSeen) {
	if !ended(f.state) {
		return
	}
	if !f.decided {
		t.violationf("Framework %s was %s without an outcome", f.name, f.state)
	}
	for name, task := range f.tasks {
		if task.state != string(v1.Completed) || !task.decided {
			t.violationf("Framework %s was %s when Task %s was %s, decided: %t", f.name, f.state, name, task.state, task.decided)
		}
	}
}

// onlyForward: counters and attempts never go back, and what an attempt once recorded stays.
func (t *checker) onlyForward(before, after *frameworkSeen) {
	if after.attempt < before.attempt || after.retries.total < before.retries.total || after.retries.accountable < before.retries.accountable {
		t.violationf("Framework %s went back from attempt %d, %+v, to %d, %+v", after.name, before.attempt, before.retries, after.attempt, after.retries)
	}
	if before.state == string(v1.Completed) && after.state != before.state {
		t.violationf("Framework %s went from Completed to %s", after.name, after.state)
	}
	if after.attempt != before.attempt {
		return
	}
	if before.configMapUID != "" && after.configMapUID != before.configMapUID {
		t.violationf("Framework %s changed its ConfigMap within attempt %d", after.name, after.attempt)
	}
	if before.decided && (!after.decided || after.code != before.code) {
		t.violationf("Framework %s changed its outcome from %d to %d", after.name, before.code, after.code)
	}
	for name, task := range after.tasks {
		if old, found := before.tasks[name]; found && old.uid == task.uid {
			t.taskOnlyForward(name, old, task)
		}
	}
}

func (t *checker) taskOnlyForward(name string, before, after taskSeen) {
	if after.attempt < before.attempt || after.retries.total < before.retries.total || after.retries.accountable < before.retries.accountable {
		t.violationf("Task %s went back from attempt %d, %+v, to %d, %+v", name, before.attempt, before.retries, after.attempt, after.retries)
	}
	if before.deletionPending && !after.deletionPending {
		t.violationf("Task %s was not to be deleted any more", name)
	}
	if after.attempt != before.attempt {
		return
	}
	if before.podUID != "" && after.podUID != before.podUID {
		t.violationf("Task %s changed its Pod within attempt %d", name, after.attempt)
	}
	if before.decided && (!after.decided || after.code != before.code) {
		t.violationf("Task %s changed its outcome from %d to %d", name, before.code, after.code)
	}
}

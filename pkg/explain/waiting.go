package explain

import (
	"maps"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// waiting says what keeps the Framework from going on, in the words of the condition and the latest ones of its Pod.
func (t *telling) waiting() {
	if c := t.condition(v1.ConditionWaiting); c != nil {
		t.sayWait("It", c)
		t.advise(explainTask)
	}
}

// waitingFor returns the facts of the condition Waiting; its zero value if they are not stored, as by earlier versions.
func (t *telling) waitingFor(c *metav1.Condition) v1.WaitingStatus {
	if w := t.status.Waiting; w != nil && w.Reason == c.Reason {
		return *w
	}
	return v1.WaitingStatus{}
}

// taskWaits says so of a Task that does not run: what keeps its Framework from going on may well be what keeps it.
func (t *telling) taskWaits(task *v1.TaskStatus) {
	c := t.condition(v1.ConditionWaiting)
	switch {
	case c == nil || StandingOf(task) == Running && !t.unjudged(task) || task.State == v1.Completed:
	case t.waitingFor(c).Pod == task.AttemptStatus.PodName:
		t.sayWait("It", c)
	case StandingOf(task) == Starting || t.unjudged(task):
		about := t.about // commands are about the Task that was asked for
		t.about = maps.Clone(about)
		t.sayWait("Its Framework", c)
		t.about = about
	}
}

// roleWaits says so of a role, unless the wait is for a Task of another one.
func (t *telling) roleWaits(role string) {
	c := t.condition(v1.ConditionWaiting)
	if c == nil {
		return
	}
	switch w := t.waitingFor(c); {
	case w.Pod == "":
		t.sayWait("The Framework", c)
	case w.Role == role:
		t.sayWait("It", c)
		t.advise(explainTask)
	}
}

func (t *telling) sayWait(who string, c *metav1.Condition) {
	word := WaitingWord(c.Reason)
	t.noteSubject(t.waitingFor(c))
	t.say("%s has been waiting since %s. %s", who, t.since(c.LastTransitionTime.Time), word.Means)
	t.say("In detail: %s", asSentence(c.Message))
	t.lastWords(t.about["pod"])
	t.sayIf(word.Ends)
	if waitsForNode(c.Reason) {
		t.sayHalfGang()
	}
	t.advise(word.Next...)
}

// noteSubject has commands name the Pod, the Task and the node that a wait is about.
func (t *telling) noteSubject(w v1.WaitingStatus) {
	if w.Pod != "" {
		t.aboutPod(w.Pod)
	}
	if w.Node != "" {
		t.about["node"] = w.Node
	}
}

// aboutPod has commands name a Pod, its Task and the node it is on.
func (t *telling) aboutPod(pod string) {
	role, index, _ := v1.ParsePodName(t.Framework.Name, pod)
	t.about["pod"], t.about["role"], t.about["task"] = pod, role, TaskName(role, index)
	if p := t.pod(pod); p != nil && p.Spec.NodeName != "" {
		t.about["node"] = p.Spec.NodeName
	}
}

// lastWords tells the latest warning about a Pod, unless it was told already: it is the scheduler's or the kubelet's.
func (t *telling) lastWords(pod string) {
	e := t.latest(func(e *event) bool { return e.Kind == "Pod" && e.Name == pod && e.Warning })
	if e == nil || t.saidAlready(e.Message) {
		return
	}
	t.say("The latest word on Pod %s is from %s, %s ago: %s: %s", pod, e.From, t.ago(e.At), e.Reason, asSentence(e.Message))
}

// saidAlready reports whether words of others are in the answer.
func (t *telling) saidAlready(words string) bool {
	words = strings.TrimSpace(words)
	return words != "" && strings.Contains(strings.Join(t.answer.Sentences, " "), words)
}

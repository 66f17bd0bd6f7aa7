package explain

import (
	"regexp"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// waiting says what keeps the Framework from going on, in the words of the condition and the latest ones of its Pod.
func (t *telling) waiting() {
	c := t.condition(v1.ConditionWaiting)
	if c == nil {
		return
	}
	word := WaitingWord(c.Reason)
	t.noteNames(c.Message)
	t.say("It has been waiting since %s. %s", t.since(c.LastTransitionTime.Time), word.Means)
	t.say("In detail: %s", asSentence(c.Message))
	t.lastWords(t.about["pod"], c.Message)
	t.sayIf(word.Ends)
	t.advise(word.Next...)
	t.advise(explainTask)
}

// name is what a Pod, a node or a ConfigMap may be called.
var name = regexp.MustCompile(`[a-z0-9]([a-z0-9.-]*[a-z0-9])?`)

// onNode finds the node that a message names.
var onNode = regexp.MustCompile(`on node ([a-z0-9][a-z0-9.-]*[a-z0-9])|^node ([a-z0-9][a-z0-9.-]*[a-z0-9])`)

// noteNames finds the Pod, the Task and the node that a message is about, for commands to name them.
func (t *telling) noteNames(message string) {
	if pod := podIn(t.Framework.Name, message); pod != "" {
		t.aboutPod(pod)
	}
	if found := onNode.FindStringSubmatch(message); found != nil {
		t.about["node"] = found[1] + found[2]
	}
}

// podIn returns the first Pod of a Framework that a message names; empty if it names none.
func podIn(framework, message string) string {
	for _, word := range name.FindAllString(message, -1) {
		if _, _, ok := v1.ParsePodName(framework, word); ok {
			return word
		}
	}
	return ""
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
func (t *telling) lastWords(pod, told string) {
	e := t.latest(func(e *event) bool { return e.Kind == "Pod" && e.Name == pod && e.Warning })
	if e == nil || strings.Contains(told, strings.TrimSpace(e.Message)) {
		return
	}
	t.say("The latest word on Pod %s is from %s, %s ago: %s: %s", pod, e.From, t.ago(e.At), e.Reason, asSentence(e.Message))
}

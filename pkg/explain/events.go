package explain

import (
	"cmp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// event is what is looked at of an Event.
type event struct {
	Kind, Name      string
	Reason, Message string
	From            string
	Warning         bool
	At              time.Time
	Annotations     map[string]string
}

// LastSeen is when an Event was last seen. There are several ways to say so.
func LastSeen(e *corev1.Event) time.Time {
	last := e.LastTimestamp.Time
	for _, at := range []time.Time{e.EventTime.Time, e.FirstTimestamp.Time, e.CreationTimestamp.Time} {
		if last.IsZero() {
			last = at
		}
	}
	if e.Series != nil && e.Series.LastObservedTime.After(last) {
		last = e.Series.LastObservedTime.Time
	}
	return last
}

// inOrder are the events, the first one first.
func (t *telling) inOrder() []event {
	var all []event
	for i := range t.Events {
		e := &t.Events[i]
		all = append(all, event{
			Kind: e.InvolvedObject.Kind, Name: e.InvolvedObject.Name, Reason: e.Reason, Message: e.Message,
			From: cmp.Or(e.Source.Component, e.ReportingController, "an unnamed source"), Warning: e.Type == corev1.EventTypeWarning, At: LastSeen(e), Annotations: e.Annotations,
		})
	}
	slices.SortStableFunc(all, func(a, b event) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Message, b.Message)) })
	return all
}

// latest returns the last event of that kind; nil if there is none.
func (t *telling) latest(is func(*event) bool) *event {
	all := t.inOrder()
	for i := range slices.Backward(all) {
		if is(&all[i]) {
			return &all[i]
		}
	}
	return nil
}

// ofFramework reports whether an event is about the Framework itself, of that reason.
func (e *event) ofFramework(why reason.Event) bool {
	return e.Kind == v1.FrameworkKind && e.Reason == string(why)
}

// hasTold reports whether a message, without what it was about to do, was told already.
func (t *telling) hasTold(message string) bool {
	_, words, _ := strings.Cut(message, ": ")
	return words != "" && strings.Contains(strings.Join(t.answer.Sentences, " "), words)
}

// warnings tells, once for each reason of which no status has anything, what the controller has warned of.
func (t *telling) warnings() {
	for _, row := range reason.EventTable() {
		e := t.latest(func(e *event) bool { return row.Untold && e.ofFramework(row.Reason) })
		if e == nil || t.hasTold(e.Message) {
			continue
		}
		t.say("A warning, from %s ago: %s", t.ago(e.At), row.Means)
		t.add("In detail: %s", asSentence(e.Message))
		t.advise(row.Next...)
	}
}

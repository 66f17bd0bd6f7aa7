package volcano

import (
	"strings"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// unschedulable is the type of the condition, and the reason of the event, in which Volcano reports why a group waits.
const unschedulable = "Unschedulable"

// words are a message of Volcano.
type words struct {
	text string
	at   time.Time
}

// countsOnly begins the messages that Volcano writes for each group without Pods. They carry no reason: if Volcano knows one, it writes
// another message in the same session, in the same second.
const countsOnly = "0/0 tasks"

// wordsOf returns Volcano's newest message on why a group waits; empty if it does not wait. For a group without Pods, it is mostly only in
// the events.
func wordsOf(conditions []groupCondition, events []*pluginpb.ObjectEvent) string {
	var newest words
	for _, c := range conditions {
		if c.Type == unschedulable && c.Status == "True" {
			at, _ := time.Parse(time.RFC3339, c.LastTransitionTime) // one without a time is the oldest
			newest = newest.or(words{c.Message, at})
		}
	}
	for _, e := range events {
		if e.GetType() == "Warning" || e.GetReason() == unschedulable {
			newest = newest.or(words{e.GetMessage(), e.GetLastSeen().AsTime()})
		}
	}
	return newest.text
}

// or returns the later of two messages that carry a reason.
func (w words) or(other words) words {
	if !other.sayAnything() || w.sayAnything() && other.at.Before(w.at) {
		return w
	}
	return other
}

func (w words) sayAnything() bool { return w.text != "" && !strings.HasPrefix(w.text, countsOnly) }

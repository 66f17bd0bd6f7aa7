package volcano

import (
	"strings"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// unschedulable is the type of the condition, and the reason of the event, with which Volcano says why a group waits.
const unschedulable = "Unschedulable"

// words are something that Volcano has said.
type words struct {
	text string
	at   time.Time
}

// countsOnly begins the words that Volcano has for each group without Pods, which say nothing: it has others in the same session,
// at the same second, if it knows a reason.
const countsOnly = "0/0 tasks"

// wordsOf are the newest in which Volcano says why a group waits; empty if it does not. Of a group without Pods, they are
// mostly in its events only.
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

// or is the later of two that say anything.
func (w words) or(other words) words {
	if !other.sayAnything() || w.sayAnything() && other.at.Before(w.at) {
		return w
	}
	return other
}

func (w words) sayAnything() bool { return w.text != "" && !strings.HasPrefix(w.text, countsOnly) }

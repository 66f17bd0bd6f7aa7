package kubectl

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// earlier is an attempt that has ended, and its outcome.
type earlier struct {
	Attempt int32  `json:"attempt"`
	Code    int32  `json:"code"`
	Phrase  string `json:"phrase,omitempty"`
	// Node that the Pod of a Task was on; empty if it is not known.
	Node string `json:"node,omitempty"`
	// Sentence is for people, and may be reworded.
	Sentence string `json:"sentence"`
}

func (e earlier) String() string { return fmt.Sprintf("attempt %d: over, %s", e.Attempt, e.Sentence) }

func earlierOf(attempt, code int32, phrase, node string) earlier {
	return earlier{attempt, code, phrase, node, phrased(phrase) + fmt.Sprintf("code %d", code) + on(node)}
}

// told has the facts of attempts that the status no longer has, from events or the history.
type told struct {
	attempts []earlier
	byTask   map[string][]earlier
	// unread are messages of retries of the Framework by an older controller, which has noted no facts.
	unread []string
	events []corev1.Event
}

// attemptsOf returns the earlier attempts of a Task, the first one first. The last ones come from its status, which has more details.
func (t told) attemptsOf(role string, task *v1.TaskStatus) []earlier {
	var out []earlier
	for _, e := range task.EarlierAttempts {
		out = put(out, earlierOf(e.ID, e.Code, e.Phrase, e.Node))
	}
	for _, e := range t.byTask[explain.TaskName(role, task.Index)] {
		out = put(out, e)
	}
	return out
}

// wasRetried reports whether any attempt was retried.
func (s *stored) wasRetried() bool {
	if s.Status.AttemptStatus.ID > 0 {
		return true
	}
	for _, role := range s.Status.AttemptStatus.TaskRoleStatuses {
		for i := range role.TaskStatuses {
			if role.TaskStatuses[i].AttemptStatus.ID > 0 {
				return true
			}
		}
	}
	return false
}

// tellingsOf reads the facts of the events of a Framework, which are in order. Facts about Tasks before a retry of the whole Framework are
// dropped, because they concern other Tasks.
func tellingsOf(events []corev1.Event) told {
	t := told{byTask: map[string][]earlier{}, events: events}
	for i := range events {
		e := &events[i]
		f := reason.FactsOf(e.Annotations)
		ended, ok := attemptOf(f)
		switch {
		case e.Reason == string(reason.Retried):
			if t.byTask = map[string][]earlier{}; ok {
				t.attempts = append(t.attempts, ended)
			} else {
				t.unread = append(t.unread, e.Message)
			}
		case e.Reason == string(reason.TaskRetried) && ok && f.Task() != "":
			t.byTask[f.Task()] = append(t.byTask[f.Task()], ended)
		}
	}
	return t
}

// attemptOf returns the attempt whose end an event reports; ok is false if the event has no such fact, like events of older controllers.
func attemptOf(f reason.Facts) (ended earlier, ok bool) {
	if f.Attempt == nil || f.Code == nil {
		return earlier{}, false
	}
	return earlierOf(*f.Attempt, *f.Code, f.Phrase, f.Node), true
}

// ofAttempts are the reasons of events about an attempt of the whole Framework.
var ofAttempts = []reason.Event{reason.AttemptCompleted, reason.RetryScheduled, reason.Retried}

// treeOfAttempt returns the events of an attempt of the whole Framework. Events of an older controller may be about any attempt.
func (t told) treeOfAttempt(s *stored, attempt int32) *treeDocument {
	d := &treeDocument{document: documentOf("FrameworkTree", s), Attempt: &attempt, eventsOnly: true}
	for i := range t.events {
		e := &t.events[i]
		of := reason.FactsOf(e.Annotations).Attempt
		if slices.Contains(ofAttempts, reason.Event(e.Reason)) && (of == nil || *of == attempt) {
			d.Events = append(d.Events, eventDocument{of, e.Reason, e.Message})
		}
	}
	return d
}

// told returns the facts in the history about attempts before the current ones of a past Framework.
func (s *saved) told(then *stored) told {
	t := told{byTask: map[string][]earlier{}}
	for _, f := range s.frameworks {
		if f.UID != then.UID || f.broken != nil || f.Status == nil || f.Status.AttemptStatus.ID >= then.Status.AttemptStatus.ID {
			continue
		}
		if end := f.Status.AttemptStatus.CompletionStatus; end != nil {
			t.attempts = put(t.attempts, earlierOf(f.Status.AttemptStatus.ID, end.Code, end.Phrase, ""))
		}
	}
	for _, task := range s.tasks {
		f := task.failure(s.frameworks)
		end := task.Status.AttemptStatus.CompletionStatus
		if f.owner.UID != then.UID || f.attempt != then.Status.AttemptStatus.ID || end == nil || !isBefore(task.Status, f.role, then) {
			continue
		}
		name := explain.TaskName(f.role, task.Status.Index)
		t.byTask[name] = put(t.byTask[name], earlierOf(task.Status.AttemptStatus.ID, end.Code, end.Phrase, valueOf(task.Status.AttemptStatus.PodNodeName)))
	}
	return t
}

// isBefore reports whether a Task of the history is a Task of the past Framework, in an earlier attempt.
func isBefore(t *v1.TaskStatus, role string, then *stored) bool {
	for _, r := range then.Status.AttemptStatus.TaskRoleStatuses {
		if r.Name == role && int(t.Index) < len(r.TaskStatuses) {
			now := &r.TaskStatuses[t.Index]
			return now.InstanceUID == t.InstanceUID && now.AttemptStatus.ID > t.AttemptStatus.ID
		}
	}
	return false
}

// put inserts an attempt in order, unless it is there already, as the history may have it twice.
func put(all []earlier, e earlier) []earlier {
	at, found := slices.BinarySearchFunc(all, e, func(a, b earlier) int { return int(a.Attempt - b.Attempt) })
	if found {
		return all
	}
	return slices.Insert(all, at, e)
}

// phrased is a phrase before a code, if there is one.
func phrased(phrase string) string {
	if phrase == "" {
		return ""
	}
	return phrase + ", "
}

func on(node string) string {
	if node == "" {
		return ""
	}
	return " on " + node
}

package reason

import (
	"slices"
	"strconv"
	"strings"
)

// Keys of the annotations of events, which have the facts of an event for programs.
const (
	KeyTask    = "frameworkcontroller.microsoft.com/task"
	KeyAttempt = "frameworkcontroller.microsoft.com/attempt"
	KeyCode    = "frameworkcontroller.microsoft.com/code"
	KeyPhrase  = "frameworkcontroller.microsoft.com/phrase"
	KeyRow     = "frameworkcontroller.microsoft.com/row"
	KeyNode    = "frameworkcontroller.microsoft.com/node"
	KeyCause   = "frameworkcontroller.microsoft.com/cause"
	KeyRole    = "frameworkcontroller.microsoft.com/role"
	KeyFrom    = "frameworkcontroller.microsoft.com/scale-from"
	KeyTo      = "frameworkcontroller.microsoft.com/scale-to"
)

// Facts are the arguments of an event. A program that reads them need not read the message. The zero value has none.
type Facts struct {
	// Tasks that the event is about, as users write them: worker-0.
	Tasks []string
	// Attempt that the event is about, of the only Task or, for an event about the Framework, of the Framework; nil if there is none.
	Attempt *int32
	// Code and Phrase with which that attempt ended; nil and empty if it has not ended.
	Code   *int32
	Phrase string
	// Row of the retry table that decided on a retry; empty if none has.
	Row string
	// Node of the Pod, or names of the nodes to avoid, separated by commas; empty if there is none.
	Node string
	// Role that the event is about, if it is about neither Tasks nor the whole Framework; empty otherwise.
	Role string
	// Scale is the change of the number of Tasks of that role; nil if it has not changed.
	Scale *Scale
	// Cause of a deletion; zero if nothing was deleted.
	Cause Cause
}

// Scale is a change of the number of Tasks of a role.
type Scale struct{ From, To int32 }

// OfAttempt returns the facts with that attempt.
func (f Facts) OfAttempt(id int32) Facts {
	f.Attempt = &id
	return f
}

// Ended returns the facts with the end of the attempt.
func (f Facts) Ended(code int32, phrase string) Facts {
	f.Code, f.Phrase = &code, phrase
	return f
}

// Task returns the Task, if the facts are about exactly one; empty otherwise.
func (f Facts) Task() string {
	if len(f.Tasks) != 1 {
		return ""
	}
	return f.Tasks[0]
}

// Deletion returns the facts about why an object was deleted.
func (f Facts) Deletion() Deletion {
	d := Deletion{Cause: f.Cause, Row: f.Row}
	if f.Code != nil {
		d.Ended, d.Code = true, *f.Code
	}
	return d
}

// Annotations returns the facts as annotations of an event. Unknown facts are left out; nil if no fact is known.
func (f Facts) Annotations() map[string]string {
	var a map[string]string
	for key, value := range map[string]string{
		KeyTask: strings.Join(slices.Sorted(slices.Values(f.Tasks)), ","), KeyAttempt: number(f.Attempt), KeyCode: number(f.Code),
		KeyPhrase: f.Phrase, KeyRow: f.Row, KeyNode: f.Node, KeyCause: f.Cause.String(),
		KeyRole: f.Role, KeyFrom: f.Scale.from(), KeyTo: f.Scale.to(),
	} {
		if value == "" {
			continue
		}
		if a == nil {
			a = map[string]string{}
		}
		a[key] = value
	}
	return a
}

func (s *Scale) from() string {
	if s == nil {
		return ""
	}
	return number(&s.From)
}

func (s *Scale) to() string {
	if s == nil {
		return ""
	}
	return number(&s.To)
}

func number(n *int32) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(int(*n))
}

// FactsOf reads the facts of an event back. An annotation that is absent or odd is no fact, and neither is a cause that this
// version does not know.
func FactsOf(annotations map[string]string) Facts {
	f := Facts{
		Attempt: numberOf(annotations[KeyAttempt]), Code: numberOf(annotations[KeyCode]), Phrase: annotations[KeyPhrase],
		Row: annotations[KeyRow], Node: annotations[KeyNode], Cause: CauseOf(annotations[KeyCause]), Role: annotations[KeyRole],
	}
	if from, to := numberOf(annotations[KeyFrom]), numberOf(annotations[KeyTo]); from != nil && to != nil {
		f.Scale = &Scale{From: *from, To: *to}
	}
	if tasks := annotations[KeyTask]; tasks != "" {
		f.Tasks = strings.Split(tasks, ",")
	}
	return f
}

func numberOf(text string) *int32 {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return nil
	}
	return new(int32(n))
}

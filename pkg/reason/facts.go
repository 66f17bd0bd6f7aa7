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
)

// Facts are the arguments of an event: those who read it need not read its message. The zero value has none.
type Facts struct {
	// Tasks that the event is about, as users write them: worker-0.
	Tasks []string
	// Attempt that the event is about, of the only Task or, for an event about the Framework, of the Framework; nil if there is none.
	Attempt *int32
	// Code and Phrase with which that attempt ended; nil and empty if it did not.
	Code   *int32
	Phrase string
	// Row of the retry table that has decided what follows; empty if none has.
	Row string
	// Node of the Pod; empty if it had none.
	Node string
	// Cause of a deletion; zero if nothing was deleted.
	Cause Cause
}

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

// Deletion returns the facts that say why something was deleted.
func (f Facts) Deletion() Deletion {
	d := Deletion{Cause: f.Cause, Row: f.Row}
	if f.Code != nil {
		d.Ended, d.Code = true, *f.Code
	}
	return d
}

// Annotations returns the facts as annotations of an event. What is not known is left out; nil if nothing is.
func (f Facts) Annotations() map[string]string {
	var a map[string]string
	for key, value := range map[string]string{
		KeyTask: strings.Join(slices.Sorted(slices.Values(f.Tasks)), ","), KeyAttempt: number(f.Attempt), KeyCode: number(f.Code),
		KeyPhrase: f.Phrase, KeyRow: f.Row, KeyNode: f.Node, KeyCause: f.Cause.String(),
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
		Row: annotations[KeyRow], Node: annotations[KeyNode], Cause: CauseOf(annotations[KeyCause]),
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

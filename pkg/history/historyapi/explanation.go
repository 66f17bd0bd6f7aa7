package historyapi

import (
	"encoding/json"
	"time"
)

// Explanation explains an attempt of a Framework, in the statements of kubectl framework explain.
type Explanation struct {
	FrameworkAttempt int32 `json:"frameworkAttempt"`
	// Time at which the history was read.
	Time time.Time `json:"time"`
	// About is the Framework or the Task.
	About Subject `json:"about"`
	// Statements come in the order in which they are to be read.
	Statements []Statement `json:"statements"`
	// Next are the commands to run next, the most useful first.
	Next []NextStep `json:"next"`
}

// Statement is one thing that an explanation states. Topic, Subject and Arguments are stable; Sentence may be reworded at any time.
type Statement struct {
	// Topic names what is stated, as in the manual of the output of kubectl framework.
	Topic   string  `json:"topic"`
	Subject Subject `json:"subject"`
	// Arguments are the facts of the sentence: an object whose fields depend on the topic.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Continues: it is read on the line of the statement before it.
	Continues bool   `json:"continues,omitempty"`
	Sentence  string `json:"sentence"`
	// Parts are the parts of the sentence, in its order; empty if it words no time and names no Task or node.
	Parts []SentencePart `json:"parts,omitempty"`
}

// SentencePart is a piece of a sentence. A reader may show its time in another zone, or a link to its subject, in place of the text.
type SentencePart struct {
	Text string `json:"text"`
	// Time that the text words; nil if it words none.
	Time *time.Time `json:"time,omitempty"`
	// Distance: the text is the distance between Time and the time of the explanation, such as 5m, and not Time itself.
	Distance bool `json:"distance,omitempty"`
	// Subject that the text names, which is a Task or a node; nil if it names none.
	Subject *Subject `json:"subject,omitempty"`
}

// Subject is the object of a statement.
type Subject struct {
	// Kind is Framework, Role, Task, Pod, Container or Node.
	Kind string `json:"kind"`
	Name string `json:"name"`
	// Role and Index of a Task; empty and nil if the object belongs to none.
	Role  string `json:"role,omitempty"`
	Index *int32 `json:"index,omitempty"`
}

// NextStep is a command that can be run as it is, and its purpose.
type NextStep struct {
	Command string `json:"command"`
	Why     string `json:"why"`
}

// User is the sender of a request.
type User struct {
	// Name is empty if the server does not authenticate.
	Name string `json:"name"`
	// LabelSelector selects the Frameworks of the user; empty if the server has no --user-label, or the name fits no label.
	LabelSelector string `json:"labelSelector,omitempty"`
}

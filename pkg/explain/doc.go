// Package explain describes the state of a Framework, why it waits or how it has ended, and the next steps of its user.
//
// It is pure: objects go in, an answer comes out. It reads no clock and makes no request; the caller reads the objects, and prints the
// answer. The same Facts always give the same Answer.
//
//	facts := explain.Facts{Framework: f, Pods: pods, Events: events, Now: time.Now()}
//	answer := explain.Framework(facts)               // or Role, or Task
//	for _, line := range answer.Lines() { ... }      // sentences, one or a few to a line
//	for _, s := range answer.Statements { ... }      // the same as data: topic, subject, arguments, sentence
//	for _, step := range answer.Next { ... }         // commands that can be run as they are
//
// A past attempt may be known from a history alone, without its spec, Pods and events. PastFramework, PastRole and PastTaskOf explain
// it with the same statements.
//
// An answer is made in three steps. Builders, which Framework, Role and Task list in the order of reading, make statements from
// facts. Compose drops statements that repeat another one: two are the same by topic and subject. Render makes the sentence of each
// statement from the table of topics, and nothing reads a sentence back.
//
// A Word explains one constant: a code, a reason of a condition, a reason of an event. Each constant has one, which a test ensures.
package explain

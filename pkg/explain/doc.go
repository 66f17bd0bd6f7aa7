// Package explain says what a Framework is doing, why it waits or how it has ended, and what to do about it.
//
// It is pure: objects go in, an answer comes out. It reads no clock and makes no request; whoever calls it has read the
// objects, and prints what comes back. The same Facts always give the same Answer.
//
//	facts := explain.Facts{Framework: f, Pods: pods, Events: events, Now: time.Now()}
//	answer := explain.Framework(facts)               // or Role, or Task
//	for _, line := range answer.Lines() { ... }      // sentences, one or a few to a line
//	for _, s := range answer.Statements { ... }      // the same as data: topic, subject, arguments, sentence
//	for _, step := range answer.Next { ... }         // commands that can be run as they are
//
// An answer is made in three steps. Builders, which Framework, Role and Task list in the order of reading, make statements from
// facts. Compose drops statements that repeat another one: two are the same by topic and subject. Render makes the sentence of each
// statement from the table of topics, and nothing reads a sentence back.
//
// A Word is what is said of one constant: a code, a reason of a condition, a reason of an event. Each has one, and a test
// that walks all constants fails on one without.
package explain

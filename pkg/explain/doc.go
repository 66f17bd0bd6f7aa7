// Package explain says in sentences what a Framework is doing, why it waits or how it has ended, and what to do about it.
//
// It is pure: objects go in, sentences come out. It reads no clock and makes no request; whoever calls it has read the
// objects, and prints what comes back. The same Facts always give the same Answer.
//
//	facts := explain.Facts{Framework: f, Pods: pods, Events: events, Now: time.Now()}
//	answer := explain.Framework(facts)                  // or Role, or Task
//	for _, sentence := range answer.Sentences { ... }   // one to a line
//	for _, step := range answer.Next { ... }            // commands that can be run as they are
//
// A Word is what is said of one constant: a code, a reason of a condition, a reason of an event. Each has one, and a test
// that walks all constants fails on one without.
package explain

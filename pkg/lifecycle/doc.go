// Package lifecycle decides the life of a Framework: one pure function returns the next state of the Framework and
// of its Tasks, and the actions that follow.
//
// It promises that the same input always gives the same output; that nothing but the declared transitions happens; that what
// users see only moves forward; and that a crash, a lost answer or a stale cache at any point leads to the same end. It reads no
// clock, does no I/O, never changes its input and never panics, whatever the spec, the status or the observation holds. Watching,
// storing and performing are left to package controller, building Pods to package objects, and classifying failures to package
// completion.
//
//	state, err := lifecycle.Load(f.Status) // once, when the Framework is first seen; nil if it has none
//	out := lifecycle.Step(lifecycle.Input{Framework: f, Saved: state, Observed: o, Config: c, Seed: s, Now: now})
//	err = store(out.State.Status()) // unless out.State == state; if it fails, drop the round
//	report(out.Events)
//	perform(out.Actions)            // the results are part of the next observation
//
// # Persist, then act
//
// A round is one call of Step. Its caller owes it this, and everything above depends on it:
//
//  1. Saved is the stored state. After a write whose outcome is unknown, the stored state is read again.
//  2. No action is performed, and no event reported, before State is stored. If storing fails, the round never
//     was: its actions and events are dropped, and the next round is not Partial.
//  3. Gone, Asked and DeleteRequested in an observation are certain: they come from a watch event or from
//     an answer of the API server. Anything missing from it may be unknown, lag, or be filtered out.
//  4. Actions on one name are performed one at a time; a round asks for at most one per name. An action is
//     asked for again until its effect is observed, so it may be dropped at any time. One that has failed, or
//     has changed nothing, is to be repeated only after a pause: Step itself never waits.
//  5. After a restart nothing is remembered, and nothing need be, except that the caches must not be older than
//     the restart.
//  6. A round may be Partial if only Tasks have events; it then lists these Tasks, and the RequeueTasks of the
//     round before. Decisions are the same, at a cost in proportion to the changes. Stalls are complete in any case.
//  7. At WakeAt, when the spec or the ConfigMap has changed, and after a restart, everything is looked at.
//
// Each fact in an observation was true at some time since Saved was stored. That suffices: objects are named by UID, attempts by
// number, and an outcome, once stored, stays.
//
// # Vocabulary
//
// A Framework has roles, a role has Tasks, and both Framework and Task go from attempt to attempt. An attempt of the Framework is
// one ConfigMap, which owns the Pods of its Tasks; an attempt of a Task is one Pod. A row is a transition of the tables in
// transition.go, or, if the state stays the same, a hold. An outcome is a completion status. An attempt is decided once it has
// one, completing until its object is gone, and then completed. A retry begins the next attempt; without one, the Framework or
// Task is Completed for good. A flagged Task is one that a scale-down removes. Peers are Tasks that start again together; each
// has a mark until it does. A leftover is a Pod of the attempt's ConfigMap that no Task has recorded. A held Pod terminates, no
// longer runs anything, and is kept only by finalizers of others; an attempt completes as if it were gone. A deletion has a cause
// (package reason), which follows from the outcome, and so from what is stored.
//
// # Rooms
//
// Packages below this one answer single questions. They take values and return values; only this package moves anything.
//
//	gates     which roles' Pods may be created, and which roles may start
//	deadline  when the start of a Pod is given up
//	avoid     which nodes later Pods avoid, and for how long
//	retry     whether another attempt follows, when, together with which Tasks, and why not
//	waiting   what a Framework waits for, and the sentence of the condition
//
// # States
//
// A Framework and a Task go through the same states; the object is a ConfigMap or a Pod. Rows F12 and T10, F13
// and T11 also lead away from every earlier state in which there is an object: others may delete it any time.
//
//	         AttemptCreationPending <-----------------------------+
//	          |     | F5  T3   the object is acknowledged         |
//	          |     v                                             |
//	          |   AttemptCreationRequested ----+                  |
//	          |     | F8  T7a  it is seen      |                  |
//	F4 T2 T4  |     v                          |                  |
//	  it was  |   AttemptPreparing             | F7 T6            |
//	   never  |     | F9  T7b  it runs         | it was never     | F16 T12
//	 created  |     v                          | seen             | retry
//	          |   AttemptRunning               |                  |
//	          |     | F10 T8   decided         |                  |
//	          |     v                          |                  |
//	          |   AttemptDeletionPending       |                  |
//	          |     | F11 T9   acknowledged    |                  |
//	          |     v                          |                  |
//	          |   AttemptDeletionRequested     |                  |
//	          |     | F12 T10  terminating     |                  |
//	          |     v                          |                  |
//	          |   AttemptDeleting              |                  |
//	          |     | F13 T11  gone            |                  |
//	          |     v                          |                  |
//	          +-> AttemptCompleted <-----------+------------------+
//	                | F14 T13  no retry
//	                v
//	              Completed -- F17 T14 --> removed
//
// The tables themselves, in words, are printed in docs/design/state-machines.md. The stories in testdata show every
// row of them at work.
package lifecycle

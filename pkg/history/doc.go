// Package history writes objects into the log just before they are gone. Log collectors keep the history of a
// cluster by it (contract 8).
//
// It promises lines in the form that such collectors parse: a klog header, a text, the trigger, and the object as
// JSON to the end of the line, in one write. Nothing but persisted state is given to it; the same state may come
// twice, and consumers tell by its resourceVersion.
//
//	log := history.New(os.Stderr, history.Switches{OnTaskRetry: true})
//	log.TaskRetry(framework, task)
package history

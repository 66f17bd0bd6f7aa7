// Package history writes objects to the log just before they are deleted or replaced. Log collectors keep the history of a cluster with it
// (contract 8).
//
// It promises lines in the form that such collectors parse: a klog header, a text, the trigger, and the object as JSON to the end of the
// line, in one write. It only gets persisted state; the same state may be logged twice, and consumers deduplicate by its resourceVersion.
//
//	log := history.New(os.Stderr, history.Switches{OnTaskRetry: true})
//	log.TaskRetry(framework, task)
package history

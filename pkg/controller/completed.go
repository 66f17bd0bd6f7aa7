package controller

import "github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"

// releaseMemory drops what is of no use any more to a Framework that has completed: it may be kept for weeks, beside
// thousands of others. What a later write takes is made anew then. There may be one, as the status is restored if others
// change it, and follows edits of the spec.
func (r *record) releaseMemory() {
	r.builders = nil
	r.status.encoder.Forget()
	r.questions = newQuestions() // an answer under way makes a round, and is dropped after it
	r.dependents.stalls = map[lifecycle.TaskRef]lifecycle.Stall{}
	r.dependents.pods = nil
	if len(r.blockers.failures) == 0 {
		r.blockers.failures = map[string]failedAction{} // the emptied one has room for as many as there ever were
	}
}

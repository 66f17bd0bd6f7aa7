// Package specwarnings finds, in a spec that is valid, what its author probably does not want.
//
// It promises to be pure, to refuse nothing, and to parse no more of a Pod template than it needs: no quantities, whose
// exponents may make that long. Who is warned, when, and of how many roles is for package controller.
//
//	for _, w := range specwarnings.Find(name, spec) {
//		warn(w.Reason, w.Message)
//	}
//
// Find has the warnings that become events, once for each spec. Unresolvable has what becomes a condition, as it lasts.
package specwarnings

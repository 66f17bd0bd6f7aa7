// Package specwarnings finds likely mistakes in a valid spec.
//
// It is pure, rejects nothing, and parses no more of a Pod template than it needs: no quantities, whose exponents may make
// that slow. Package controller decides who is warned, when, and of how many roles.
//
//	for _, w := range specwarnings.Find(name, spec) {
//		warn(w.Reason, w.Message)
//	}
//
// Find returns the warnings that become events, once for each spec. Unresolvable returns the text of a condition, which lasts.
package specwarnings

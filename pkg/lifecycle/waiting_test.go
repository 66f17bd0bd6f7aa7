package lifecycle

import "testing"

// A Pod that is on no node is kept by a finalizer.
func TestTerminatingOnNoNode(t *testing.T) {
	r := &round{}
	if got, want := r.whyTerminating("w", Stall{}), "it has a finalizer"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

package controller

import (
	"testing"
	"time"
)

// Behind a client rate that is set no action hands its slot off.
func TestClientRateDisablesHandoff(t *testing.T) {
	t.Parallel()
	for qps, want := range map[float32]bool{0: false, 80: true} {
		w := newWorld(t)
		w.config.QPS = qps
		c := w.newController(time.Now)
		t.Cleanup(c.reporter.stop)
		if c.performer.pool.DisableHandoff != want {
			t.Errorf("with a rate of %v handoff is disabled: %t", qps, c.performer.pool.DisableHandoff)
		}
	}
}

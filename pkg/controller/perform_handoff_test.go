package controller

import "testing"

// Behind a client rate that is set no action hands its slot off.
func TestClientRateDisablesHandoff(t *testing.T) {
	t.Parallel()
	for qps, want := range map[float32]bool{0: false, 80: true} {
		w := newWorld(t)
		w.config.QPS = qps
		clients, err := NewClients(w.config)
		if err != nil {
			t.Fatal(err)
		}
		c, err := New(clients, w.options)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.reporter.stop)
		if c.performer.pool.DisableHandoff != want {
			t.Errorf("with a rate of %v handoff is disabled: %t", qps, c.performer.pool.DisableHandoff)
		}
	}
}

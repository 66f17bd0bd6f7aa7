package controller

import (
	"testing"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// While creations wait, since a quota refuses them, deletions do not.
func TestQuotaDoesNotHoldDeletionsBack(t *testing.T) {
	inBubble(t, func(w *world) {
		w.start()
		w.create("a", roles(role("w", 1), role("q", 1)))
		w.Inject("create pods a-q-0", apitest.Always, apitest.Quota())
		w.runs("a")
		w.requested("create pods a-q-0", 3) // the next one comes in 2 s
		ended := time.Now()
		w.EndPod("a-w-0", 0)
		if d := w.requested("delete pods a-w-0", 1)[0].At.Sub(ended); d != 0 {
			w.t.Errorf("the deletion came after %v", d)
		}
	})
}

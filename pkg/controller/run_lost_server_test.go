package controller

import (
	"testing"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// A controller without probes, too, logs that its API server is gone, and when it is back.
func TestLostServerIsLogged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.options.ContactEvery = 10 * time.Millisecond
	w.start()
	w.running("a")
	w.Judge(func(apitest.Request) apitest.Fault { return apitest.DropConnection })
	w.BreakWatches()
	w.eventually("the loss is logged", func() bool { return len(w.log.lines("no contact with the API server")) > 0 })
	looks := len(w.log.lines("no contact"))
	w.Heal()
	w.eventually("that it is back is logged", func() bool { return len(w.log.lines("in contact with the API server again")) > 0 })
	if lost, back := len(w.log.lines("no contact")), len(w.log.lines("in contact")); looks != 1 || lost != 1 || back != 1 {
		t.Errorf("%d times lost and %d times back", lost, back)
	}
}

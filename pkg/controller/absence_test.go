package controller

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// An absence is two lines of the log, however long it is, and a look that fails between two that do not is none.
func TestAbsenceIsLoggedOnce(t *testing.T) {
	begin := time.Now()
	log := &logBuffer{}
	logger := hclog.New(&hclog.LoggerOptions{Output: log, Mutex: &log.mu})
	var a absence
	looks := "ok gone ok gone gone gone gone ok ok gone ok"
	for i, look := range strings.Fields(looks) {
		var err error
		if look == "gone" {
			err = errors.New("refused")
		}
		a.note(begin.Add(time.Duration(i)*time.Second), err, logger)
	}
	lost, back := log.lines("no contact with"), log.lines("again")
	if len(lost) != 1 || !strings.Contains(lost[0], "[WARN]") || !strings.Contains(lost[0], "error=refused") {
		t.Errorf("lost: %q", lost)
	}
	if len(back) != 1 || !strings.Contains(back[0], "[INFO]") || !strings.Contains(back[0], "after=4s") {
		t.Errorf("back: %q", back)
	}
}

// A controller without probes, too, says that its API server is gone, and when it is back.
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

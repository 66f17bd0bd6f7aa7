package apiserver

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
)

// An absence is logged in two lines, however long it is, and a single failed look between two successful ones is no absence.
func TestAbsenceIsLoggedOnce(t *testing.T) {
	begin := time.Now()
	log := &strings.Builder{}
	logger := hclog.New(&hclog.LoggerOptions{Output: log})
	var a absence
	looks := "ok gone ok gone gone gone gone ok ok gone ok"
	for i, look := range strings.Fields(looks) {
		var err error
		if look == "gone" {
			err = errors.New("refused")
		}
		a.note(begin.Add(time.Duration(i)*time.Second), err, logger)
	}
	lines := func(text string) (found []string) {
		for line := range strings.Lines(log.String()) {
			if strings.Contains(line, text) {
				found = append(found, line)
			}
		}
		return found
	}
	lost, back := lines("no contact with"), lines("again")
	if len(lost) != 1 || !strings.Contains(lost[0], "[WARN]") || !strings.Contains(lost[0], "error=refused") {
		t.Errorf("lost: %q", lost)
	}
	if len(back) != 1 || !strings.Contains(back[0], "[INFO]") || !strings.Contains(back[0], "after=4s") {
		t.Errorf("back: %q", back)
	}
}

package apiserver

import (
	"time"

	"github.com/hashicorp/go-hclog"
)

// absentAfter is how many checks of the API server have to fail in a row until it counts as gone: a single one may be lost.
const absentAfter = 2

// absence logs that the API server is gone, and that it is back, once each. Nobody else reports it: client-go hides a refused
// connection. The zero value means that the API server is there.
type absence struct {
	failures int
	began    time.Time // when the first of them was sent
}

// note records the result of a check.
func (a *absence) note(asked time.Time, err error, log hclog.Logger) {
	if err == nil {
		if a.failures >= absentAfter {
			log.Info("in contact with the API server again", "after", asked.Sub(a.began).Round(time.Millisecond))
		}
		*a = absence{}
		return
	}
	if a.failures == 0 {
		a.began = asked
	}
	if a.failures++; a.failures == absentAfter {
		log.Warn("no contact with the API server: Pods keep running, but nothing is decided until it is back", "error", err)
	}
}

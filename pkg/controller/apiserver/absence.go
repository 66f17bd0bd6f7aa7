package apiserver

import (
	"time"

	"github.com/hashicorp/go-hclog"
)

// absentAfter is how many looks at the API server have to fail in a row until it counts as gone: a single one may be lost.
const absentAfter = 2

// absence logs that the API server is gone, and that it is back, once each. Otherwise nobody would say so: client-go keeps
// a refused connection to itself. The zero value knows of none.
type absence struct {
	failures int
	began    time.Time // when the first of them was asked
}

// note enters what came of a look.
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
		log.Warn("no contact with the API server: Pods run on, and nothing is decided until it is back", "error", err)
	}
}

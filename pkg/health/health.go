package health

import (
	"fmt"
	"net/http"
	"strings"
)

// Check is one condition of health.
type Check struct {
	// Name for people and for tools, such as `api-server`. Unique among the checks of one probe.
	Name string
	// Look returns the fault in one line; nil if there is none. A note, such as "standing by", is shown beside a check
	// that passes; empty if there is none. Look is called for each probe, possibly several times at once, and must not
	// block.
	Look func() (note string, err error)
}

// Handler answers probes of that name with the current results of the checks.
func Handler(probe string, checks []Check) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		list, failed := look(checks)
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-cache, no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		switch {
		case failed:
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprintf(w, "%s%s check failed\n", list, probe)
		case r.URL.Query().Has("verbose"):
			fmt.Fprintf(w, "%s%s check passed\n", list, probe)
		default:
			fmt.Fprint(w, "ok")
		}
	})
}

// look lists the results of the checks, one line for each.
func look(checks []Check) (list string, failed bool) {
	var b strings.Builder
	for _, c := range checks {
		switch note, err := c.guarded(); {
		case err != nil:
			failed = true
			fmt.Fprintf(&b, "[-]%s failed: %s\n", c.Name, line(err.Error()))
		case note != "":
			fmt.Fprintf(&b, "[+]%s ok: %s\n", c.Name, line(note))
		default:
			fmt.Fprintf(&b, "[+]%s ok\n", c.Name)
		}
	}
	return b.String(), failed
}

func (c Check) guarded() (note string, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("a panic: %v", cause)
		}
	}()
	return c.Look()
}

// line joins a text into one line, as each check has one.
func line(text string) string { return strings.Join(strings.Fields(text), " ") }

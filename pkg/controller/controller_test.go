package controller

import (
	"testing"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// The configured rate limits all requests together, except watches.
func TestRateLimit(t *testing.T) {
	inBubble(t, func(w *world) {
		w.config.QPS, w.config.Burst = 4, 1
		w.start()
		w.create("a")
		w.requested("create pods", 1)
		var limited []apitest.Request
		for _, q := range w.Requests("*") {
			if q.Verb != "watch" && q.Verb != "list" {
				limited = append(limited, q)
			}
		}
		first, last := limited[0], limited[len(limited)-1]
		if least := time.Duration(len(limited)-1) * 250 * time.Millisecond; last.At.Sub(first.At) < least {
			w.t.Errorf("%d requests came in %v, want at least %v", len(limited), last.At.Sub(first.At), least)
		}
		watches := w.Requests("watch")
		// Two would have had to wait for their turn.
		if d := watches[2].At.Sub(watches[0].At); d != 0 {
			w.t.Errorf("the watches began within %v", d)
		}
	})
}

// NewClients does not change the caller's config.
func TestConfigIsNotChanged(t *testing.T) {
	t.Parallel()
	config := apitest.Start(t).Config()
	config.QPS, config.Burst = 3, 4
	if _, err := NewClients(config); err != nil {
		t.Fatal(err)
	}
	if config.Dial != nil || config.RateLimiter != nil || config.Timeout != 0 || config.QPS != 3 || config.Burst != 4 {
		t.Errorf("the config is now %+v", config)
	}
}

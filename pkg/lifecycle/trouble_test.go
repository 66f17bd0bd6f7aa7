package lifecycle_test

import (
	"fmt"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/lifecycletest"
)

// scenarios end in a way that does not depend on when things happen.
var scenarios = map[string][]command{
	"succeeds": {
		{"framework", "a x2"}, {line: "exit a-0 0"}, {line: "exit a-1 0"},
	},
	"retries": {
		{"framework max=1", "a x2 max=1"}, {line: "exit a-0 9"}, {line: "exit a-0 9"}, {line: "exit a-1 0"},
		{line: "exit a-0 0"},
	},
	"waits": {
		{"framework fancy", "a\nb max=2 backoff=10/60"}, {line: "exit b-0 9"}, {line: "advance 10s"},
		{line: "exit a-0 201"}, {line: "advance 15m"}, {line: "exit a-0 0"}, {line: "exit b-0 0"},
	},
	"rescales": {
		{"framework", "a x3 failed=3 max=1\nb"}, {line: "exit a-1 9"}, {"edit", "a x1"}, {"edit", "a x2\n-b"},
		{line: "exit a-0 0"}, {line: "exit a-1 0"},
	},
	"is stopped": {
		{"framework max=-2", "a x2 failed=2"}, {line: "exit a-0 9"}, {line: "edit exec=Stop"},
	},
	"loses its objects": {
		{"framework fancy", "a x2 fancy"}, {line: "delete pod a-0"}, {line: "delete configmap"}, {line: "exit a-0 0"},
		{line: "exit a-1 210"},
	},
	"is archived": {
		{line: "set history on"}, {"framework max=1", "a x2 max=1"},
		{line: "exit a-0 9"}, {line: "archived lost"}, {line: "archived all"}, {line: "archived all"}, {line: "archived all"},
		{line: "exit a-0 9"}, {line: "archived lost"}, {line: "archived all"}, {line: "archived all"}, {line: "archived all"},
		{line: "exit a-0 0"}, {line: "exit a-1 0"}, {line: "archived all"},
	},
	"is deleted": {
		{"framework", "a x2"}, {line: "delete framework"},
	},
}

// TestTroubleAnywhere: whatever trouble befalls any single request, a crash before it or the loss of the request or of its
// answer, the end is the same (P5).
func TestTroubleAnywhere(t *testing.T) {
	for name, commands := range scenarios {
		t.Run(name, func(t *testing.T) {
			want, requests := play(t, "", commands)
			for n := range requests {
				for _, trouble := range []string{"crash", "fail", "lose", "delay"} {
					trouble = fmt.Sprintf("%s %d", trouble, n+1)
					if got, _ := play(t, trouble, commands); got != want {
						t.Errorf("%s:\ngot\n%swant\n%s", trouble, got, want)
					}
				}
			}
		})
	}
}

// play runs a scenario with some trouble, and returns its end and the number of requests.
func play(t *testing.T, trouble string, commands []command) (end string, requests int) {
	story := lifecycletest.NewStory(lifecycletest.Config())
	story.Hooks.Failed = func(err error) { t.Error(err) }
	do := func(c command) string {
		out, err := story.Do(c.line, c.input)
		if err != nil {
			t.Fatalf("%s: %v", c.line, err)
		}
		return out
	}
	if trouble != "" {
		do(command{line: trouble})
	}
	for _, c := range commands {
		do(c)
		do(command{line: "advance 5s"}) // retries whatever has failed
	}
	do(command{line: "land"})
	do(command{line: "advance 1h"})
	return do(command{line: "status"}), story.Requests()
}

package config

import (
	"strings"
	"testing"
)

// No file makes Parse panic, and every error fits in one line.
func FuzzParse(f *testing.F) {
	f.Add("workerNumber: 1")
	f.Add("podFailureSpec:\n- code: 5\n  type: {attributes: [Transient]}\n  podPatterns: [{containers: [{codeRange: {min: 1}}]}]")
	f.Add("plugins:\n- {name: a, kind: SchedulerHints, command: a, timeout: 5s, parameters: {1: [2001-01-01, 1e3], <<: {x: ~}}}")
	f.Add("plugins: [{timeout: 5, env: {A: 1.50}, parameters: &p {a: *p}}]")
	f.Add("a: &a [*a]\n<<: *a")
	f.Add("? {a: b}\n: c")
	f.Add("plugins: [{parameters: {1: [2001, 1e3], <<: a, {x: ~}}}]")
	f.Add("!!binary x: \ty")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Parse([]byte(text))
		if (c == nil) == (err == nil) {
			t.Errorf("got %v and %v", c, err)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("more than one line: %q", err)
		}
	})
}

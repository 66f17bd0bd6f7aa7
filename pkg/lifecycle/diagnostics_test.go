package lifecycle

import (
	"strings"
	"testing"
)

// Whatever is added about retries, an event's message begins as it does without it, and stays acceptable to Kubernetes.
func TestStepsInEvents(t *testing.T) {
	for text, want := range map[string]string{
		"it failed":    "it failed. Task w-0: none",
		"it failed.":   "it failed. Task w-0: none",
		"it failed...": "it failed... Task w-0: none",
	} {
		if got := followedBy(text, "Task w-0: none"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	text, more := strings.Repeat("a", 600), strings.Repeat("\u00e9", 400)
	got := followedBy(text, more)
	if len(got) > longestEvent || len(got) < longestEvent-4 || !strings.HasPrefix(got, text+". \u00e9") || !strings.HasSuffix(got, "\u00e9...") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}

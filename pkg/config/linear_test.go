package config

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// Containers choose the messages in which patterns are searched. The search takes time linear in the message's length,
// whatever the pattern: patterns for which other engines take ages take milliseconds.
func TestPatternsTakeLinearTime(t *testing.T) {
	message := strings.Repeat("a", 200_000) + "!"
	for _, pattern := range []string{`(a+)+$`, `(a|aa)+$`, `(.*a){20}$`, `^(([a-z])+.)+[A-Z]([a-z])+$`} {
		c, err := Parse([]byte("podFailureSpec: [{code: 5, podPatterns: [{containers: [{messageRegex: '" + pattern + "'}]}]}]"))
		require.NoError(t, err)
		start := time.Now()
		got := c.Rules().Classify(completion.Pod{Containers: []completion.Container{{Name: "a", Terminated: true, Code: 1, Message: message}}})
		if took := time.Since(start); got.Code == 5 || took > 10*time.Second {
			t.Errorf("%s: code %d after %s", pattern, got.Code, took)
		}
	}
}

package lifecycle

import "testing"

// What withSteps has added can be taken off again, and nothing else.
func TestWithoutSteps(t *testing.T) {
	for _, steps := range []string{
		"Framework: has a retry left",
		"Framework: a Permanent failure is not retried",
		"Task w-0: no retry is left by maxRetryCount 1; role w: no retry is left by maxRetryCount 2; Framework: no retry is left by maxRetryCount 0",
		"Task w-0: no retry is left by maxRetryCount 1 of the budget for phrase=A; B. C; Framework: no retry is left by window, 3 failures within 60 s",
	} {
		for _, reason := range []string{"", "the chief has ended", "Framework: the chief has ended. Task w-0: gone"} {
			if got := WithoutSteps(withSteps(reason, steps)); got != reason {
				t.Errorf("of %q with %q is left %q", reason, steps, got)
			}
		}
	}
	for _, whole := range []string{"", "the chief has ended", "it is over. Framework: none", "Framework: has a retry left, says the plugin"} {
		if got := WithoutSteps(whole); got != whole {
			t.Errorf("of %q is left %q", whole, got)
		}
	}
}

package answers

import (
	"errors"
	"fmt"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// longestDelay is the maximum delay of a retry that a verdict may ask for, in seconds.
const longestDelay = 24 * 60 * 60

// checkAdvice returns the mistake in a verdict's advice about the retry; nil if there is none.
func checkAdvice(v *pluginpb.Verdict) error {
	_, known := pluginpb.RestartScope_name[int32(v.GetRestart())]
	switch {
	case !known:
		return fmt.Errorf("restart is %d, which is not a known scope", v.GetRestart())
	case v.GetDelaySeconds() < 0 || v.GetDelaySeconds() > longestDelay:
		return fmt.Errorf("delay_seconds is %d, and must be from 0 to %d", v.GetDelaySeconds(), longestDelay)
	case v.GetGiveUpAttempt() && (v.GetRestart() != 0 || v.DelaySeconds != nil):
		return errors.New("give_up_attempt excludes a retry of the Task, but restart or delay_seconds is set: leave them out")
	}
	return nil
}

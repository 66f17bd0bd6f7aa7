package answers

import (
	"errors"
	"fmt"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// longestDelay is how long a verdict may have a retry wait, in seconds.
const longestDelay = 24 * 60 * 60

// checkAdvice returns what is wrong with what a verdict says about the retry; nil if nothing is.
func checkAdvice(v *pluginpb.Verdict) error {
	_, known := pluginpb.RestartScope_name[int32(v.GetRestart())]
	switch {
	case !known:
		return fmt.Errorf("restart is %d, which is no scope that is known here", v.GetRestart())
	case v.GetDelaySeconds() < 0 || v.GetDelaySeconds() > longestDelay:
		return fmt.Errorf("delay_seconds is %d, and has to be from 0 to %d", v.GetDelaySeconds(), longestDelay)
	case v.GetGiveUpAttempt() && (v.GetRestart() != 0 || v.DelaySeconds != nil):
		return errors.New("give_up_attempt says that there is no retry of the Task, but restart or delay_seconds is set: leave those out")
	}
	return nil
}

package podverdict

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

var scopes = map[pluginpb.RestartScope]v1.RestartScope{
	pluginpb.RestartScope_RESTART_SCOPE_TASK:      v1.RestartTask,
	pluginpb.RestartScope_RESTART_SCOPE_ROLE:      v1.RestartRole,
	pluginpb.RestartScope_RESTART_SCOPE_FRAMEWORK: v1.RestartFramework,
}

// Advice returns a verdict's advice about the retry; nil if it has none.
func Advice(v *pluginpb.Verdict) *v1.RetryAdvice {
	out := v1.RetryAdvice{Restart: scopes[v.GetRestart()], DelaySec: v.DelaySeconds, GiveUpAttempt: v.GetGiveUpAttempt()}
	if out == (v1.RetryAdvice{}) {
		return nil
	}
	return &out
}

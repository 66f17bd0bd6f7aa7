package volcano

import (
	"strings"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/hintstory"
)

// A gang gets a warning at its start if Volcano may preempt a part of it while the rest keeps its places.
func TestPreemptedInPart(t *testing.T) {
	const (
		task      = pluginpb.RestartScope_RESTART_SCOPE_TASK
		role      = pluginpb.RestartScope_RESTART_SCOPE_ROLE
		framework = pluginpb.RestartScope_RESTART_SCOPE_FRAMEWORK
	)
	policy := func(fancy bool, most int32, restart pluginpb.RestartScope) *pluginpb.RetryPolicy {
		return &pluginpb.RetryPolicy{FancyRetryPolicy: fancy, MaxRetryCount: most, Restart: restart}
	}
	for _, test := range []struct {
		name      string
		policy    *pluginpb.RetryPolicy
		minFailed int32
		alone     bool // without another role
		want      string
	}{
		{"fails the attempt", policy(false, 0, task), 1, false, ""},
		{"fails for good, and the attempt goes on", policy(false, 0, task), -1, false, "worker"},
		{"transient failures are retried", policy(true, 0, task), 1, false, "worker"},
		{"retried", policy(false, 3, task), 1, false, "worker"},
		{"the role starts again", policy(true, 0, role), 1, true, ""},
		{"the role starts again, and another waits", policy(true, 0, role), 1, false, "worker"},
		{"all start again", policy(true, 0, framework), 1, false, ""},
		{"an older controller", policy(true, 0, 0), 1, false, ""},
		{"a controller without policies", nil, -1, false, ""},
	} {
		q := hintstory.Training(t, 4, research, nil)
		chief, worker := q.Roles[0], q.Roles[1]
		chief.RetryPolicy, chief.MinFailedTaskCount = policy(false, 0, task), 1
		worker.RetryPolicy, worker.MinFailedTaskCount = test.policy, test.minFailed
		if test.alone {
			q.Roles = q.Roles[1:]
		}
		got := strings.Join(hinted(t, q).GetWarnings(), "; ")
		if (got == "") != (test.want == "") || !strings.Contains(got, "Pods of role "+test.want) && test.want != "" {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	q := hintstory.Training(t, 0, research, nil)
	q.Roles[0].RetryPolicy = policy(true, 0, task)
	if got := hinted(t, q).GetWarnings(); len(got) > 0 {
		t.Errorf("a gang of one: %q", got)
	}
}

package checker

import (
	"encoding/json"
	"slices"
	"strconv"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// admission holds plug-18: while a Framework waits for its scheduler, that is stored at once, and the scheduler's admission before the
// first Pod. A Framework that omits its plugin waits no longer.
type admission struct{}

func (admission) see(t *replay, c change) {
	if c.pod == nil || c.pod.before != nil || !c.pod.after.made.ours() || !t.audit.mayHaveCreated(c.pod.after.UID) {
		return
	}
	made := c.pod.after.made
	f := t.frameworkOf(c.name.Namespace, made.framework, made.frameworkUID)
	if f == nil || f.Status == nil || strconv.Itoa(int(f.attempt().ID)) != made.frameworkAttempt || !waitsForScheduler(f) {
		return
	}
	t.hold(Admitted, c.subject(), len(f.attempt().SchedulerHints.Admission) > 0, "created before its scheduler had admitted attempt %s", made.frameworkAttempt)
}

func waitsForScheduler(f *framework) bool {
	hints := f.attempt().SchedulerHints
	if hints == nil || slices.ContainsFunc(f.Spec.Plugins, func(u v1.PluginUse) bool { return u.Disabled && u.Name == hints.Plugin }) {
		return false
	}
	answer := struct{ Wait, Watch bool }{}
	return json.Unmarshal(hints.Answer, &answer) == nil && answer.Wait && answer.Watch
}

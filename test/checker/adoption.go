package checker

import (
	"strconv"

	"k8s.io/apimachinery/pkg/types"
)

// adoption holds W10: the ConfigMap and the Pods that a status records were made for that very attempt.
type adoption struct {
	made map[types.UID]purpose // of all objects that ever existed
}

func newAdoption() *adoption { return &adoption{made: map[types.UID]purpose{}} }

func (r *adoption) see(t *replay, c change) {
	switch {
	case c.configMap != nil && c.configMap.before == nil:
		r.made[c.configMap.after.UID] = configMapPurpose(c.configMap.after)
	case c.pod != nil && c.pod.before == nil:
		r.made[c.pod.after.UID] = c.pod.after.made
	case c.framework != nil && c.framework.after != nil && c.framework.after.Status != nil:
		r.recorded(t, c, c.framework.before, c.framework.after)
	}
}

func (r *adoption) recorded(t *replay, c change, before, after *framework) {
	uid := uidOf(after.attempt().ConfigMapUID)
	if uid != "" && (before == nil || before.Status == nil || uidOf(before.attempt().ConfigMapUID) != uid) {
		made := r.made[uid]
		fits := made.frameworkUID == after.UID && made.frameworkAttempt == strconv.Itoa(int(after.attempt().ID))
		t.hold(Adoption, c.subject(), fits, "it records ConfigMap %s for attempt %d, which was made for attempt %s of %s",
			uid, after.attempt().ID, made.frameworkAttempt, made.frameworkUID)
	}
	for p, task := range after.tasks {
		if podUID := uidOf(task.AttemptStatus.PodUID); podUID != "" && !wasRecorded(before, p, podUID) {
			made := r.made[podUID]
			fits := made.attempt() == attemptOf(task) && made.configMapUID == uid
			t.hold(Adoption, c.task(p), fits, "it records Pod %s for %v, which was made for %v and ConfigMap %s",
				podUID, attemptOf(task), made.attempt(), made.configMapUID)
		}
	}
}

func wasRecorded(f *framework, p place, pod types.UID) bool {
	return f != nil && f.tasks[p] != nil && uidOf(f.tasks[p].AttemptStatus.PodUID) == pod
}

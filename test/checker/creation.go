package checker

import (
	"strconv"

	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// creation holds, of P1 ("every row of 2.11"): before a ConfigMap is created, the attempt is stored in AttemptCreationPending with that id;
// before a Pod is created, its attempt's configMapUID is stored, and the Task instance with that attempt id in AttemptCreationPending. And
// of S2b: "No Pod create precedes a stored status with that Task instance". G2 holds that the status still has the Task when the object is
// created.
type creation struct {
	configMaps map[attemptOfFramework]bool
	pods       map[podCalledFor]bool
}

type attemptOfFramework struct {
	framework types.UID
	attempt   string
}

type podCalledFor struct {
	configMap types.UID
	task      taskAttempt
}

func (r *creation) see(t *replay, c change) {
	if r.pods == nil {
		r.configMaps, r.pods = map[attemptOfFramework]bool{}, map[podCalledFor]bool{}
	}
	switch {
	case c.framework != nil && c.framework.after != nil && c.framework.after.Status != nil:
		r.stored(c.framework.after)
	case c.configMap != nil && c.configMap.before == nil:
		made := configMapPurpose(c.configMap.after)
		if made.ours() && t.audit.mayHaveCreated(c.configMap.after.UID) {
			t.hold(StoredFirst, c.subject(), r.configMaps[attemptOfFramework{made.frameworkUID, made.frameworkAttempt}],
				"created before attempt %s of Framework %s was stored", made.frameworkAttempt, made.framework)
		}
	case c.pod != nil && c.pod.before == nil:
		made := c.pod.after.made
		if made.ours() && t.audit.mayHaveCreated(c.pod.after.UID) {
			called := r.pods[podCalledFor{made.configMapUID, made.attempt()}]
			t.hold(StoredFirst, c.subject(), called, "created before ConfigMap %s and %v were stored", made.configMapUID, made.attempt())
			t.hold(FlagFirst, c.subject(), called, "created before its Task instance was stored")
		}
	}
}

// stored remembers the objects that the status calls for.
func (r *creation) stored(f *framework) {
	if f.Status.State == v1.AttemptCreationPending {
		r.configMaps[attemptOfFramework{f.UID, strconv.Itoa(int(f.attempt().ID))}] = true
	}
	configMap := uidOf(f.attempt().ConfigMapUID)
	for _, task := range f.tasks {
		if configMap != "" && task.State == v1.AttemptCreationPending {
			r.pods[podCalledFor{configMap, attemptOf(task)}] = true
		}
	}
}

package controller

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// volume adds a volume whose claims all have the same request.
func volume(name string, per v1.VolumePer, retention v1.VolumeRetention) func(*v1.FrameworkSpec) {
	return func(s *v1.FrameworkSpec) {
		s.Volumes = append(s.Volumes, v1.VolumeSpec{
			Name: name, MountPath: "/" + name, Per: per, Retention: retention,
			Claim: []byte(`{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}`),
		})
	}
}

// volumeStories are the stories about claims.
func volumeStories() []story {
	data := volume("data", v1.VolumePerTask, v1.VolumeDelete)
	return []story{
		{
			name: "volumes of all kinds, and a retry",
			spec: edits(taskRetries(1), data, volume("all", v1.VolumePerFramework, v1.VolumeDelete), volume("role", v1.VolumePerRole, v1.VolumeRetain)),
			exit: perTaskAttempt(1, 0),
		},
		{
			name: "claims go with a scale-down, and come back with a scale-up",
			spec: edits(tasks(2), data),
			exit: once(func(s scene) bool { return s.running()+s.ended() == 3 }, 0),
			steps: []step{
				{func(s scene) bool { return s.running() == 2 }, respec(tasks(1), data)},
				{func(s scene) bool { return s.Get(apitest.Claims, "a-w-1-data") == nil && s.running() == 1 }, respec(tasks(3), data)},
			},
		},
		{
			name: "a volume is taken out and put back, and a Task is retried",
			spec: edits(tasks(2), taskRetries(1), data),
			exit: func(s scene, pod podRun) int64 {
				return onlyIf(s.edited(2) && s.inTurn(pod), perTaskAttempt(1, 0)(s, pod))
			},
			steps: []step{
				{func(s scene) bool { return s.running() == 2 }, respec(tasks(2), taskRetries(1))},
				{func(s scene) bool { return s.edited(1) }, respec(tasks(2), taskRetries(1), data)},
			},
		},
		{
			name:  "the name of a claim is taken",
			spec:  edits(data),
			begin: func(w *world) { w.Create(apitest.Claims, stranger("a-w-0-data")) },
			steps: []step{{waits, func(w *world) { w.Delete(apitest.Claims, "a-w-0-data") }}},
		},
	}
}

// edited reports whether the status takes this number of edits of the spec into account.
func (s scene) edited(times int64) bool { return s.status.ObservedGeneration > times }

package checker

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

func TestClaimsAreChecked(t *testing.T) {
	entry := func(claims, removing int32, retention v1.VolumeRetention) []v1.VolumeStatus {
		return []v1.VolumeStatus{{Name: "data", Per: v1.VolumePerFramework, Claims: claims, Removing: removing, Retention: retention}}
	}
	replacing := func(index int32, retention v1.VolumeRetention) []v1.VolumeStatus {
		entries := entry(1, 0, retention)
		entries[0].Replacing = []int32{index}
		return entries
	}
	for name, test := range map[string]struct {
		first, then []v1.VolumeStatus
		says        string // empty if nothing is wrong
	}{
		"as it is to be":                  {entry(1, 0, v1.VolumeDelete), entry(1, 1, v1.VolumeDelete), ""},
		"not stored before the Pod":       {nil, nil, "created before claim demo-data was stored"},
		"forgotten":                       {entry(1, 0, v1.VolumeDelete), nil, "had 1 claims, of which 0 were being removed, and has 0"},
		"retained, and let go":            {entry(1, 0, v1.VolumeRetain), nil, ""},
		"removed, though to be retained":  {entry(1, 0, v1.VolumeRetain), entry(1, 1, v1.VolumeRetain), "to be retained"},
		"replaced":                        {entry(1, 1, v1.VolumeDelete), replacing(0, v1.VolumeDelete), ""},
		"replaced, though to be retained": {entry(1, 0, v1.VolumeRetain), replacing(0, v1.VolumeRetain), "to be retained"},
		"more replaced than there are":    {entry(1, 0, v1.VolumeDelete), replacing(1, v1.VolumeDelete), "replaces the one of Task 1"},
		"more removed than there are":     {entry(1, 0, v1.VolumeDelete), entry(1, 2, v1.VolumeDelete), "of which 2 are being removed"},
	} {
		s := newScene(1)
		s.f.Spec.Volumes = []v1.VolumeSpec{{Name: "data", MountPath: "/data"}}
		s.store(func(f *v1.Framework) {
			f.Status = &v1.FrameworkStatus{State: v1.AttemptCreationPending, Volumes: test.first, AttemptStatus: s.freshAttempt(0, 1)}
		})
		s.createConfigMap()
		s.run(0)
		s.store(func(f *v1.Framework) { f.Status.Volumes = test.then })
		for i := range s.h.Observations {
			if pod := s.h.Observations[i].Pod; pod != nil {
				pod.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "demo-data"}}}}
			}
		}
		var told []string
		report := Check(s.h, Options{})
		for _, v := range report.Violations {
			told = append(told, v.String())
		}
		if all := strings.Join(told, "\n"); test.says == "" && all != "" || !strings.Contains(all, test.says) || report.Checks[Claims] == 0 {
			t.Errorf("%s: got %q, want %q", name, all, test.says)
		}
	}
}

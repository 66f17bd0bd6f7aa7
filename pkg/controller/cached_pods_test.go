package controller

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/podview"
)

// The whole of a Pod is kept if it is wanted, or if the Pod has failed.
func TestWholePodsAreKept(t *testing.T) {
	t.Parallel()
	for phase, kept := range map[corev1.PodPhase]bool{corev1.PodPending: false, corev1.PodRunning: false, corev1.PodSucceeded: false, corev1.PodFailed: true} {
		cached := func(wanted bool) *podview.CachedPod {
			raw, err := (&corev1.Pod{Status: corev1.PodStatus{Phase: phase}}).Marshal()
			if err != nil {
				t.Fatal(err)
			}
			p := &podview.WatchedPod{}
			if err := p.Unmarshal(raw); err != nil {
				t.Fatal(err)
			}
			o, err := trimmer(wanted, &flowcontrol.MemoryBudget{})(p)
			if err != nil {
				t.Fatal(err)
			}
			return o.(*podview.CachedPod)
		}
		if got := cached(false).Unpack() != nil; got != kept {
			t.Errorf("of a Pod that is %s, the whole is kept: %v", phase, got)
		}
		if cached(true).Unpack() == nil {
			t.Errorf("of a Pod that is %s, the whole is not kept although it is wanted", phase)
		}
	}
}

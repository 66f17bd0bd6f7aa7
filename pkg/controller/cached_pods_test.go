package controller

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/podview"
)

// The whole Pod is kept if it is wanted, or if it has failed.
func TestWholePodsAreKept(t *testing.T) {
	t.Parallel()
	for phase, kept := range map[corev1.PodPhase]bool{corev1.PodPending: false, corev1.PodRunning: false, corev1.PodSucceeded: false, corev1.PodFailed: true} {
		cached := func(wanted bool) *podview.CachedPod {
			raw, err := (&corev1.Pod{Status: corev1.PodStatus{Phase: phase}}).Marshal()
			require.NoError(t, err)
			p := &podview.WatchedPod{}
			require.NoError(t, p.Unmarshal(raw))
			o, err := trimmer(wanted, func() bool { return false }, func() bool { return false }, &flowcontrol.MemoryBudget{})(p)
			require.NoError(t, err)
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

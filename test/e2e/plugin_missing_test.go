package e2e

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Hints are waited for: Pods created without them could not be changed later. The Framework reports the missing plugin, others are not held
// up, and it continues once the plugin is there.
func TestHintsPluginIsMissing(t *testing.T) {
	withPlugins(t, "- {name: late, kind: SchedulerHints, command: hints-late, timeout: 1s, parameters: {virtualCluster: VC1}}\n")
	s := newStory(t)
	s.create("waits", `{taskRoles: [{name: a, taskNumber: 1, task: {pod: `+gpus(1)+`}}]}`)
	c := s.awaitCondition("waits", "Waiting", metav1.ConditionTrue, "PluginUnavailable")
	t.Log(c.Message)

	s.create("other", `{plugins: [{name: late, disabled: true}], taskRoles: [{name: a, taskNumber: 1, task: {pod: `+pod("run-for", "0s")+`}}]}`)
	s.awaitState("other", v1.Completed, 0)
	if pods, err := s.pods.List(t.Context(), frameworkLabel("waits")); err != nil || len(pods.Items) > 0 {
		t.Errorf("%d Pods were created without the hints, %v", len(pods.Items), err)
	}

	require.NoError(t, os.Link(filepath.Join(pluginDir(), "hints-hived"), filepath.Join(pluginDir(), "hints-late")))
	t.Cleanup(func() { os.Remove(filepath.Join(pluginDir(), "hints-late")) })
	controller.run.Signal(syscall.SIGHUP) // rather than wait until it is tried again
	until(s, thePods, "waits-a-0", "presented to HiveD", func(p *corev1.Pod) bool {
		return p.Spec.SchedulerName == "hivedscheduler" && p.Annotations[hived+"pod-scheduling-spec"] != ""
	})
	s.awaitCondition("waits", "Waiting", metav1.ConditionFalse, "")
}

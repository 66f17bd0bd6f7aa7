package podview

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// The scheduler's message shows whether the avoided nodes keep a Pod from being placed.
func TestAffinityBars(t *testing.T) {
	const preemption = ". no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."
	tests := map[string]bool{
		"0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.":                                                                                        true,
		"0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector" + preemption:                                                                            true,
		"0/3 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 2 node(s) didn't match Pod's node affinity/selector" + preemption: true,
		"0/3 nodes are unavailable: 3 node(s) didn't match Pod's node affinity/selector.":                                                                                      true,
		// The other nodes are full, or not ready, which may pass.
		"0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't match Pod's node affinity/selector" + preemption:                                               false,
		"0/3 nodes are available: 1 Too many pods, 2 node(s) didn't match Pod's node affinity/selector" + preemption:                                                  false,
		"0/3 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/not-ready: }, 2 node(s) didn't match Pod's node affinity/selector" + preemption: false,
		"0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match Pod's node affinity/selector" + preemption:                                     false,
		// No node is left out by the affinity, so another Pod would find none either.
		"0/3 nodes are available: 3 Insufficient nvidia.com/gpu" + preemption:                                                          false,
		"0/3 nodes are available: 3 node(s) had untolerated taint {example.com/own: }" + preemption:                                    false,
		`0/3 nodes are available: waiting for ephemeral volume controller to create the persistentvolumeclaim "t-w-0-data". not found`: false,
		`pod has unbound immediate PersistentVolumeClaims`:                                                                             false,
		// The message does not mention all nodes.
		"0/9 nodes are available: 3 node(s) didn't match Pod's node affinity/selector" + preemption: false,
		"0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/sel...":                false,
		"the gang has too few members": false,
		"":                             false,
	}
	for words, want := range tests {
		if got := affinityBars(words); got != want {
			t.Errorf("%q: %v", words, got)
		}
	}
}

// Only a Pod that must avoid nodes is examined, and only while the message says so.
func TestAvoidanceBarsAPod(t *testing.T) {
	pod := func(mode v1.AvoidMode, words string) *CachedPod {
		p := podWithoutNode(func(c *corev1.PodCondition) {
			*c = corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: words}
		})
		p.Annotations[v1.KeyAvoidNodes] = string(mode)
		return &CachedPod{Pod: *trimPod(p)}
	}
	const bars, full = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.", "0/1 nodes are available: 1 Insufficient cpu."
	for _, test := range []struct {
		mode  v1.AvoidMode
		words string
		want  bool
	}{{v1.AvoidRequire, bars, true}, {v1.AvoidRequire, full, false}, {v1.AvoidPrefer, bars, false}, {"", bars, false}} {
		if got := PodOf(&pod(test.mode, test.words).Pod, true).StallCause.AvoidanceBars; got != test.want {
			t.Errorf("%q, %s: %v", test.mode, test.words, got)
		}
	}
	if !Changed(pod(v1.AvoidRequire, full), pod(v1.AvoidRequire, bars)) {
		t.Error("that it has changed is no event")
	}
	if Changed(pod(v1.AvoidRequire, full), pod(v1.AvoidRequire, strings.Replace(full, "cpu", "memory", 1))) {
		t.Error("other words are an event")
	}
}

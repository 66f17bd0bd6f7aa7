package apitest

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// RunPod schedules a Pod and lets it run.
func (c *Cluster) RunPod(name string) { c.Edit(Pods, name, Running) }

// EndPod lets the container of a Pod exit.
func (c *Cluster) EndPod(name string, code int64) { c.Edit(Pods, name, Exited(code)) }

// Running changes a Pod so that it is scheduled and runs.
func Running(pod *unstructured.Unstructured) {
	set(pod, "node", "spec", "nodeName")
	set(pod, string(corev1.PodRunning), "status", "phase")
	set(pod, "10.0.0.1", "status", "podIP")
	set(pod, "192.168.0.1", "status", "hostIP")
}

// OutOfMemory is the exit code with which Exited reports OOMKilled.
const OutOfMemory = 137

// Exited changes a Pod so that its container has exited.
func Exited(code int64) func(pod *unstructured.Unstructured) {
	phase := corev1.PodSucceeded
	if code != 0 {
		phase = corev1.PodFailed
	}
	ended := map[string]any{"exitCode": code, "finishedAt": "2024-01-01T00:00:00Z"}
	if code == OutOfMemory {
		ended["reason"] = "OOMKilled"
	}
	return func(pod *unstructured.Unstructured) {
		set(pod, "node", "spec", "nodeName")
		set(pod, string(phase), "status", "phase")
		set(pod, []any{map[string]any{
			"name":  "main",
			"state": map[string]any{"terminated": ended},
		}}, "status", "containerStatuses")
	}
}

// StopPod removes a terminating Pod.
func (c *Cluster) StopPod(name string) { c.Vanish(Pods, name) }

func set(o *unstructured.Unstructured, value any, path ...string) {
	if err := unstructured.SetNestedField(o.Object, value, path...); err != nil {
		panic(err)
	}
}

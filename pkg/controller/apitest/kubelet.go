package apitest

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// RunPod schedules a Pod and lets it run.
func (s *Server) RunPod(name string) {
	s.Edit(Pods, name, func(o *unstructured.Unstructured) {
		set(o, "node", "spec", "nodeName")
		set(o, string(corev1.PodRunning), "status", "phase")
		set(o, "10.0.0.1", "status", "podIP")
		set(o, "192.168.0.1", "status", "hostIP")
	})
}

// EndPod lets the container of a Pod exit.
func (s *Server) EndPod(name string, code int64) {
	phase := corev1.PodSucceeded
	if code != 0 {
		phase = corev1.PodFailed
	}
	s.Edit(Pods, name, func(o *unstructured.Unstructured) {
		set(o, "node", "spec", "nodeName")
		set(o, string(phase), "status", "phase")
		set(o, []any{map[string]any{
			"name":  "main",
			"state": map[string]any{"terminated": map[string]any{"exitCode": code, "finishedAt": "2024-01-01T00:00:00Z"}},
		}}, "status", "containerStatuses")
	})
}

// StopPod lets a terminating Pod go.
func (s *Server) StopPod(name string) { s.Vanish(Pods, name) }

func set(o *unstructured.Unstructured, value any, path ...string) {
	if err := unstructured.SetNestedField(o.Object, value, path...); err != nil {
		panic(err)
	}
}

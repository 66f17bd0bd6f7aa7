package main

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func framework(status map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"status": status}}
}

func TestLine(t *testing.T) {
	cases := []struct {
		name   string
		status map[string]any
		want   string
	}{
		{"new", nil, "(no status yet)          attempt 0   tasks: 0 running, 0 succeeded, 0 failed, 0 in total"},
		{
			"running",
			map[string]any{
				"state":         "AttemptRunning",
				"attemptStatus": map[string]any{"id": int64(1)},
				"tasks":         map[string]any{"total": int64(5), "running": int64(2), "succeeded": int64(3)},
			},
			"AttemptRunning           attempt 1   tasks: 2 running, 3 succeeded, 0 failed, 5 in total",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := line(framework(c.status)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestCompletion(t *testing.T) {
	got := completion(framework(map[string]any{"attemptStatus": map[string]any{"completionStatus": map[string]any{
		"code": int64(210), "phrase": "ContainerPermanentFailed", "diagnostics": "why",
	}}}))
	if want := "code 210, ContainerPermanentFailed: why"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

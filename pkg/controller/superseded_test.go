package controller

import (
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// What is told is what creations fail for now. Of reasons that take turns it is always the same one.
func TestBlockersThatHavePassed(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	create := func(i int32) lifecycle.Action {
		return lifecycle.CreatePod{Task: lifecycle.TaskRef{Role: "w", Index: i}}
	}
	remove := func(i int32) lifecycle.Action {
		return lifecycle.DeletePod{Task: lifecycle.TaskRef{Role: "w", Index: i}}
	}
	forbidden, lost := apierrors.NewForbidden(corev1.Resource("pods"), "", nil), errors.New("connection refused")
	tests := map[string]struct {
		failures map[string]failedAction
		restored *restoredBlocker
		want     string
	}{
		"long ago": {map[string]failedAction{
			"w-0": {action: create(0), err: lost, at: start}, "w-1": {action: create(1), err: lost, at: start.Add(time.Second)},
			"w-2": {action: create(2), err: forbidden, at: start.Add(32 * time.Second)},
		}, nil, "Forbidden"},
		"not so long ago": {map[string]failedAction{
			"w-0": {action: create(0), err: lost, at: start}, "w-1": {action: create(1), err: lost, at: start.Add(2 * time.Second)},
			"w-2": {action: create(2), err: forbidden, at: start.Add(32 * time.Second)},
		}, nil, "APIServerUnreachable"},
		"taking turns": {map[string]failedAction{
			"w-0": {action: create(0), err: lost, at: start}, "w-1": {action: create(1), err: forbidden, at: start.Add(time.Minute)},
			"w-2": {action: create(2), err: lost, at: start.Add(time.Minute + 5*time.Second)},
		}, nil, "APIServerUnreachable"},
		"deletions have turns of their own": {map[string]failedAction{
			"w-0": {action: remove(0), err: lost, at: start}, "w-1": {action: create(1), err: forbidden, at: start.Add(time.Hour)},
		}, nil, "APIServerUnreachable"},
		"before a restart": {map[string]failedAction{"w-1": {action: create(1), err: forbidden, at: start.Add(time.Hour)}},
			&restoredBlocker{lifecycle.Blocker{Reason: "APIServerUnreachable"}, start}, "Forbidden"},
		"just before a restart": {map[string]failedAction{"w-1": {action: create(1), err: forbidden, at: start.Add(time.Second)}},
			&restoredBlocker{lifecycle.Blocker{Reason: "APIServerUnreachable"}, start}, "APIServerUnreachable"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := &record{memory: memory{blockers: blockers{failures: test.failures, restored: test.restored}}}
			found := r.blockedBy()
			if found[0].Reason != test.want {
				t.Errorf("first of %v is not %s", found, test.want)
			}
		})
	}
}

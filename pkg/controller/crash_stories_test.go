package controller

import (
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// stories are those that the controller crashes in.
func stories() []story {
	return slices.Concat(lives(), retryStories(), executionStories(), scaleStories(), troubles(), slowStories(), pluginStories(), companionStories(), volumeStories())
}

const simplest = "success"

// lives are those of Frameworks that nothing happens to.
func lives() []story {
	return []story{
		{name: simplest},
		{name: "failure", exit: exits(9)},
		{
			name: "two roles with a gate, which Pods wait for",
			spec: edits(roles(role("w", 2), role("x", 1))),
			exit: once(func(s scene) bool { return s.status.Gate != "" || s.taskReached(0, 0, v1.Completed) }, 0),
		},
		{
			name: "a role after the success of another, and one after that",
			spec: edits(roles(role("w", 1), role("x", 2), role("y", 1)), func(s *v1.FrameworkSpec) {
				s.TaskRoles[1].StartAfter = []v1.StartAfterSpec{{Role: "w", When: v1.StartSucceeded}}
				s.TaskRoles[2].StartAfter = []v1.StartAfterSpec{{Role: "x"}}
			}),
			exit: func(s scene, pod podRun) int64 {
				return onlyIf((pod.role == "w" || s.running() == 3 || s.status.Tasks.Succeeded > 1) && s.inTurn(pod), 0)
			},
		},
		{
			name:  "a role after another Framework, which is gone by the time of its second attempt",
			spec:  edits(frameworkRetries(1), startAfter("other", v1.StartCompleted)),
			begin: func(w *world) { w.create("other", tasks(0)) },
			exit:  perAttempt(1, 0),
			steps: []step{
				{func(s scene) bool { return waits(s) && s.state("other") == v1.AttemptPreparing }, func(w *world) { w.stopFramework("other") }},
				{func(s scene) bool { return s.status.StartedAfter != nil }, func(w *world) { w.Delete(apitest.Frameworks, "other") }},
			},
		},
		{
			name: "Tasks take turns, and one is retried before the next begins",
			spec: edits(tasks(3), parallelism(1), taskRetries(1), policy(-1, -1)),
			exit: func(_ scene, pod podRun) int64 {
				if pod.index == 0 && pod.taskAttempt == 0 {
					return 9
				}
				return 0
			},
		},
		{
			name: "a Task runs out of memory, and again in the next attempt of the Framework",
			spec: edits(tasks(1), taskRetries(1), frameworkRetries(1), memoryUpTo("1Gi", "300Mi")),
			exit: func(_ scene, pod podRun) int64 {
				if pod.frameworkAttempt == 1 && pod.taskAttempt == 1 {
					return 0
				}
				return apitest.OutOfMemory
			},
			over: func(s scene) bool {
				t := taskOfStatus(s.status, "w", 0)
				return s.reached(1, v1.Completed) && len(t.Memory) == 1 && t.Memory[0].Limit == "1Gi"
			},
		},
		{
			name: "failures end it",
			spec: edits(tasks(3), policy(2, -1)),
			exit: func(s scene, pod podRun) int64 {
				switch {
				case pod.index == 0 && s.running() == 3:
					return 1
				case pod.index == 1 && s.taskReached(0, 0, v1.Completed):
					return 2
				}
				return stays
			},
		},
		{
			name: "successes end it",
			spec: edits(tasks(2), policy(1, 1)),
			exit: func(s scene, pod podRun) int64 {
				if pod.index == 1 && s.running() == 2 {
					return 0
				}
				return stays
			},
		},
		{
			name:  "no Task",
			spec:  edits(tasks(0)),
			steps: []step{{func(s scene) bool { return s.reached(0, v1.AttemptPreparing) }, stopA}},
		},
		{
			name: "kept for no time",
			spec: edits(func(s *v1.FrameworkSpec) { s.TTLSecondsAfterFinished = new(int32) }),
			over: gone,
		},
		{
			name: "kept for no time after success",
			spec: edits(func(s *v1.FrameworkSpec) { s.TTLSecondsAfter = &v1.TTLSecondsAfterSpec{Succeeded: new(int32)} }),
			over: gone,
		},
		{
			name: "out of time",
			spec: edits(frameworkRetries(1), func(s *v1.FrameworkSpec) { limit := int64(1); s.ActiveDeadlineSeconds = &limit }),
			exit: perAttempt(stays),
		},
	}
}

func retryStories() []story {
	return []story{
		{name: "a retry", spec: edits(frameworkRetries(1)), exit: perAttempt(1, 0)},
		{name: "a retry of a Task", spec: edits(taskRetries(1)), exit: perTaskAttempt(1, 0)},
		{
			name: "a retry of a Task that is out of time",
			spec: edits(taskRetries(1), func(s *v1.FrameworkSpec) { limit := int64(1); s.TaskRoles[0].Task.ActiveDeadlineSeconds = &limit }),
			exit: perTaskAttempt(stays, 0),
		},
		{name: "a retry with a delay", spec: edits(frameworkRetries(1), frameworkDelay(1)), exit: perAttempt(1, 0)},
		{name: "a retry of a Task with a delay", spec: edits(taskRetries(1), taskDelay(1)), exit: perTaskAttempt(1, 0)},
		{name: "a retry of a Task that avoids the node", spec: edits(taskRetries(1), avoidNodes(v1.AvoidPrefer)), exit: perTaskAttempt(1, 0)},
		// The only node must be avoided: the second Pod is given up, and the third is put there.
		{name: "a retry of a Task that must avoid the node", spec: edits(taskRetries(1), avoidNodes(v1.AvoidRequire)), exit: perTaskAttempt(1, stays, 0)},
		{
			name: "another Task of the role starts again with one that fails",
			spec: edits(tasks(2), taskRetries(1), func(s *v1.FrameworkSpec) { s.TaskRoles[0].Task.RetryPolicy.Restart = v1.RestartRole }),
			exit: firstFails,
		},
		{
			name: "a role starts again with a Task that has no retry",
			spec: edits(tasks(2), func(s *v1.FrameworkSpec) { s.TaskRoles[0].RetryPolicy = &v1.RoleRetryPolicySpec{MaxRetryCount: 1} }),
			exit: firstFails,
		},
		{
			name: "another template for the next attempt of a Task",
			spec: edits(taskRetries(1)),
			exit: func(s scene, pod podRun) int64 {
				if pod.taskAttempt == 0 && s.seen() {
					return 1
				}
				return onlyIf(pod.taskAttempt > 0, 0)
			},
			steps: []step{{oneRuns, respec(taskRetries(1), template(`{"spec": {"containers": [{"name": "main", "image": "newer"}]}}`))}},
		},
	}
}

// firstFails has the first of two Tasks fail when both run, and both succeed after that.
func firstFails(s scene, pod podRun) int64 {
	switch {
	case pod.taskAttempt > 0:
		return onlyIf(s.inTurn(pod), 0)
	case pod.index == 0:
		return onlyIf(s.running() == 2, 1)
	}
	return stays
}

func executionStories() []story {
	return []story{
		{
			name:  "created, then started",
			spec:  edits(execution(v1.ExecutionCreate)),
			steps: []step{{begun, respec()}},
		},
		{
			name:  "created, then stopped",
			spec:  edits(execution(v1.ExecutionCreate)),
			steps: []step{{begun, stopA}},
		},
		{
			name:  "stopped while it runs",
			spec:  edits(tasks(2), frameworkRetries(v1.RetryAlways), taskRetries(v1.RetryAlways)),
			exit:  exits(stays),
			steps: []step{{func(s scene) bool { return s.running() == 2 }, stopA}},
		},
		{
			name:  "stopped before a retry",
			spec:  edits(frameworkRetries(1), frameworkDelay(3600)),
			exit:  exits(1),
			steps: []step{{func(s scene) bool { return s.status.RetryPolicyStatus.RetryDelaySec != nil }, stopA}},
		},
		{
			name:  "stopped before a retry of a Task",
			spec:  edits(taskRetries(1), taskDelay(3600)),
			exit:  exits(1),
			steps: []step{{func(s scene) bool { return s.task(0).RetryPolicyStatus.RetryDelaySec != nil }, stopA}},
		},
		{
			name: "suspended while it runs, then resumed",
			spec: edits(tasks(2)),
			exit: perAttempt(stays, stays),
			steps: []step{
				{func(s scene) bool { return s.running() == 2 }, respec(tasks(2), suspended)},
				{func(s scene) bool { return s.reached(0, v1.AttemptCompleted) }, respec(tasks(2))},
				{func(s scene) bool { return s.reached(1, v1.AttemptRunning) && s.running() == 2 }, stopA}, // either Task might be the last by itself
			},
		},
		{
			name:  "suspended from the beginning, then resumed",
			spec:  edits(suspended),
			steps: []step{{begun, respec()}},
		},
		{
			name: "suspended before a retry, then stopped",
			spec: edits(frameworkRetries(1), frameworkDelay(3600)),
			exit: exits(1),
			steps: []step{
				{func(s scene) bool { return s.status.RetryPolicyStatus.RetryDelaySec != nil }, respec(frameworkRetries(1), frameworkDelay(3600), suspended)},
				{seen, stopA},
			},
		},
		{
			name:  "deleted in the foreground",
			spec:  edits(tasks(2), frameworkRetries(v1.RetryAlways), taskRetries(v1.RetryAlways)),
			begin: func(w *world) { w.KeepTerminating(true) },
			exit:  exits(stays),
			steps: []step{
				{func(s scene) bool { return s.running() == 2 }, func(w *world) { w.DeleteForeground(apitest.Frameworks, "a") }},
				{func(s scene) bool { return s.taskReached(0, 0, v1.AttemptDeleting) }, func(w *world) { w.KeepTerminating(false) }},
			},
			over: gone,
		},
		{
			name:  "deleted in the background",
			spec:  edits(tasks(2)),
			exit:  exits(stays),
			steps: []step{{func(s scene) bool { return s.running() == 2 }, func(w *world) { w.Delete(apitest.Frameworks, "a") }}},
			over:  gone,
		},
		{
			name:  "made anew before the Pods of the old one are gone",
			begin: func(w *world) { w.KeepTerminating(true) },
			exit:  once(func(s scene) bool { return s.made(apitest.Pods, "a-w-0") > 1 }, 0),
			steps: []step{
				{oneRuns, func(w *world) { w.Delete(apitest.Frameworks, "a") }},
				{func(s scene) bool { return !s.there }, func(w *world) { w.create("a") }},
				{waits, func(w *world) { w.KeepTerminating(false) }},
			},
		},
	}
}

func scaleStories() []story {
	whenScaledTo := func(n int) func(scene, podRun) int64 {
		return once(func(s scene) bool { return s.seen() && s.running()+s.ended() == n && s.count() == n }, 0)
	}
	return []story{
		{
			name:  "scaled up",
			exit:  whenScaledTo(3),
			steps: []step{{oneRuns, respec(tasks(3))}},
		},
		{
			name:  "a Task for each item, and one is appended",
			spec:  edits(itemValues(`"x"`, `"y"`)),
			exit:  whenScaledTo(3),
			steps: []step{{func(s scene) bool { return s.running() == 2 }, respec(itemValues(`"x"`, `"y"`, `"z"`))}},
		},
		{
			name:  "scaled down",
			spec:  edits(tasks(3)),
			exit:  whenScaledTo(1),
			steps: []step{{func(s scene) bool { return s.running() == 3 }, respec(tasks(1))}},
		},
		{
			name:  "scaled down and up again before the Pod is gone",
			spec:  edits(tasks(2)),
			begin: func(w *world) { w.KeepTerminating(true) },
			exit:  once(func(s scene) bool { return s.running()+s.ended() == 2 && s.made(apitest.Pods, "a-w-1") == 2 }, 0),
			steps: []step{
				{func(s scene) bool { return s.running() == 2 }, respec(tasks(1))},
				{func(s scene) bool { return s.task(1).State == v1.AttemptDeleting }, respec(tasks(2))},
				{seen, func(w *world) { w.KeepTerminating(false) }},
			},
		},
		{
			name: "another role instead",
			spec: edits(tasks(2)),
			exit: func(s scene, pod podRun) int64 { return onlyIf(pod.role == "x" && s.count() == 1, 0) },
			steps: []step{
				{func(s scene) bool { return s.running() == 2 }, respec(roles(role("x", 1)))},
			},
		},
		{
			name:  "scaled down while it is not begun",
			spec:  edits(tasks(3), execution(v1.ExecutionCreate)),
			exit:  whenScaledTo(1),
			steps: []step{{begun, respec(tasks(1))}},
		},
	}
}

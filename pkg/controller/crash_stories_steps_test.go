package controller

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// The building blocks of stories.

func edits(e ...func(*v1.FrameworkSpec)) []func(*v1.FrameworkSpec) { return e }

func policy(minFailed, minSucceeded int32) func(*v1.FrameworkSpec) {
	return func(s *v1.FrameworkSpec) {
		s.TaskRoles[0].FrameworkAttemptCompletionPolicy = v1.CompletionPolicySpec{MinFailedTaskCount: minFailed, MinSucceededTaskCount: minSucceeded}
	}
}

func execution(t v1.ExecutionType) func(*v1.FrameworkSpec) {
	return func(s *v1.FrameworkSpec) { s.ExecutionType = t }
}

func frameworkDelay(sec int32) func(*v1.FrameworkSpec) {
	return func(s *v1.FrameworkSpec) {
		s.RetryPolicy.Backoff = &v1.RetryBackoffSpec{InitialDelaySec: sec, MaxDelaySec: sec}
	}
}

func taskDelay(sec int32) func(*v1.FrameworkSpec) {
	return func(s *v1.FrameworkSpec) {
		s.TaskRoles[0].Task.RetryPolicy.Backoff = &v1.RetryBackoffSpec{InitialDelaySec: sec, MaxDelaySec: sec}
	}
}

// avoidNodes has the Pods of the first role avoid nodes, for as long as any story takes.
func avoidNodes(mode v1.AvoidMode) func(*v1.FrameworkSpec) {
	return func(s *v1.FrameworkSpec) {
		s.TaskRoles[0].Task.RetryPolicy.AvoidNodes = &v1.AvoidNodesSpec{Mode: mode, ForSec: 1 << 20, MaxNodes: 10}
	}
}

// fancy retries transient failures without counting them.
func fancy(s *v1.FrameworkSpec) {
	s.RetryPolicy.FancyRetryPolicy = true
	s.TaskRoles[0].Task.RetryPolicy.FancyRetryPolicy = true
}

// Exit codes of Pods.

func exits(code int64) func(scene, podRun) int64 {
	return func(scene, podRun) int64 { return code }
}

func perAttempt(codes ...int64) func(scene, podRun) int64 {
	return func(_ scene, pod podRun) int64 { return codes[pod.frameworkAttempt] }
}

func perTaskAttempt(codes ...int64) func(scene, podRun) int64 {
	return func(_ scene, pod podRun) int64 { return codes[pod.taskAttempt] }
}

func once(may func(scene) bool, code int64) func(scene, podRun) int64 {
	return func(s scene, pod podRun) int64 { return onlyIf(may(s) && s.inTurn(pod), code) }
}

func onlyIf(may bool, code int64) int64 {
	if may {
		return code
	}
	return stays
}

// Actions of users.

func stopA(w *world) { w.stopFramework("a") }

// respec replaces the spec by a newly built one.
func respec(edits ...func(*v1.FrameworkSpec)) func(w *world) {
	return func(w *world) {
		w.respec("a", edits...)
	}
}

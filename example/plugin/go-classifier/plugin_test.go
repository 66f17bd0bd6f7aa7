package main

import (
	"testing"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
)

// exited is a Pod whose containers have ended with these codes, one after the other.
func exited(codes ...int32) *pluginpb.FailedPod {
	pod := &pluginpb.FailedPod{}
	for i, code := range codes {
		end := &pluginpb.Terminated{ExitCode: code, FinishedAt: &timestamppb.Timestamp{Seconds: int64(i)}}
		pod.Containers = append(pod.Containers, &pluginpb.Container{Terminated: end})
	}
	return pod
}

// withSidecar adds one that is stopped after the other containers have ended.
func withSidecar(pod *pluginpb.FailedPod) *pluginpb.FailedPod {
	end := &pluginpb.Terminated{ExitCode: 143, FinishedAt: &timestamppb.Timestamp{Seconds: 99}}
	sidecar := &pluginpb.Container{Init: true, Sidecar: true, Terminated: end}
	pod.Containers = append([]*pluginpb.Container{sidecar}, pod.Containers...)
	return pod
}

// What the plugin decides.
func TestClassify(t *testing.T) {
	tests := []struct {
		name       string
		parameters map[string]any
		pod        *pluginpb.FailedPod
		want       int32 // 0 for no opinion
	}{
		{"the exit code", nil, exited(42), 42},
		{"of the container that failed", nil, exited(0, 42), 42},
		{"another one", nil, exited(1), 0},
		{"another one failed first", nil, exited(1, 42), 42},
		{"another one failed last", nil, exited(42, 1), 0},
		{"a sidecar was stopped", nil, withSidecar(exited(42)), 42},
		{"no container has ended", nil, exited(), 0},
		{"configured", map[string]any{"exitCode": 7}, exited(7), 7},
		{"configured, so 42 is another one", map[string]any{"exitCode": 7}, exited(42), 0},
	}
	for _, test := range tests {
		p := newPlugin()
		if err := p.Configure("test", plugintest.Parameters(t, test.parameters)); err != nil {
			t.Fatal(err)
		}
		verdict, err := p.FailureClassifier.Classify(t.Context(), test.pod)
		if err != nil || verdict.GetCode() != test.want {
			t.Errorf("%s: %v, %v, want code %d", test.name, verdict, err, test.want)
		}
	}
}

// pulling is a Pod whose image is not pulled, in the kubelet's words.
func pulling(words string) *pluginpb.FailedPod {
	return &pluginpb.FailedPod{Pending: &pluginpb.PendingPod{Kind: plugin.ImagePull, Reason: "ErrImagePull", Message: words, Container: "main"}}
}

// What the plugin says of Pods that do not get to run.
func TestJudgePending(t *testing.T) {
	judge := newPlugin().PendingJudge
	for words, want := range map[string]*pluginpb.Verdict{
		"manifest for app:v9 not found": {Code: 1000},
		"toomanyrequests: slow down":    {WaitSeconds: 300},
		"no route to host":              nil,
	} {
		verdict, err := judge.JudgePending(t.Context(), pulling(words))
		if err != nil || verdict.GetCode() != want.GetCode() || verdict.GetWaitSeconds() != want.GetWaitSeconds() {
			t.Errorf("%s: %v, %v, want %v", words, verdict, err, want)
		}
	}
	unscheduled := &pluginpb.FailedPod{Pending: &pluginpb.PendingPod{Kind: plugin.Unscheduled, Message: "not found"}}
	if verdict, err := judge.JudgePending(t.Context(), unscheduled); verdict != nil || err != nil {
		t.Errorf("no node was found: %v, %v", verdict, err)
	}
}

// What it says about the retry.
func TestAdvice(t *testing.T) {
	p := newPlugin()
	if err := p.Configure("test", plugintest.Parameters(t, map[string]any{"delaySeconds": 30, "restart": "Role"})); err != nil {
		t.Fatal(err)
	}
	verdict, err := p.FailureClassifier.Classify(t.Context(), exited(42))
	if err != nil || verdict.DelaySeconds == nil || verdict.GetDelaySeconds() != 30 || verdict.GetRestart() != pluginpb.RestartScope_RESTART_SCOPE_ROLE {
		t.Errorf("%v, %v", verdict, err)
	}
}

// That the plugin keeps to the contract, whatever it decides.
func TestContract(t *testing.T) {
	options := plugintest.Options{
		Parameters: map[string]any{"avoidNodeSeconds": 600},
		Pods:       []*pluginpb.FailedPod{exited(42), pulling("app: not found"), pulling("toomanyrequests")},
		Refused: []plugintest.Refused{
			{Parameters: map[string]any{"exitCode": 0}, Mention: "exitCode"},
			{Parameters: map[string]any{"delaySeconds": -1}, Mention: "delaySeconds"},
			{Parameters: map[string]any{"restart": "Pod"}, Mention: "restart"},
			{Parameters: map[string]any{"exitcodes": []any{42}}, Mention: "exitcodes"},
			{Parameters: map[string]any{"avoidNodeSeconds": -1}, Mention: "avoidNodeSeconds"},
		},
	}
	t.Run("in process", func(t *testing.T) {
		plugintest.Classifier(t, plugintest.InProcess(newPlugin), options)
	})
	t.Run("as a program", func(t *testing.T) {
		plugintest.Classifier(t, plugintest.Binary(plugintest.Build(t, ".")), options)
	})
}

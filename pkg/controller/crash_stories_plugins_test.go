package controller

import (
	"context"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// pluginStories are those in which plugins have a say. Their questions are no writes; their answers are stored.
func pluginStories() []story {
	return []story{
		{
			name:  "a plugin knows of hints",
			spec:  edits(tasks(2)),
			begin: func(w *world) { w.options.Plugins = consult.New(adviser{plugin.KindSchedulerHints}, nil) },
			exit:  once(func(s scene) bool { return s.running()+s.ended() == 3 }, 0),
			steps: []step{{func(s scene) bool { return s.running() == 2 }, respec(tasks(3))}},
		},
		{
			name:  "a scheduler takes the attempt back",
			spec:  edits(tasks(2)),
			begin: func(w *world) { w.options.Plugins = consult.New(evicter{adviser{plugin.KindSchedulerHints}}, nil) },
			exit:  once(func(s scene) bool { return s.running()+s.ended() == 3 }, 0),
			steps: []step{{func(s scene) bool { return s.running() == 2 }, respec(tasks(3))}},
		},
		{
			name:  "a plugin judges failures",
			spec:  edits(fancy),
			begin: func(w *world) { w.options.Plugins = consult.New(adviser{plugin.KindFailureClassifier}, nil) },
			exit:  perTaskAttempt(7, 8),
		},
		{
			name:  "a plugin ends the attempt",
			spec:  edits(tasks(2), policy(-1, -1), frameworkRetries(1)),
			begin: func(w *world) { w.options.Plugins = consult.New(adviser{plugin.KindCompletionPolicy}, nil) },
			exit: func(s scene, pod podRun) int64 {
				return onlyIf(pod.index == 0 && s.running() == 2, int64(1-pod.frameworkAttempt))
			},
		},
		{
			name:  "a sink holds what has ended",
			spec:  edits(frameworkRetries(1), taskRetries(1)),
			begin: archiving,
			exit:  exits(9),
		},
		{
			name:  "a sink holds what a scale-down removes",
			spec:  edits(tasks(2)),
			begin: archiving,
			exit: once(func(s scene) bool {
				return s.running() == 1 && len(s.status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses) == 1
			}, 0),
			steps: []step{{func(s scene) bool { return s.running() == 2 }, respec(tasks(1))}},
		},
		{
			name:  "a sink keeps logs",
			spec:  edits(tasks(2), frameworkRetries(1), taskRetries(1)),
			begin: collecting,
			exit: func(s scene, pod podRun) int64 {
				return onlyIf(pod.index == 0 && s.running() == 2, 9)
			},
		},
	}
}

func collecting(w *world) {
	w.logs = newLogSink(w.t)
	w.sink = w.logs.sink
	w.options.Plugins = consult.New(w.logs, nil)
}

func archiving(w *world) {
	w.sink = newSink(w.t)
	w.options.Plugins = consult.New(w.sink, nil)
}

// adviser is a host with one plugin of that kind.
type adviser struct{ kind plugin.Kind }

const adviserName = "adviser"

var adviserSource = pluginhost.Source{Plugin: adviserName, Version: "1"}

func (a adviser) Plugins(kind plugin.Kind) []string {
	if kind == a.kind {
		return []string{adviserName}
	}
	return nil
}

func (a adviser) Config(name string) (pluginhost.Config, bool) {
	return pluginhost.Config{Name: adviserName, Kind: a.kind, FailurePolicy: pluginhost.Wait}, name == adviserName
}

func (adviser) JudgesPending(string) bool { return false }
func (adviser) WantsEvents(string) bool   { return false }

func (adviser) FrameworkParameters(context.Context, string) ([]string, error) { return nil, nil }

// Classify thinks that the first failure of a Task may pass, and no other.
func (adviser) Classify(_ context.Context, _ string, pods []*pluginpb.FailedPod) (pluginhost.Verdicts, pluginhost.Source, error) {
	out := pluginhost.Verdicts{Given: map[string]*pluginpb.Verdict{}}
	for _, pod := range pods {
		v := &pluginpb.Verdict{Uid: pod.GetUid(), Code: 300, Phrase: "Hopeless", Type: &pluginpb.CompletionType{Name: string(v1.CompletionFailed)}}
		if pod.GetTaskAttemptId() == 0 {
			v.Code, v.Phrase, v.Type.Attributes = 301, "Hopeful", []string{string(v1.AttributeTransient)}
		}
		out.Given[pod.GetUid()] = v
	}
	return out, adviserSource, nil
}

// Decide ends the attempt with its first completed Task: the first attempt fails, and no other.
func (adviser) Decide(_ context.Context, _ string, q *pluginpb.DecideRequest) (*pluginpb.DecideResponse, pluginhost.Source, error) {
	out := &pluginpb.DecideResponse{Decision: pluginpb.DecideResponse_SUCCEEDED, Digest: q.GetDigest(), AttemptId: q.GetFramework().GetAttemptId()}
	if out.AttemptId == 0 {
		out.Decision, out.Code, out.Phrase = pluginpb.DecideResponse_FAILED, 300, "Hopeless"
		out.Type = &pluginpb.CompletionType{Name: string(v1.CompletionFailed)}
	}
	return out, adviserSource, nil
}

// Hint has a label put on all Pods.
func (adviser) Hint(_ context.Context, _ string, q *pluginpb.HintRequest) (*pluginpb.HintResponse, pluginhost.Source, error) {
	return &pluginpb.HintResponse{Patches: []*pluginpb.PodPatch{{TaskRole: "w", Labels: map[string]string{"hinted": "yes"}}}}, adviserSource, nil
}

// MayCreate is not asked.
func (adviser) MayCreate(context.Context, string, *pluginpb.MayCreateRequest) (*pluginpb.MayCreateResponse, pluginhost.Source, error) {
	return &pluginpb.MayCreateResponse{Yes: true}, adviserSource, nil
}

// Store stores nothing.
func (adviser) Store(context.Context, string, []*pluginpb.Record) (map[string]bool, pluginhost.Source, error) {
	return nil, adviserSource, nil
}

// CollectsLogs says that it keeps no logs.
func (adviser) CollectsLogs(string) bool { return false }

// CollectLogs is not asked.
func (adviser) CollectLogs(context.Context, string, *pluginpb.CollectLogsRequest) error { return nil }

// evicter is a scheduler that takes the first attempt back when it grows.
type evicter struct{ adviser }

func (evicter) Hint(context.Context, string, *pluginpb.HintRequest) (*pluginpb.HintResponse, pluginhost.Source, error) {
	return &pluginpb.HintResponse{Wait: true, Watch: true}, adviserSource, nil
}

func (evicter) MayCreate(_ context.Context, _ string, q *pluginpb.MayCreateRequest) (*pluginpb.MayCreateResponse, pluginhost.Source, error) {
	if q.GetAdmitted() && q.GetFramework().GetAttemptId() == 0 && q.GetRoles()[0].GetTaskNumber() == 3 {
		return &pluginpb.MayCreateResponse{Evict: &pluginpb.Eviction{Reason: "preempted"}}, adviserSource, nil
	}
	return &pluginpb.MayCreateResponse{Yes: true}, adviserSource, nil
}

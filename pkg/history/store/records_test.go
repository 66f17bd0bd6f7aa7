package store

import (
	"fmt"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// start is the time that the records of tests count from: noon, two days before the present of tests.
var start = time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)

var always = Range{Since: start.Add(-100 * 24 * time.Hour)}

func after(seconds int) *timestamppb.Timestamp {
	return timestamppb.New(start.Add(time.Duration(seconds) * time.Second))
}

func outcomeOf(code int32) *pluginpb.Completion {
	switch code {
	case 0:
		return &pluginpb.Completion{Phrase: "Succeeded", Type: &pluginpb.CompletionType{Name: "Succeeded"}}
	case -110:
		return &pluginpb.Completion{Code: -110, Phrase: "NodeLost", Type: &pluginpb.CompletionType{Name: "Failed", Attributes: []string{"Transient"}}}
	}
	return &pluginpb.Completion{Code: code, Phrase: fmt.Sprintf("Code%d", code), Diagnostics: "the container exited",
		Plugin: "classifier-exitcode", PluginVersion: "1.0.0", Rule: fmt.Sprintf("rule-%d", code),
		Type: &pluginpb.CompletionType{Name: "Failed", Attributes: []string{"Permanent"}}}
}

func about(namespace, name string, attempt int32) *pluginpb.Framework {
	return &pluginpb.Framework{Namespace: namespace, Name: name, Uid: "uid-" + namespace + "-" + name, AttemptId: attempt}
}

// frameworkRecord is a Framework that was created, and maybe completed, `created` seconds after the start.
func frameworkRecord(f *pluginpb.Framework, revision int64, created int, completion *pluginpb.Completion) *pluginpb.Record {
	r := &pluginpb.FrameworkRecord{Revision: revision, Created: after(created), State: "AttemptRunning", Queue: "q", Tasks: 2,
		TemplateDigest: "abc", Completion: completion}
	if completion != nil {
		r.State, r.Completed = "Completed", after(created+60)
	}
	return &pluginpb.Record{Key: fmt.Sprintf("framework/%s/%d", f.Uid, revision), Framework: f, Time: after(created + 60),
		Content: &pluginpb.Record_FrameworkRecord{FrameworkRecord: r}}
}

func attemptRecord(f *pluginpb.Framework, ended int, code int32, follows bool) *pluginpb.Record {
	return &pluginpb.Record{Key: fmt.Sprintf("attempt/%s/%d", f.Uid, f.AttemptId), Framework: f, Time: after(ended),
		Content: &pluginpb.Record_FrameworkAttempt{FrameworkAttempt: &pluginpb.FrameworkAttemptRecord{
			Began: after(ended - 60), Placed: after(ended - 50), Ran: after(ended - 40), Ended: after(ended), Completion: outcomeOf(code),
			TriggerRole: "worker", TriggerIndex: 0, Tasks: 2, Retry: &pluginpb.Retry{Follows: follows, Row: "row", DelaySeconds: 5}}}}
}

// taskRecord is an attempt of a Task that got its node 10 s after its beginning, ran after 20 s, and ended after 60 s.
func taskRecord(f *pluginpb.Framework, role string, index, attempt int32, ended int, node string, code int32) *pluginpb.Record {
	return &pluginpb.Record{
		Key:       fmt.Sprintf("task/%s/%d/%s/%d/%d", f.Uid, f.AttemptId, role, index, attempt),
		Framework: f, Time: after(ended),
		Content: &pluginpb.Record_TaskAttempt{TaskAttempt: &pluginpb.TaskAttemptRecord{
			TaskRole: role, TaskIndex: index, TaskAttemptId: attempt, TaskUid: fmt.Sprintf("4b3c2a10-7f0e-4d8c-9b1a-%06d%06d", index, attempt),
			PodName: fmt.Sprintf("%s-%s-%d", f.Name, role, index), PodUid: fmt.Sprintf("9d8e7f60-1a2b-4c3d-8e4f-%06d%06d", index, attempt),
			Node: node, Completion: outcomeOf(code), Began: after(ended - 60), PodCreated: after(ended - 59), Scheduled: after(ended - 50),
			Initialized: after(ended - 45), Ran: after(ended - 40), ContainersEnded: after(ended - 1), Ended: after(ended),
			Containers: []*pluginpb.ContainerRecord{
				{Name: "frameworkbarrier", Init: true, Image: "registry.example/frameworkbarrier:v1.0.0",
					ImageId:  "registry.example/frameworkbarrier@sha256:4f1c0f3d8d3b1c4e6f9a7b2c5d8e0f1a2b3c4d5e6f708192a3b4c5d6e7f80912",
					ExitCode: new(int32(0)), Reason: "Completed", Started: after(ended - 48), Finished: after(ended - 45)},
				{Name: "main", Image: "registry.example/train:2026.3",
					ImageId:  "registry.example/train@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
					ExitCode: &code, Reason: "Error", Message: "boom", Started: after(ended - 40), Finished: after(ended - 1)}},
			Requests: map[string]float64{"cpu": 2, "memory": 4 << 30, "nvidia.com/gpu": 1},
			Retry:    &pluginpb.Retry{Row: "row"}}}}
}

func happeningRecord(f *pluginpb.Framework, at int, reason string) *pluginpb.Record {
	return &pluginpb.Record{Key: fmt.Sprintf("happening/%s/%d/%s", f.Uid, at, reason), Framework: f, Time: after(at),
		Content: &pluginpb.Record_Happening{Happening: &pluginpb.Happening{Reason: reason, Facts: map[string]string{"task": "worker-0"}}}}
}

func labeled(f *pluginpb.Framework, labels map[string]string) *pluginpb.Framework {
	f.Labels = labels
	return f
}

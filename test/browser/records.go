package browser

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Job is a Framework that never ran: its records are made by chance, for sizes that a simulated cluster takes hours for.
type Job struct {
	Namespace, Name string
	Labels          map[string]string
	Tasks, Attempts int
	// Failing fails at first in each attempt but the last.
	Failing int
	// Node of a Task.
	Node func(task int) string
	// Cause of the failure of an attempt.
	Cause   func(attempt int) *pluginpb.Completion
	Began   time.Time
	Running time.Duration
}

// Failure is a completion that failed.
func Failure(code int32, phrase, attribute, diagnostics string) *pluginpb.Completion {
	c := &pluginpb.Completion{Code: code, Phrase: phrase, Type: &pluginpb.CompletionType{Name: "Failed"}, Diagnostics: diagnostics,
		Plugin: "classifier-exitcode", PluginVersion: "1.0.0", Rule: fmt.Sprint("exit-", code)}
	if attribute != "" {
		c.Type.Attributes = []string{attribute}
	}
	return c
}

func success() *pluginpb.Completion {
	return &pluginpb.Completion{Phrase: "Succeeded", Type: &pluginpb.CompletionType{Name: "Succeeded"}}
}

// Send stores the records of a job.
func (j *Job) Send(ctx context.Context, url string) error {
	chance := rand.New(rand.NewPCG(1, uint64(len(j.Name))))
	var batch []*pluginpb.Record
	add := func(r *pluginpb.Record) error {
		if batch = append(batch, r); len(batch) < 1000 { // the most that the server takes
			return nil
		}
		defer func() { batch = nil }()
		return send(ctx, url, batch)
	}
	began := j.Began
	var last *pluginpb.Completion
	for attempt := range j.Attempts {
		f := j.framework(int32(attempt))
		final := attempt == j.Attempts-1 && j.Cause(attempt) == nil
		ran := began.Add(30 * time.Second)
		ended := ran.Add(j.Running/2 + time.Duration(chance.Int64N(int64(j.Running))))
		last = success()
		if !final {
			last = j.Cause(attempt)
		}
		for task := range j.Tasks {
			outcome, at := last, ended
			if final {
				at = ended.Add(-time.Duration(chance.Int64N(int64(j.Running / 4))))
			} else if task != j.Failing {
				outcome = &pluginpb.Completion{Code: -220, Phrase: "FrameworkAttemptCompletion", Type: &pluginpb.CompletionType{Name: "Failed", Attributes: []string{"Permanent"}}}
				at = ended.Add(time.Duration(500+chance.IntN(4000)) * time.Millisecond)
			}
			if err := add(j.task(f, task, began, at, outcome, chance)); err != nil {
				return err
			}
		}
		if err := add(j.attempt(f, began, ran, ended.Add(5*time.Second), last, attempt < j.Attempts-1)); err != nil {
			return err
		}
		began = ended.Add(10 * time.Second)
	}
	f := j.framework(int32(j.Attempts - 1))
	if err := add(j.whole(f, began, last)); err != nil {
		return err
	}
	return send(ctx, url, batch)
}

func (j *Job) framework(attempt int32) *pluginpb.Framework {
	return &pluginpb.Framework{Namespace: j.Namespace, Name: j.Name, Uid: "uid-" + j.Namespace + "-" + j.Name, AttemptId: attempt, Labels: j.Labels}
}

func (j *Job) whole(f *pluginpb.Framework, ended time.Time, c *pluginpb.Completion) *pluginpb.Record {
	return &pluginpb.Record{Key: "framework/" + f.Uid, Framework: f, Time: timestamppb.New(ended), Content: &pluginpb.Record_FrameworkRecord{
		FrameworkRecord: &pluginpb.FrameworkRecord{Revision: 1, Created: timestamppb.New(j.Began), Completed: timestamppb.New(ended), State: "Completed",
			Queue: "research", Completion: c, Retries: int32(j.Attempts - 1), Tasks: int32(j.Tasks)}}}
}

func (j *Job) attempt(f *pluginpb.Framework, began, ran, ended time.Time, c *pluginpb.Completion, follows bool) *pluginpb.Record {
	r := &pluginpb.FrameworkAttemptRecord{Began: timestamppb.New(began), Placed: timestamppb.New(began.Add(12 * time.Second)), Ran: timestamppb.New(ran),
		Ended: timestamppb.New(ended), Completion: c, Tasks: int32(j.Tasks), Retry: &pluginpb.Retry{Follows: follows, Row: "transient", DelaySeconds: 5}}
	if c.Code != 0 {
		r.TriggerRole, r.TriggerIndex = j.role(j.Failing)
	}
	return &pluginpb.Record{Key: fmt.Sprintf("attempt/%s/%d", f.Uid, f.AttemptId), Framework: f, Time: timestamppb.New(ended),
		Content: &pluginpb.Record_FrameworkAttempt{FrameworkAttempt: r}}
}

// role: the first Task is the leader of many workers.
func (j *Job) role(task int) (string, int32) {
	if task == 0 {
		return "leader", 0
	}
	return "worker", int32(task - 1)
}

func (j *Job) task(f *pluginpb.Framework, task int, began, ended time.Time, c *pluginpb.Completion, chance *rand.Rand) *pluginpb.Record {
	role, index := j.role(task)
	after := func(most time.Duration) time.Duration { return time.Duration(chance.Int64N(int64(most))) }
	scheduled := began.Add(2*time.Second + after(8*time.Second))
	initialized := scheduled.Add(time.Second + after(6*time.Second))
	started := initialized.Add(time.Second + after(10*time.Second))
	code := c.Code
	if code < 0 {
		code = 143
	}
	r := &pluginpb.TaskAttemptRecord{TaskRole: role, TaskIndex: index, TaskUid: fmt.Sprintf("%s-%s-%d", f.Uid, role, index),
		PodName: fmt.Sprintf("%s-%s-%d", j.Name, role, index), PodUid: fmt.Sprintf("%s-%d-%s-%d", f.Uid, f.AttemptId, role, index), Node: j.Node(task), Completion: c,
		Began: timestamppb.New(began), PodCreated: timestamppb.New(began.Add(time.Second)), Scheduled: timestamppb.New(scheduled), Initialized: timestamppb.New(initialized),
		Ran: timestamppb.New(started), ContainersEnded: timestamppb.New(ended.Add(-200 * time.Millisecond)), Ended: timestamppb.New(ended),
		Requests: map[string]float64{"cpu": 4, "memory": 16 << 30, "nvidia.com/gpu": 1},
		Containers: []*pluginpb.ContainerRecord{
			{Name: "frameworkbarrier", Init: true, Image: "frameworkbarrier:v1.0.0", ExitCode: new(int32), Reason: "Completed", Started: timestamppb.New(scheduled), Finished: timestamppb.New(initialized)},
			{Name: "main", Image: "train:2026.3", ExitCode: &code, Reason: "Error", Message: c.Diagnostics, Started: timestamppb.New(started), Finished: timestamppb.New(ended)}},
		Retry: &pluginpb.Retry{Row: "attempt over"}}
	return &pluginpb.Record{Key: fmt.Sprintf("task/%s/%d/%s/%d/0", f.Uid, f.AttemptId, role, index), Framework: f, Time: timestamppb.New(ended),
		Content: &pluginpb.Record_TaskAttempt{TaskAttempt: r}}
}

func send(ctx context.Context, url string, records []*pluginpb.Record) error {
	if len(records) == 0 {
		return nil
	}
	body, err := proto.Marshal(&pluginpb.StoreRequest{Records: records})
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/api/v1/records", bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-protobuf")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	var stored pluginpb.StoreResponse
	if answer.StatusCode != http.StatusOK || proto.Unmarshal(said, &stored) != nil || len(stored.Keys) != len(records) {
		return fmt.Errorf("storing %d records: %s, %d of them stored: %.200s", len(records), answer.Status, len(stored.Keys), said)
	}
	return nil
}

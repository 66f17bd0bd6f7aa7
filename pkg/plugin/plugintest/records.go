package plugintest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// RandomRecord generates a realistic record of any kind, without key.
func RandomRecord(r *rand.Rand) *pluginpb.Record {
	record := &pluginpb.Record{
		Framework: &pluginpb.Framework{Namespace: pick(r, "default", "team-a"), Name: pick(r, "f", "g"), Uid: pick(r, "uid-f", "uid-g"), AttemptId: r.Int32N(3)},
		Time:      moment(r),
	}
	switch r.IntN(6) {
	case 0:
		record.Framework.Labels = map[string]string{"app": pick(r, "a", "b")}
		record.Content = &pluginpb.Record_FrameworkRecord{FrameworkRecord: randomFrameworkRecord(r)}
	case 1:
		record.Content = &pluginpb.Record_FrameworkAttempt{FrameworkAttempt: &pluginpb.FrameworkAttemptRecord{
			Began: moment(r), Ran: moment(r), Ended: moment(r), Completion: randomCompletion(r),
			TriggerRole: pick(r, "", "worker"), TriggerIndex: r.Int32N(10), Tasks: 10, Retry: randomRetry(r)}}
	case 2:
		record.Content = &pluginpb.Record_TaskAttempt{TaskAttempt: randomTaskAttempt(r)}
	case 3:
		record.Framework = nil
		record.Content = &pluginpb.Record_Presence{Presence: &pluginpb.PresenceRecord{ResourceVersion: strconv.Itoa(1 + r.IntN(1000)),
			From: pick(r, "", "uid-f"), Until: pick(r, "", "uid-g"), Uids: []string{pick(r, "uid-f", "uid-g")}}}
	case 4:
		record.Content = &pluginpb.Record_ShadowVerdict{ShadowVerdict: randomShadowVerdict(r)}
	default:
		record.Content = &pluginpb.Record_Happening{Happening: &pluginpb.Happening{
			Reason: pick(r, "Rescaled", "TaskRetryScheduled"), Facts: map[string]string{"task": "worker-1", "row": "exhausted"}}}
	}
	return record
}

func randomFrameworkRecord(r *rand.Rand) *pluginpb.FrameworkRecord {
	f := &pluginpb.FrameworkRecord{Revision: r.Int64N(100), Created: moment(r), State: pick(r, "AttemptRunning", "Deleted"),
		Queue: pick(r, "", "research"), TemplateDigest: "sha256:0", Generation: 1 + r.Int64N(3), Retries: r.Int32N(4), Tasks: 10}
	if r.IntN(2) == 0 {
		f.State, f.Completed, f.Completion = "Completed", moment(r), randomCompletion(r)
	}
	return f
}

func randomTaskAttempt(r *rand.Rand) *pluginpb.TaskAttemptRecord {
	t := &pluginpb.TaskAttemptRecord{TaskRole: pick(r, "worker", "ps", "chief"), TaskIndex: r.Int32N(10), TaskAttemptId: r.Int32N(4),
		TaskUid: "uid-t", PodUid: pick(r, "", "uid-p"), Node: pick(r, "", "n1", "n2", "n3"), Completion: randomCompletion(r),
		Began: moment(r), PodCreated: moment(r), Scheduled: moment(r), Ran: moment(r), Ended: moment(r),
		Requests: map[string]float64{"cpu": 0.5, "memory": 1 << 30}, DeletionCause: pick(r, "", "Retry"), Retry: randomRetry(r)}
	t.PodName = fmt.Sprintf("f-%s-%d", t.TaskRole, t.TaskIndex)
	for i := range r.IntN(3) {
		code := randomCode(r)
		t.Containers = append(t.Containers, &pluginpb.ContainerRecord{Name: fmt.Sprintf("c%d", i), Image: "image", ExitCode: &code,
			Reason: pick(r, "Error", "OOMKilled", "Completed"), Message: pick(r, "", "CUDA error", "line one\nline <two>"), Finished: moment(r)})
	}
	return t
}

func randomShadowVerdict(r *rand.Rand) *pluginpb.ShadowVerdictRecord {
	s := &pluginpb.ShadowVerdictRecord{Plugin: pick(r, "", "tomorrow"), TaskRole: pick(r, "worker", "ps"), TaskIndex: r.Int32N(10), TaskAttemptId: r.Int32N(4),
		TaskUid: "uid-t", PodUid: "uid-p", Outcome: pick(r, "same", "no_opinion"), Decision: randomCompletion(r)}
	if s.Plugin == "" {
		s.Rule = 221
	}
	if r.IntN(2) == 0 {
		s.Outcome, s.Verdict = pick(r, "other_type", "other_code"), randomCompletion(r)
		s.Answer = &pluginpb.Verdict{Uid: s.PodUid, Code: s.Verdict.GetCode(), Phrase: "Phrase"}
	}
	return s
}

func randomCompletion(r *rand.Rand) *pluginpb.Completion {
	return &pluginpb.Completion{Code: randomCode(r), Phrase: "Phrase", Type: &pluginpb.CompletionType{Name: pick(r, "Succeeded", "Failed")},
		Diagnostics: pick(r, "", "日本語"), Plugin: pick(r, "", "rules"), Rule: pick(r, "", "oom")}
}

func randomRetry(r *rand.Rand) *pluginpb.Retry {
	return &pluginpb.Retry{Follows: r.IntN(2) == 0, Row: pick(r, "", "exhausted"), DelaySeconds: r.Int64N(100)}
}

func randomRecord(key string, r *rand.Rand) *pluginpb.Record {
	record := RandomRecord(r)
	record.Key = key
	return record
}

func randomRecords(n int) []*pluginpb.Record {
	r := rand.New(rand.NewPCG(1, 2))
	records := make([]*pluginpb.Record, n)
	for i := range records {
		records[i] = randomRecord(fmt.Sprintf("random record %d", i), r)
	}
	return records
}

// hostile is text that damages a store that trusts it.
const hostile = "'; DROP TABLE records; -- <script>alert(1)</script> %s \x00 \x1b[31m \r\n \u2028 \U0010ffff \\u0000 日本語"

// oddRecords are unusual records that a sink must acknowledge. Their keys describe the oddity.
func oddRecords() []*pluginpb.Record {
	framework := &pluginpb.Framework{Namespace: "a", Name: "f", Uid: "u"}
	records := []*pluginpb.Record{
		{Key: "nothing but a key"},
		{Key: "no content", Framework: framework, Time: timestamppb.New(time.Unix(1_700_000_000, 0))},
		{Key: "hostile text in a key " + hostile, Framework: framework},
		{Key: "the longest key" + strings.Repeat(" ", 1<<10-len("the longest key"))},
		{Key: "the first and the last time", Framework: framework, Time: timestamppb.New(time.Time{}), Content: &pluginpb.Record_FrameworkRecord{
			FrameworkRecord: &pluginpb.FrameworkRecord{Created: timestamppb.New(time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC))}}},
		{Key: "hostile text", Time: moment(rand.New(rand.NewPCG(1, 1))),
			Framework: &pluginpb.Framework{Namespace: hostile, Name: hostile, Uid: hostile, Labels: map[string]string{hostile: hostile, "": ""}},
			Content:   &pluginpb.Record_Happening{Happening: &pluginpb.Happening{Reason: hostile, Facts: map[string]string{hostile: hostile}}}},
		{Key: "hostile text of a container", Framework: framework, Content: &pluginpb.Record_TaskAttempt{TaskAttempt: &pluginpb.TaskAttemptRecord{
			TaskRole: hostile, Node: hostile, Containers: []*pluginpb.ContainerRecord{{Name: hostile, Message: hostile}, {}}, Requests: map[string]float64{hostile: 1}}}},
		{Key: "extreme numbers", Framework: &pluginpb.Framework{AttemptId: math.MinInt32}, Content: &pluginpb.Record_TaskAttempt{
			TaskAttempt: &pluginpb.TaskAttemptRecord{TaskIndex: math.MaxInt32, TaskAttemptId: -1, Completion: &pluginpb.Completion{Code: math.MinInt32},
				Requests: map[string]float64{"cpu": math.MaxFloat64, "memory": -1}, Retry: &pluginpb.Retry{DelaySeconds: math.MaxInt64}}}},
		{Key: "a later revision", Framework: framework, Content: &pluginpb.Record_FrameworkRecord{FrameworkRecord: &pluginpb.FrameworkRecord{Revision: math.MaxInt64}}},
		{Key: "an earlier revision", Framework: framework, Content: &pluginpb.Record_FrameworkRecord{FrameworkRecord: &pluginpb.FrameworkRecord{Revision: math.MinInt64}}},
		{Key: "a list without Frameworks", Content: &pluginpb.Record_Presence{Presence: &pluginpb.PresenceRecord{ResourceVersion: "7", From: "z", Until: "zz"}}},
		{Key: "a list without a version", Content: &pluginpb.Record_Presence{Presence: &pluginpb.PresenceRecord{Until: hostile, Uids: []string{hostile, ""}}}},
		{Key: "empty parts", Framework: &pluginpb.Framework{}, Content: &pluginpb.Record_FrameworkAttempt{
			FrameworkAttempt: &pluginpb.FrameworkAttemptRecord{Completion: &pluginpb.Completion{Type: &pluginpb.CompletionType{}}, Retry: &pluginpb.Retry{}}}},
	}
	return records
}

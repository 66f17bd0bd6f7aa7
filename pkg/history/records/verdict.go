package records

import (
	"time"

	"google.golang.org/protobuf/proto"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/alike"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
)

// Judged is a question about a failed Pod, and its answer.
type Judged struct {
	question []byte // encoded, because thousands of them may wait for the end of an attempt
	answer   *pluginpb.Verdict
	took     time.Duration
}

// JudgedPod returns the part of a question that the history keeps. The answer is nil and took is 0 if no plugin gave an answer.
func JudgedPod(q *pluginpb.FailedPod, answer *pluginpb.Verdict, took time.Duration) *Judged {
	kept := proto.CloneOf(q)
	// All of this is in the status, or in the record of the Framework.
	kept.Framework, kept.Earlier, kept.Parameters = nil, nil, nil
	kept.Annotations = alike.WithoutCopies(kept.GetAnnotations())
	return &Judged{question: alike.Encode(kept), answer: answer, took: took}
}

// Verdict returns the record of the judgment that ended the current attempt of a Task; nil if no judgment ended it.
func Verdict(of Subject, s *lifecycle.State, ref lifecycle.TaskRef, seen Seen) *pluginpb.Record {
	t := s.Task(ref)
	if t == nil || t.AttemptStatus.CompletionTime == nil || t.AttemptStatus.CompletionStatus == nil || t.AttemptStatus.PodUID == nil ||
		!podverdict.IsVerdict(t.AttemptStatus.CompletionStatus.CompletionStatus) {
		return nil
	}
	a, id := &t.AttemptStatus, s.Framework().AttemptStatus.ID
	q, judged := questionOf(ref, a, seen)
	q.Framework, q.Earlier = of.framework(id), podverdict.EarlierOf(t)
	v := &pluginpb.VerdictRecord{Question: q, QuestionDigest: alike.Digest(q), TaskUid: t.InstanceUID, Decision: outcome(&a.CompletionStatus.CompletionStatus)}
	if judged != nil {
		v.Answer, v.DurationSeconds = judged.answer, judged.took.Seconds()
	}
	return &pluginpb.Record{
		Key:       of.taskKey(id, ref, t.InstanceUID, a.ID) + "/verdict",
		Framework: of.framework(id), ResourceVersion: of.version(), Time: moment(a.CompletionTime), Content: &pluginpb.Record_Verdict{Verdict: v},
	}
}

// questionOf returns the question that was seen. If none was, it makes one from the status, and judged is nil.
func questionOf(ref lifecycle.TaskRef, a *v1.TaskAttemptStatus, seen Seen) (*pluginpb.FailedPod, *Judged) {
	if judged := seen.Judged(ref, *a.PodUID); judged != nil {
		q := &pluginpb.FailedPod{}
		if proto.Unmarshal(judged.question, q) == nil && q.GetUid() != "" {
			q.TaskAttemptId = a.ID
			return q, judged
		}
	}
	stored := a.CompletionStatus.Pod
	if stored == nil {
		stored = &v1.PodCompletionStatus{}
	}
	q := podverdict.Question(podverdict.PodOfStatus(a.PodName, stored))
	q.Uid, q.TaskRole, q.TaskIndex, q.TaskAttemptId = string(*a.PodUID), ref.Role, ref.Index, a.ID
	if a.PodNodeName != nil {
		q.Node = podverdict.Text(*a.PodNodeName)
	}
	return q, nil
}

package alike

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Own is the part of a question about a failed Pod that differs between Pods that failed alike.
type Own struct {
	UID          string `json:"uid,omitempty"`
	Name         string `json:"name,omitempty"`
	Index        int32  `json:"index,omitempty"`
	FrameworkUID string `json:"framework,omitempty"`
	// Labels and Annotations are the keys of the Pod whose values belong to one Task, Pod or attempt.
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
	// Times has all times of the question, in its order, in microseconds since 1970; null where there is none.
	Times []*int64 `json:"times,omitempty"`
}

// Split separates a question into the part that equal failures have in common, and its own. The question stays as it is.
func Split(q *pluginpb.FailedPod) (common *pluginpb.FailedPod, own Own) {
	common = proto.CloneOf(q)
	own = Own{UID: q.GetUid(), Name: q.GetName(), Index: q.GetTaskIndex(), FrameworkUID: q.GetFramework().GetUid()}
	common.Uid, common.Name, common.TaskIndex = "", "", 0
	if common.Framework != nil {
		common.Framework.Uid = ""
	}
	isOwn := func(key string) bool { return ofOne[key] }
	isCommon := func(key string) bool { return !ofOne[key] }
	own.Labels, common.Labels = without(q.GetLabels(), isCommon), without(q.GetLabels(), isOwn)
	own.Annotations, common.Annotations = without(q.GetAnnotations(), isCommon), without(q.GetAnnotations(), isOwn)
	eachTime(common, func(t **timestamppb.Timestamp) {
		var at *int64
		if *t != nil && (*t).IsValid() {
			at = new((*t).AsTime().UnixMicro())
		}
		own.Times = append(own.Times, at)
		*t = nil
	})
	return common, own
}

// Join returns the question that was split. It changes common.
func Join(common *pluginpb.FailedPod, own Own) *pluginpb.FailedPod {
	q := common
	q.Uid, q.Name, q.TaskIndex = own.UID, own.Name, own.Index
	if q.Framework != nil {
		q.Framework.Uid = own.FrameworkUID
	}
	q.Labels, q.Annotations = joined(q.Labels, own.Labels), joined(q.Annotations, own.Annotations)
	n := 0
	eachTime(q, func(t **timestamppb.Timestamp) {
		if n < len(own.Times) && own.Times[n] != nil {
			*t = timestamppb.New(time.UnixMicro(*own.Times[n]))
		}
		n++
	})
	return q
}

func joined(common, own map[string]string) map[string]string {
	if common == nil {
		return own
	}
	maps.Copy(common, own)
	return common
}

// eachTime visits the times of a question, always in the same order.
func eachTime(q *pluginpb.FailedPod, visit func(**timestamppb.Timestamp)) {
	for _, c := range q.GetConditions() {
		visit(&c.LastTransitionTime)
	}
	for _, c := range q.GetContainers() {
		if c.Terminated != nil {
			visit(&c.Terminated.StartedAt)
			visit(&c.Terminated.FinishedAt)
		}
	}
	for _, e := range q.GetEarlier() {
		visit(&e.CompletionTime)
	}
	if p := q.GetPending(); p != nil {
		visit(&p.Since)
		visit(&p.Deadline)
		visit(&p.Now)
	}
}

// Digest is equal for questions that have the same in common.
func Digest(q *pluginpb.FailedPod) string {
	common, _ := Split(q)
	return digestOf(Encode(common))
}

// Encode returns the same bytes for equal questions.
func Encode(q *pluginpb.FailedPod) []byte {
	encoded, err := proto.MarshalOptions{Deterministic: true}.Marshal(q)
	if err != nil {
		return nil // a text that is not UTF-8, which the controller replaces
	}
	return encoded
}

func digestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

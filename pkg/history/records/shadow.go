package records

import (
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Shadowed is the answer of a classifier or a rule in shadow about a failed Pod.
type Shadowed struct {
	// Plugin is empty for a rule, and Rule, its code, is 0 for a classifier.
	Plugin string
	Rule   int32
	// Question is the one that was asked, with the attempts of the Framework and the Task.
	Question *pluginpb.FailedPod
	TaskUID  string
	At       time.Time
	// Outcome of the comparison, in the words of the contract.
	Outcome string
	// Decision is the judgment that counts.
	Decision v1.CompletionStatus
	// Verdict is what would have been stored, and nil if it is the same, or if there is none. Answer is nil then, too, and for a rule.
	Verdict *v1.CompletionStatus
	Answer  *pluginpb.Verdict
}

// ShadowVerdict returns the record of an answer in shadow.
func ShadowVerdict(of Subject, s Shadowed) *pluginpb.Record {
	q := s.Question
	id, ref := q.GetFramework().GetAttemptId(), lifecycle.TaskRef{Role: q.GetTaskRole(), Index: q.GetTaskIndex()}
	decision := s.Decision
	decision.Diagnostics, decision.Remedy = "", "" // the verdict that counts has a record with both
	key := of.taskKey(id, ref, s.TaskUID, q.GetTaskAttemptId()) + "/shadow/"
	if s.Plugin != "" {
		key += "plugin/" + s.Plugin
	} else {
		key += "rule/" + number(s.Rule)
	}
	return &pluginpb.Record{
		Key: key, Framework: of.framework(id), ResourceVersion: of.version(), Time: timestamp(s.At),
		Content: &pluginpb.Record_ShadowVerdict{ShadowVerdict: &pluginpb.ShadowVerdictRecord{
			Plugin: s.Plugin, Rule: s.Rule, TaskRole: ref.Role, TaskIndex: ref.Index, TaskAttemptId: q.GetTaskAttemptId(), TaskUid: s.TaskUID, PodUid: q.GetUid(),
			Outcome: s.Outcome, Decision: outcome(&decision), Verdict: outcome(s.Verdict), Answer: s.Answer,
		}},
	}
}

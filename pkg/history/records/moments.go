package records

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Reasons of happenings that are no events.
const (
	// WaitBegan and WaitEnded: the condition Waiting became true or false, or has another reason. The fact "reason" is the reason of the
	// condition, and "task" is the Task that it names, if it names one.
	WaitBegan = "WaitBegan"
	WaitEnded = "WaitEnded"
	// Admitted: the scheduler admitted the attempt. The fact "plugin" is its plugin.
	Admitted = "Admitted"
	// GangPlaced: enough Pods of the gang have nodes.
	GangPlaced = "GangPlaced"
	// GateOpened: a role that starts after others may start; the fact "role" is its name. Without that fact, every Task has an address,
	// and the barrier may start the containers.
	GateOpened = "GateOpened"
)

// Moments returns the happenings of a status write that are no events. Before is nil for the first write. Version is the resourceVersion of
// the write.
func Moments(of Subject, before, after *lifecycle.State, version string, at time.Time) (out []*pluginpb.Record) {
	id := after.Framework().AttemptStatus.ID
	add := func(what string, facts map[string]string, key ...string) {
		out = append(out, &pluginpb.Record{
			Key: of.key(append([]string{"attempt", number(id), "happening", version, what}, key...)...), Framework: of.framework(id), ResourceVersion: of.version(), Time: timestamp(at),
			Content: &pluginpb.Record_Happening{Happening: &pluginpb.Happening{Reason: what, Facts: facts}},
		})
	}
	if was, is := waitOf(before), waitOf(after); was["reason"] != is["reason"] {
		if was != nil {
			add(WaitEnded, was)
		}
		if is != nil {
			add(WaitBegan, is)
		}
	}
	was, is := releasesOf(before, id), releasesOf(after, id)
	if is.admittedBy != "" && was.admittedBy == "" {
		add(Admitted, map[string]string{"plugin": text(is.admittedBy)})
	}
	if is.placed && !was.placed {
		add(GangPlaced, nil)
	}
	for _, role := range is.started {
		if !slices.Contains(was.started, role) {
			add(GateOpened, map[string]string{"role": text(role)}, role)
		}
	}
	if is.addressed && !was.addressed {
		add(GateOpened, nil)
	}
	return out
}

// waitOf returns the facts of the wait; nil if the Framework does not wait.
func waitOf(s *lifecycle.State) map[string]string {
	if s == nil || !meta.IsStatusConditionTrue(s.Framework().Conditions, v1.ConditionWaiting) {
		return nil
	}
	facts := map[string]string{"reason": text(meta.FindStatusCondition(s.Framework().Conditions, v1.ConditionWaiting).Reason)}
	if w := s.Framework().Waiting; w != nil && w.Index != nil {
		facts["task"] = lifecycle.TaskRef{Role: w.Role, Index: *w.Index}.String()
	}
	return facts
}

// releases are the permissions that an attempt has got.
type releases struct {
	admittedBy string // the plugin of the scheduler
	placed     bool
	started    []string // roles that start after others
	addressed  bool
}

// releasesOf returns the zero releases if the state is of another attempt.
func releasesOf(s *lifecycle.State, attempt int32) (r releases) {
	if s == nil || s.Framework().AttemptStatus.ID != attempt {
		return r
	}
	status := s.Framework()
	if hints := status.AttemptStatus.SchedulerHints; hints != nil && len(hints.Admission) > 0 {
		r.admittedBy = hints.Plugin
	}
	if p := status.AttemptStatus.Placement; p != nil {
		r.placed = p.PlacedTime != nil
	}
	if status.Gates != nil {
		r.started = status.Gates.Open
	}
	r.addressed = status.Gate != ""
	return r
}

package leader

import (
	"fmt"
	"slices"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// decide returns nil if the attempt has no such leader.
func (l leader) decide(roles []*pluginpb.RoleProgress) *pluginpb.DecideResponse {
	role := l.in(roles)
	if role == nil {
		return nil
	}
	if failed := l.completed(role, "Failed"); len(failed) > 0 {
		return l.end(pluginpb.DecideResponse_FAILED, first(failed), "has failed for good")
	}
	succeeded, wanted := l.completed(role, "Succeeded"), l.wanted(role)
	if len(succeeded) >= wanted {
		return l.end(pluginpb.DecideResponse_SUCCEEDED, last(succeeded), "was the last one to succeed")
	}
	return &pluginpb.DecideResponse{
		Decision: pluginpb.DecideResponse_CONTINUE, Rule: l.String(),
		Message: fmt.Sprintf("%d of %d leading Tasks have succeeded", len(succeeded), wanted),
	}
}

// in returns the role of the leader if it has the leading Tasks.
func (l leader) in(roles []*pluginpb.RoleProgress) *pluginpb.RoleProgress {
	if l.missing(roles) != nil {
		return nil
	}
	return roles[slices.IndexFunc(roles, func(r *pluginpb.RoleProgress) bool { return r.GetName() == l.Role })]
}

// missing returns an error that names the parameter if there is no such leader; nil if there is one.
func (l leader) missing(roles []*pluginpb.RoleProgress) error {
	i := slices.IndexFunc(roles, func(r *pluginpb.RoleProgress) bool { return r.GetName() == l.Role })
	switch {
	case i < 0:
		return fmt.Errorf("leader.role: the Framework has no role %q", l.Role)
	case roles[i].GetTaskNumber() < 1:
		return fmt.Errorf("leader.role: role %s has no Tasks", l.Role)
	case l.Index != nil && *l.Index >= roles[i].GetTaskNumber():
		return fmt.Errorf("leader.index: role %s has no Task %d, because its taskNumber is %d", l.Role, *l.Index, roles[i].GetTaskNumber())
	}
	return nil
}

func (l leader) wanted(role *pluginpb.RoleProgress) int {
	if l.Index != nil {
		return 1
	}
	return int(role.GetTaskNumber())
}

// completed returns the leading Tasks with that result, Failed or Succeeded.
func (l leader) completed(role *pluginpb.RoleProgress, how string) []*pluginpb.CompletedTask {
	var out []*pluginpb.CompletedTask
	for _, t := range role.GetCompleted() {
		if t.GetType().GetName() == how && (l.Index == nil || t.GetIndex() == *l.Index) {
			out = append(out, t)
		}
	}
	return out
}

func (l leader) end(decision pluginpb.DecideResponse_Decision, trigger *pluginpb.CompletedTask, what string) *pluginpb.DecideResponse {
	return &pluginpb.DecideResponse{
		Decision: decision,
		Trigger:  &pluginpb.Trigger{TaskRole: l.Role, TaskIndex: trigger.GetIndex()},
		Message:  fmt.Sprintf("the leading Task %s[%d] %s", l.Role, trigger.GetIndex(), what),
		Rule:     l.String(),
	}
}

// first returns the Task that completed first; of several at the same time, the one with the lowest index.
func first(tasks []*pluginpb.CompletedTask) *pluginpb.CompletedTask {
	out := tasks[0]
	for _, t := range tasks {
		if completionTime(t).Before(completionTime(out)) {
			out = t
		}
	}
	return out
}

// last returns the Task that completed last; of several at the same time, the one with the lowest index.
func last(tasks []*pluginpb.CompletedTask) *pluginpb.CompletedTask {
	out := tasks[0]
	for _, t := range tasks {
		if completionTime(t).After(completionTime(out)) {
			out = t
		}
	}
	return out
}

func completionTime(t *pluginpb.CompletedTask) time.Time { return t.GetCompletionTime().AsTime() }

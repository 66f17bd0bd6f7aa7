package main

import (
	"fmt"
	"slices"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// compare returns how a Framework differs from the end in its plan; nothing if it does not. f is nil if it is gone. taken is the number of
// its objects that others have deleted: as many uncounted retries may be added.
func (e end) compare(f *v1.FrameworkStatus, exists bool, taken int) []string {
	if e.gone || !exists {
		return differences(e.gone == !exists, "exists: %t %s", exists, brief(f))
	}
	if f == nil || f.State != v1.Completed || f.AttemptStatus.CompletionStatus == nil {
		return []string{"it has not ended: " + brief(f)}
	}
	code, retries := f.AttemptStatus.CompletionStatus.Code, f.RetryPolicyStatus
	out := differences(code == e.code, "code is %d, not %d", code, e.code)
	out = append(out, differences(e.accountable.has(retries.AccountableRetriedCount), "%d retries count, not %v",
		retries.AccountableRetriedCount, e.accountable)...)
	free := int(retries.TotalRetriedCount - retries.AccountableRetriedCount)
	out = append(out, differences(e.unlimited || e.free <= free && free <= e.free+taken,
		"%d retries do not count, not %d, but others deleted only %d of its objects", free, e.free, taken)...)
	for name, want := range e.roles {
		out = append(out, want.compare(name, f, taken)...)
	}
	return out
}

func (e roleEnd) compare(name string, f *v1.FrameworkStatus, taken int) []string {
	i := slices.IndexFunc(f.AttemptStatus.TaskRoleStatuses, func(r v1.TaskRoleStatus) bool { return r.Name == name })
	if i < 0 {
		return []string{"there is no role " + name}
	}
	all := slices.Clone(f.AttemptStatus.TaskRoleStatuses[i].TaskStatuses)
	tasks := slices.DeleteFunc(all, func(t v1.TaskStatus) bool { return t.DeletionPending })
	out := differences(e.tasks == 0 || len(tasks) == e.tasks, "role %s has %d Tasks, not %d", name, len(tasks), e.tasks)
	for _, t := range tasks {
		for _, d := range e.compareTask(t, taken) {
			out = append(out, fmt.Sprintf("Task %s-%d: %s", name, t.Index, d))
		}
	}
	return out
}

func (e roleEnd) compareTask(t v1.TaskStatus, taken int) []string {
	s, retries := t.AttemptStatus.CompletionStatus, t.RetryPolicyStatus
	if s == nil {
		return []string{"no outcome"}
	}
	free := int(retries.TotalRetriedCount - retries.AccountableRetriedCount)
	return slices.Concat(
		differences(slices.Contains(e.codes, s.Code), "code is %d, not one of %v", s.Code, e.codes),
		differences(e.accountable.has(retries.AccountableRetriedCount), "%d retries count, not %v", retries.AccountableRetriedCount, e.accountable),
		differences(free <= e.free+taken, "%d retries do not count, not %d, but others deleted only %d objects", free, e.free, taken),
	)
}

func differences(same bool, format string, args ...any) []string {
	if same {
		return nil
	}
	return []string{fmt.Sprintf(format, args...)}
}

// brief renders a status in one line, for finding out why a Framework hangs.
func brief(f *v1.FrameworkStatus) string {
	if f == nil {
		return "no status"
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s attempt=%d", f.State, f.AttemptStatus.ID)
	if c := f.AttemptStatus.CompletionStatus; c != nil {
		fmt.Fprintf(&out, " code=%d", c.Code)
	}
	for _, role := range f.AttemptStatus.TaskRoleStatuses {
		for _, t := range role.TaskStatuses {
			fmt.Fprintf(&out, " %s-%d:%s/%d", role.Name, t.Index, t.State, t.AttemptStatus.ID)
		}
	}
	for _, c := range f.Conditions {
		if c.Status == "True" {
			fmt.Fprintf(&out, " %s(%s: %s)", c.Type, c.Reason, c.Message)
		}
	}
	return out.String()
}

package kubectl

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// replayed is what rules make of failures that were judged before.
type replayed struct {
	lines []*replayedLine
	// How many failures there are, and of how many the type is another one; retries that there were or would be no more, and
	// those that there would be in addition.
	failures, otherTypes, saved, added int
}

// replayedLine is failures that were judged alike, and are judged alike now.
type replayedLine struct {
	replayedKey
	tasks   int
	example string
}

type replayedKey struct {
	was, is         string // the code and its phrase
	wasType, isType string
	retry           string
}

// replay judges every failed Pod that the statuses tell of.
func replay(rules *completion.Rules, frameworks []*stored) *replayed {
	r := &replayed{}
	byKey := map[replayedKey]*replayedLine{}
	for _, s := range frameworks {
		if s.Status == nil {
			continue
		}
		for i := range s.Status.AttemptStatus.TaskRoleStatuses {
			role := &s.Status.AttemptStatus.TaskRoleStatuses[i]
			for j := range role.TaskStatuses {
				r.judge(rules, byKey, s, role.Name, &role.TaskStatuses[j])
			}
		}
	}
	slices.SortFunc(r.lines, func(a, b *replayedLine) int {
		return cmp.Or(cmp.Compare(b.tasks, a.tasks), cmp.Compare(a.was, b.was), cmp.Compare(a.is, b.is))
	})
	return r
}

func (r *replayed) judge(rules *completion.Rules, byKey map[replayedKey]*replayedLine, s *stored, role string, t *v1.TaskStatus) {
	was := t.AttemptStatus.CompletionStatus
	if was == nil || was.Pod == nil || was.Type.Name != v1.CompletionFailed {
		return
	}
	is := rules.Classify(podOfStatus(t.AttemptStatus.PodName, was.Pod))
	key := replayedKey{codeOf(was.CompletionStatus), codeOf(is), typeOf(was.Type), typeOf(is.Type), s.retryChange(role, t, is)}
	line := byKey[key]
	if line == nil {
		line = &replayedLine{replayedKey: key, example: s.Namespace + "/" + s.Name + " " + explain.TaskName(role, t.Index)}
		byKey[key] = line
		r.lines = append(r.lines, line)
	}
	line.tasks++
	r.failures++
	if key.wasType != key.isType {
		r.otherTypes++
	}
	switch key.retry {
	case retrySaved:
		r.saved++
	case retryAdded:
		r.added++
	}
}

// podOfStatus is a failed Pod as far as a status tells of it. When its containers have ended is not known any more.
func podOfStatus(name string, s *v1.PodCompletionStatus) completion.Pod {
	pod := completion.Pod{Name: name, Reason: s.Reason, Message: s.Message}
	for _, c := range s.Containers {
		pod.Containers = append(pod.Containers, completion.Container{
			Name: c.Name, Terminated: true, Code: c.Code, Signal: c.Signal, Reason: c.Reason, Message: c.Message})
	}
	return pod
}

func codeOf(s v1.CompletionStatus) string { return fmt.Sprintf("%d %s", s.Code, s.Phrase) }

func typeOf(t v1.CompletionType) string {
	attributes := make([]string, 0, len(t.Attributes))
	for _, a := range t.Attributes {
		attributes = append(attributes, string(a))
	}
	slices.Sort(attributes)
	return cmp.Or(strings.Join(attributes, "+"), "Unknown")
}

// What becomes of the retry of a Task.
const (
	retrySame  = "same"
	retrySaved = "saved"
	retryAdded = "added"
)

// retryChange says whether the Task would be tried again where it was not, or the other way round.
func (s *stored) retryChange(role string, t *v1.TaskStatus, is v1.CompletionStatus) string {
	for i := range s.Spec.TaskRoles {
		if s.Spec.TaskRoles[i].Name != role {
			continue
		}
		policy := s.Spec.TaskRoles[i].Task.RetryPolicy
		before := lifecycle.DecideRetry(policy, t.RetryPolicyStatus, t.AttemptStatus.CompletionStatus.CompletionStatus).Retry
		after := lifecycle.DecideRetry(policy, t.RetryPolicyStatus, is).Retry
		switch {
		case before && !after:
			return retrySaved
		case !before && after:
			return retryAdded
		}
	}
	return retrySame
}

func (r *replayed) print(out io.Writer) error {
	if len(r.lines) > 0 {
		t := table{columns: []column{{name: "Was"}, {name: "Is"}, {name: "Type was"}, {name: "Type is"}, {name: "Retry"}, {name: "Tasks"}, {name: "Example"}}}
		for _, l := range r.lines {
			t.add(l.was, l.is, l.wasType, l.isType, l.retry, l.tasks, l.example)
		}
		if err := t.print(out); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(out, "%s: %d get another type, %s saved, %d added\n",
		plural(r.failures, "failure"), r.otherTypes, pluralRetry(r.saved), r.added)
	return err
}

func pluralRetry(n int) string {
	if n == 1 {
		return "1 retry"
	}
	return fmt.Sprintf("%d retries", n)
}

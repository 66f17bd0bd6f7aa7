package kubectl

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/retry"
)

// replayed is the result of judging failures again.
type replayed struct {
	lines []*replayedLine
	// Numbers of failures, of failures whose type changes, and of undecided ones.
	failures, otherTypes, undecided int
	// Retries of Tasks, and of whole Frameworks.
	tasks, wholes retries
	byPlugin      bool // whether the table names the plugin or rule that decided
	noRetries     bool // whether the retry policies of the time are not known
}

// retries counts retries that the new rules would save, and retries that they would add.
type retries struct{ saved, added int }

// replayedLine groups failures with the same judgments, before and now.
type replayedLine struct {
	replayedKey
	failures int
	example  string
}

type replayedKey struct {
	was, is         string // the code and its phrase
	wasType, isType string
	by              string
	retry           string
}

// replay compares failures with their new judgments. Failures without a judgment are left out.
func replay(failures []*failure, judged map[*failure]consult.Judgment, byPlugin bool) *replayed {
	r := &replayed{byPlugin: byPlugin, noRetries: slices.ContainsFunc(failures, func(f *failure) bool { return f.asked != nil })}
	lines := map[replayedKey]*replayedLine{}
	for _, f := range failures {
		judgment, ok := judged[f]
		if !ok {
			continue
		}
		key := r.compare(f, judgment)
		line := lines[key]
		if line == nil {
			line = &replayedLine{replayedKey: key, example: f.String()}
			lines[key] = line
			r.lines = append(r.lines, line)
		}
		line.failures++
	}
	slices.SortStableFunc(r.lines, func(a, b *replayedLine) int {
		return cmp.Or(cmp.Compare(b.failures, a.failures), cmp.Compare(a.was, b.was), cmp.Compare(a.is, b.is))
	})
	return r
}

func (f *failure) String() string {
	return f.owner.Namespace + "/" + f.owner.Name + " " + explain.TaskName(f.role, f.task.Index)
}

// compare counts a failure, and returns its line of the table.
func (r *replayed) compare(f *failure, judgment consult.Judgment) replayedKey {
	was := f.was()
	key := replayedKey{was: codeOf(was), wasType: typeOf(was.Type)}
	r.failures++
	if judgment.Err != nil {
		r.undecided++
		key.is, key.isType, key.retry = "undecided", "-", "waits"
		return key
	}
	is := judgment.Status
	key.is, key.isType, key.by = codeOf(is), typeOf(is.Type), judgedBy(is.Source)
	if key.wasType != key.isType {
		r.otherTypes++
	}
	if !r.noRetries {
		key.retry = r.retryOf(f, is)
	}
	return key
}

func judgedBy(by *v1.CompletionSource) string {
	if by == nil {
		return "rules"
	}
	return strings.TrimSuffix(by.Plugin+": "+by.Rule, ": ")
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

// retryOf reports how the retry of a Task changes, and the retry of its Framework if the failure has ended the attempt. A Task
// that is retried does not end it. The decision made at the time of the failure holds, even if the policy has changed since.
func (r *replayed) retryOf(f *failure, is v1.CompletionStatus) string {
	was := retry.EndingOf(&f.task.AttemptStatus, f.task.TransitionTime.Time)
	now := retry.Ending{Status: is, Time: was.Time}
	before, after := f.settled(was), f.taskIsRetried(now)
	text := r.tasks.count(before, after, "")
	if f.whole != nil {
		wholeBefore := !before && f.wholeIsRetried(was)
		wholeAfter := !after && f.wholeIsRetried(now)
		if whole := r.wholes.count(wholeBefore, wholeAfter, "whole "); whole != "" {
			text = strings.TrimPrefix(text+", "+whole, ", ")
		}
	}
	return cmp.Or(text, "same")
}

func (r *retries) count(before, after bool, what string) string {
	switch {
	case before && !after:
		r.saved++
		return what + "saved"
	case !before && after:
		r.added++
		return what + "added"
	}
	return ""
}

// settled reports whether the Task was retried after the failure as it was originally judged.
func (f *failure) settled(was retry.Ending) bool {
	if f.roleSpec == nil {
		return f.task.RetryPolicyStatus.RetryDelaySec != nil || f.taskIsRetried(was)
	}
	return retry.Decide(retry.OfTask(f.roleSpec, f.roleRetried, f.task, was)).Follows
}

func (f *failure) taskIsRetried(end retry.Ending) bool {
	if f.roleSpec != nil {
		return retry.Decide(retry.OfFailure(f.roleSpec, f.roleRetried, f.task.RetryPolicyStatus, end)).Retry
	}
	return f.policy != nil && retry.Decide(retry.OfFramework(*f.policy, f.task.RetryPolicyStatus, end)).Retry
}

func (f *failure) wholeIsRetried(end retry.Ending) bool {
	return retry.Decide(retry.OfFramework(f.whole.Spec.RetryPolicy, f.whole.Status.RetryPolicyStatus, end)).Retry
}

func (r *replayed) print(out io.Writer) error {
	if len(r.lines) > 0 {
		if err := r.table().print(out); err != nil {
			return err
		}
	}
	text := fmt.Sprintf("%s: %d of another type", plural(r.failures, "failure"), r.otherTypes)
	if r.undecided > 0 {
		text += fmt.Sprintf(", %d undecided", r.undecided)
	}
	if r.noRetries {
		_, err := fmt.Fprintln(out, text)
		return err
	}
	_, err := fmt.Fprintf(out, "%s\nretries of Tasks: %d saved, %d added\nretries of whole Frameworks: %d saved, %d added\n",
		text, r.tasks.saved, r.tasks.added, r.wholes.saved, r.wholes.added)
	return err
}

func (r *replayed) table() *table {
	t := &table{columns: []column{{name: "Was"}, {name: "Is"}, {name: "Type was"}, {name: "Type is"}, {name: "By", wide: true}}, wide: r.byPlugin}
	if !r.noRetries {
		t.columns = append(t.columns, column{name: "Retry"})
	}
	t.columns = append(t.columns, column{name: "Failures"}, column{name: "Example"})
	for _, l := range r.lines {
		cells := []any{l.was, l.is, l.wasType, l.isType, l.by}
		if !r.noRetries {
			cells = append(cells, l.retry)
		}
		t.add(append(cells, l.failures, l.example)...)
	}
	return t
}

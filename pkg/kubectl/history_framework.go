package kubectl

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/ended"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// pastFramework is the document of a Framework, as -o json and -o yaml print it.
type pastFramework struct {
	answerDocument
	historyapi.FrameworkDetail
}

func (r *remembering) framework(ctx context.Context, p *past, name string) error {
	d, err := p.Framework(ctx, p.namespace, name, r.uid)
	switch {
	case err != nil:
		return err
	case r.output.isDocument():
		return r.output.print(r.caller, pastFramework{answerDocument{documentVersion, "PastFramework"}, d})
	case r.output.format == "name":
		return r.printNames([]historyapi.Framework{d.Framework})
	}
	var out bytes.Buffer
	aboutFramework(&out, &d.Framework)
	if err := r.aboutCurrent(&out, &d); err != nil {
		return err
	}
	for i := range d.Attempts {
		if i == r.limit {
			break
		}
		if err := r.aboutAttempt(&out, &d.Attempts[i], &d); err != nil {
			return err
		}
	}
	if _, err := r.Out.Write(out.Bytes()); err != nil {
		return err
	}
	if len(d.Attempts) > r.limit {
		return r.thereIsMore("attempts")
	}
	return nil
}

// printLine prints a line that may have text of others.
func printLine(out *bytes.Buffer, format string, args ...any) {
	fmt.Fprintln(out, onOneLine(fmt.Sprintf(format, args...)))
}

func aboutFramework(out *bytes.Buffer, f *historyapi.Framework) {
	ended := "not ended"
	if f.Completion != nil {
		ended = outcomeWithKind(f.Completion)
	}
	printLine(out, "%s: %s, %s", f.Name, f.State, ended)
	facts := []string{"created " + stamp(&f.Created)}
	if f.Completed != nil {
		facts = append(facts, "over after "+span(&f.Created, f.Completed))
	}
	if f.DeletedBefore != nil {
		facts = append(facts, "deleted before "+stamp(f.DeletedBefore)+" while no controller ran")
	}
	attempts := plural(int(f.Retries)+1, "attempt")
	if f.Retries > 0 {
		attempts += fmt.Sprintf(" (%d counted)", f.AccountableRetries)
	}
	facts = append(facts, attempts, plural(int(f.Tasks), "Task"))
	if f.Queue != "" {
		facts = append(facts, "queue "+f.Queue)
	}
	printLine(out, "%s", strings.Join(append(facts, "UID "+f.UID), ", "))
}

// aboutCurrent prints an attempt that has not ended, if there is something to print.
func (r *remembering) aboutCurrent(out *bytes.Buffer, d *historyapi.FrameworkDetail) error {
	current := int32(-1)
	if r.output.format == "wide" {
		for _, h := range d.Happenings {
			current = max(current, h.FrameworkAttempt)
		}
	}
	if r.shadow {
		for i := range d.Shadow {
			current = max(current, d.Shadow[i].FrameworkAttempt)
		}
	}
	if current < 0 || len(d.Attempts) > 0 && current <= d.Attempts[0].ID {
		return nil
	}
	out.WriteString("\n")
	printLine(out, "Attempt %d: not ended", current)
	return r.aboutMore(out, current, d)
}

// aboutMore prints the verdicts in shadow and the happenings of an attempt, if they are asked for.
func (r *remembering) aboutMore(out *bytes.Buffer, attempt int32, d *historyapi.FrameworkDetail) error {
	if r.shadow {
		if err := r.printShadow(out, attempt, d.Shadow); err != nil {
			return err
		}
	}
	if r.output.format != "wide" {
		return nil
	}
	return r.printHappenings(out, attempt, d.Happenings)
}

func (r *remembering) aboutAttempt(out *bytes.Buffer, a *historyapi.FrameworkAttempt, d *historyapi.FrameworkDetail) error {
	out.WriteString("\n")
	printLine(out, "Attempt %d: %s", a.ID, outcomeWithKind(&a.Completion))
	how := []string{}
	if a.TriggerRole != "" && a.TriggerIndex != nil {
		how = append(how, "ended by Task "+explain.TaskName(a.TriggerRole, *a.TriggerIndex))
	}
	if how = append(how, retryWords(&a.Completion, a.Retry)...); len(how) > 0 {
		printLine(out, "  %s", strings.Join(how, ", "))
	}
	printLine(out, "  began %s%s", stamp(&a.Began), phases(
		phase{"waited", &a.Began, a.Placed}, phase{"started in", a.Placed, a.Ran}, phase{"ran", a.Ran, &a.Ended}, phase{"took", &a.Began, &a.Ended}))
	if words := completion.Words(a.Completion.Diagnostics); words != "" {
		printLine(out, "  %s", words)
	}
	if remedy := a.Completion.Remedy; remedy != "" {
		printLine(out, "  remedy: %s", remedy)
	}
	if err := r.printOutcomes(out, outcomesOf(a, d.Outcomes)); err != nil {
		return err
	}
	return r.aboutMore(out, a.ID, d)
}

func (r *remembering) printOutcomes(out *bytes.Buffer, rows []outcomeRow) error {
	if len(rows) == 0 {
		return nil
	}
	t := table{columns: []column{{name: "Role"}, {name: "Outcome"}, {name: "Type"}, {name: "Count"}, {name: "First"}, {name: "Ended"}}, noHeaders: r.noHeaders}
	if r.output.format != "wide" {
		rows = foldTransient(rows)
	}
	for _, row := range rows {
		t.add(row.role, row.outcome, row.kind, row.times, row.first, stamp(&row.ended))
	}
	return t.printIndented(out)
}

// printHappenings prints the happenings of an attempt, in the order of their times.
func (r *remembering) printHappenings(out *bytes.Buffer, attempt int32, all []historyapi.Happening) error {
	t := table{columns: []column{{name: "Happening"}, {name: "Time"}, {name: "Facts"}}, noHeaders: r.noHeaders}
	some := slices.DeleteFunc(slices.Clone(all), func(h historyapi.Happening) bool { return h.FrameworkAttempt != attempt })
	if len(some) == 0 {
		return nil
	}
	slices.SortStableFunc(some, func(a, b historyapi.Happening) int { return a.Time.Compare(b.Time) })
	for i := range some {
		var facts []string
		for _, name := range slices.Sorted(maps.Keys(some[i].Facts)) {
			facts = append(facts, name+"="+some[i].Facts[name])
		}
		t.add(some[i].Reason, stamp(&some[i].Time), strings.Join(facts, " "))
	}
	return t.printIndented(out)
}

// printIndented prints a table below a heading.
func (t *table) printIndented(out *bytes.Buffer) error {
	var text bytes.Buffer
	if err := t.print(&text); err != nil {
		return err
	}
	for row := range strings.Lines(text.String()) {
		out.WriteString("  " + row)
	}
	return nil
}

// outcomeWithKind words a completion with its type, unless the phrase implies it.
func outcomeWithKind(c *historyapi.Completion) string {
	text := outcome(c.Code, c.Phrase, c.Type)
	if kind := kindOf(c); kind != text {
		text += " (" + kind + ")"
	}
	return text
}

// kindOf words a type: Succeeded, or the attributes of a failure. A Task that was cut short has not failed.
func kindOf(c *historyapi.Completion) string {
	switch {
	case c.Type == succeeded:
		return c.Type
	case completion.IsPredefined(ended.CompletionStatus(c), completion.CodeFrameworkAttemptCompletion):
		return string(explain.CutShort)
	case len(c.Attributes) == 0:
		return "Unknown"
	}
	return strings.Join(slices.Sorted(slices.Values(c.Attributes)), "+")
}

// retryWords words the decision on a retry; nil if a success needed none.
func retryWords(c *historyapi.Completion, r historyapi.Retry) []string {
	text := "not retried"
	switch {
	case c.Type == succeeded && !r.Follows:
		return nil
	case r.Follows && r.DelaySeconds > 0:
		text = fmt.Sprintf("retried after %ds", r.DelaySeconds)
	case r.Follows:
		text = "retried"
	}
	if r.Row != "" {
		text += " (retry row " + r.Row + ")"
	}
	return []string{text}
}

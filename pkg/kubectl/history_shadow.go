package kubectl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// shadowReport is the document of verdicts in shadow, as -o json and -o yaml print it.
type shadowReport struct {
	answerDocument
	historyapi.ShadowReport
}

// shadows sums up the verdicts in shadow of a namespace, or of all: a sentence for each plugin and rule, and a table of the differences.
func (r *remembering) shadows(ctx context.Context, p *past) error {
	found, err := p.Shadow(ctx, p.filter())
	switch {
	case notInHistory(err):
		return errors.New("the history server is older than this command, and has no verdicts in shadow: update the server")
	case err != nil:
		return err
	case r.output.isDocument():
		return r.output.print(r.caller, shadowReport{answerDocument{documentVersion, "PastShadowReport"}, found})
	case len(found.Rows) == 0:
		_, err := fmt.Fprintf(r.ErrOut, "No verdicts in shadow in the history of the last %s %s. --since goes back further.\n", &r.since, p.where())
		return err
	}
	var out bytes.Buffer
	var all []historyapi.ShadowDifference
	for i := range found.Rows {
		row := &found.Rows[i]
		verdicts := map[string]float64{}
		for outcome, n := range row.Outcomes {
			verdicts[outcome] = float64(n)
		}
		printLine(&out, "%s", shadowOf(row.Plugin, row.Rule).sentence(verdicts))
		all = append(all, row.Differences...)
	}
	if len(all) > 0 {
		out.WriteString("\n")
		t := shadowTable("Failures", "Example", r.noHeaders)
		for i := range all[:min(len(all), r.limit)] {
			d := &all[i]
			example := d.FrameworkName + " " + explain.TaskName(d.Role, d.Index)
			if r.allNamespaces {
				example = d.Namespace + "/" + example
			}
			t.addDifference(d, example)
		}
		if err := t.print(&out); err != nil {
			return err
		}
	}
	if _, err := r.Out.Write(out.Bytes()); err != nil {
		return err
	}
	if len(all) > r.limit {
		return r.thereIsMore("differences")
	}
	return nil
}

// printShadow prints what would have been decided differently in an attempt of a Framework.
func (r *remembering) printShadow(out *bytes.Buffer, attempt int32, all []historyapi.ShadowDifference) error {
	t := shadowTable("Count", "First", r.noHeaders)
	for i := range all {
		if d := &all[i]; d.FrameworkAttempt == attempt {
			t.addDifference(d, explain.TaskName(d.Role, d.Index))
		}
	}
	if len(t.rows) == 0 {
		return nil
	}
	return t.printIndented(out)
}

func shadowTable(count, example string, noHeaders bool) *table {
	return &table{columns: []column{{name: "In shadow"}, {name: "Was"}, {name: "Would be"}, {name: "Type was"}, {name: "Type would be"}, {name: count}, {name: example}},
		noHeaders: noHeaders}
}

func (t *table) addDifference(d *historyapi.ShadowDifference, example string) {
	would, kind := outcomeOf(&d.Verdict), kindOf(&d.Verdict)
	if d.Outcome == historyapi.ShadowOtherAdvice {
		would += ", with other advice"
	}
	t.add(shadowOf(d.Plugin, d.Rule).name(), outcomeOf(&d.Decision), would, kindOf(&d.Decision), kind, d.Count, example)
}

// aboutShadows prints the verdicts in shadow on an attempt of a Task.
func aboutShadows(out *bytes.Buffer, all []historyapi.ShadowVerdict) {
	for i := range all {
		v := &all[i]
		printLine(out, "  in shadow: %s, %s", shadowOf(v.Plugin, v.Rule).name(), wouldBe(v))
	}
}

// wouldBe words a verdict in shadow.
func wouldBe(v *historyapi.ShadowVerdict) string {
	switch {
	case v.Outcome == historyapi.ShadowSame:
		return "the same verdict"
	case v.Outcome == historyapi.ShadowNoOpinion:
		return "no opinion"
	case v.Verdict == nil:
		return v.Outcome // of a later version
	case v.Outcome == historyapi.ShadowOtherAdvice:
		return "the same verdict with other advice"
	}
	return outcomeWithKind(v.Verdict)
}

func shadowOf(plugin string, rule int32) inShadow {
	if plugin != "" {
		return inShadow{plugin: plugin}
	}
	return inShadow{rule: strconv.Itoa(int(rule))}
}

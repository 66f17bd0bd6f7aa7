package kubectl

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/ended"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// printFirstFailure prints which Task failed first and how, and the lines of all Tasks around that.
func (l *logging) printFirstFailure(ctx context.Context, of keptOf) error {
	f, err := of.FirstFailure(ctx, of.namespace, of.name, of.uid, of.attempt)
	switch {
	case err != nil:
		return of.aboutLogs(err)
	case f.Task == nil:
		return fmt.Errorf("no Task failed in attempt %d of Framework %s: kubectl framework explain %s -n %s --attempt %d shows how it ended",
			f.FrameworkAttempt, of.name, of.name, of.namespace, f.FrameworkAttempt)
	}
	if _, err := io.WriteString(l.Out, firstFailureText(&f)); err != nil {
		return err
	}
	at := *ended.StopOf(f.Task)
	lines, err := of.Around(ctx, of.namespace, of.name, of.uid, f.FrameworkAttempt, at, l.around)
	if err != nil {
		return of.aboutLogs(err)
	}
	if len(lines) == 0 {
		_, err := fmt.Fprintf(l.ErrOut, "No line was kept within %s of it. --around looks further.\n", l.around)
		return err
	}
	return l.printAround(lines, &f, at)
}

// firstFailureText words, as explain does, which Task failed first, where and how.
func firstFailureText(f *historyapi.FirstFailure) string {
	in := &ended.Attempt{FrameworkAttempt: historyapi.FrameworkAttempt{ID: f.FrameworkAttempt}}
	in.Of.Name, in.Of.Namespace = f.Task.FrameworkName, f.Task.Namespace
	facts := in.Facts(false, time.Now())
	facts.First = ended.FirstFailure(f)
	text := fmt.Sprintf("In attempt %d of the Framework:\n", f.FrameworkAttempt)
	for _, line := range explain.PastFirstFailure(facts).Lines() {
		text += onOneLine(line) + "\n"
	}
	return text + "\n"
}

// printAround prints lines with their Tasks and times, and between them the failure.
func (l *logging) printAround(lines []historyapi.LogLine, f *historyapi.FirstFailure, at time.Time) error {
	failed := fmt.Sprintf("--- %s %s ended with code %d ---\n", inMillis(at), explain.TaskName(f.Task.Role, f.Task.Index), f.Task.Completion.Code)
	for i := range lines {
		line := &lines[i]
		if failed != "" && line.Time.After(at) {
			if _, err := io.WriteString(l.Out, failed); err != nil {
				return err
			}
			failed = ""
		}
		if err := l.write(l.prefix(explain.TaskName(line.Role, line.Index), line.Index), inMillis(line.Time)+" "+line.Text); err != nil {
			return err
		}
	}
	_, err := io.WriteString(l.Out, failed)
	return err
}

func inMillis(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

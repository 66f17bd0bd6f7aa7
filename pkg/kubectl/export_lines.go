package kubectl

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// attemptLines writes attempts of Tasks, each on a line.
type attemptLines struct {
	add func(*historyapi.TaskAttempt) error
	end func() error
}

func newAttemptLines(to io.Writer, format string) attemptLines {
	if format == "json" {
		encoder := json.NewEncoder(to)
		encoder.SetEscapeHTML(false)
		return attemptLines{func(a *historyapi.TaskAttempt) error { return encoder.Encode(a) }, func() error { return nil }}
	}
	w := csv.NewWriter(to)
	w.UseCRLF = true // RFC 4180
	head := make([]string, len(attemptColumns))
	for i, c := range attemptColumns {
		head[i] = c.name
	}
	_ = w.Write(head) // end returns the error
	cells := make([]string, len(attemptColumns))
	return attemptLines{
		func(a *historyapi.TaskAttempt) error {
			for i, c := range attemptColumns {
				cells[i] = c.of(a)
			}
			return w.Write(cells)
		},
		func() error {
			w.Flush()
			return w.Error()
		},
	}
}

// attemptColumns are the columns of the CSV. Programs read them: new ones are appended, and none is removed.
var attemptColumns = []struct {
	name string
	of   func(*historyapi.TaskAttempt) string
}{
	{"namespace", func(a *historyapi.TaskAttempt) string { return a.Namespace }},
	{"framework", func(a *historyapi.TaskAttempt) string { return a.FrameworkName }},
	{"framework_uid", func(a *historyapi.TaskAttempt) string { return a.FrameworkUID }},
	{"framework_attempt", func(a *historyapi.TaskAttempt) string { return whole(a.FrameworkAttempt) }},
	{"role", func(a *historyapi.TaskAttempt) string { return a.Role }},
	{"index", func(a *historyapi.TaskAttempt) string { return whole(a.Index) }},
	{"attempt", func(a *historyapi.TaskAttempt) string { return whole(a.Attempt) }},
	{"task_uid", func(a *historyapi.TaskAttempt) string { return a.TaskUID }},
	{"pod", func(a *historyapi.TaskAttempt) string { return a.Pod }},
	{"pod_uid", func(a *historyapi.TaskAttempt) string { return a.PodUID }},
	{"node", func(a *historyapi.TaskAttempt) string { return a.Node }},
	{"code", func(a *historyapi.TaskAttempt) string { return whole(a.Completion.Code) }},
	{"phrase", func(a *historyapi.TaskAttempt) string { return a.Completion.Phrase }},
	{"type", func(a *historyapi.TaskAttempt) string { return a.Completion.Type }},
	{"attributes", func(a *historyapi.TaskAttempt) string { return strings.Join(a.Completion.Attributes, "+") }},
	{"plugin", func(a *historyapi.TaskAttempt) string { return a.Completion.Plugin }},
	{"plugin_version", func(a *historyapi.TaskAttempt) string { return a.Completion.PluginVersion }},
	{"rule", func(a *historyapi.TaskAttempt) string { return a.Completion.Rule }},
	{"diagnostics", func(a *historyapi.TaskAttempt) string { return a.Completion.Diagnostics }},
	{"began", func(a *historyapi.TaskAttempt) string { return stamp(&a.Began) }},
	{"pod_created", func(a *historyapi.TaskAttempt) string { return stamp(a.PodCreated) }},
	{"scheduled", func(a *historyapi.TaskAttempt) string { return stamp(a.Scheduled) }},
	{"initialized", func(a *historyapi.TaskAttempt) string { return stamp(a.Initialized) }},
	{"ran", func(a *historyapi.TaskAttempt) string { return stamp(a.Ran) }},
	{"containers_ended", func(a *historyapi.TaskAttempt) string { return stamp(a.ContainersEnded) }},
	{"ended", func(a *historyapi.TaskAttempt) string { return stamp(&a.Ended) }},
	{"deletion_cause", func(a *historyapi.TaskAttempt) string { return a.DeletionCause }},
	{"retry_follows", func(a *historyapi.TaskAttempt) string { return strconv.FormatBool(a.Retry.Follows) }},
	{"retry_row", func(a *historyapi.TaskAttempt) string { return a.Retry.Row }},
	{"retry_delay_seconds", func(a *historyapi.TaskAttempt) string { return strconv.FormatInt(a.Retry.DelaySeconds, 10) }},
	{"remedy", func(a *historyapi.TaskAttempt) string { return a.Completion.Remedy }},
}

func whole(n int32) string { return strconv.Itoa(int(n)) }

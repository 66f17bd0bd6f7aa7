package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Patterns of log collectors: the published expression, and the one of a collector that requires klog's header, too.
var (
	published  = regexp.MustCompile(`: ObjectSnapshot: (.+)`)
	collectors = regexp.MustCompile(`^(?P<severity>\w)(?P<time>\d{4} [^\s]*)\s+(?P<pid>\d+)\s+(?P<site>[^ \]]+)\] (?P<message>.*): ObjectSnapshot: (?P<object>.+)`)
	triggerAt  = regexp.MustCompile(`: (On\w+)$`)
)

// told is one line of the history.
type told struct {
	trigger string
	text    string // the object
	fields  fieldsOf
}

func (h told) meta() fieldsOf { return h.fields.at("metadata") }

// history returns the history lines in the controller's log for the story's namespace, in order. Each line that looks like history must be
// readable for collectors, whatever its object.
func (s *story) history() []told {
	s.t.Helper()
	lines, err := allTold.of(s.namespace)
	if err != nil {
		s.t.Error(err)
	}
	return lines
}

// toldLines are the lines of the history in the controller's log. Each is read once, as the log grows to many megabytes.
type toldLines struct {
	mu          sync.Mutex
	offset      int64 // offset of the first unread line
	byNamespace map[string][]told
}

var allTold = toldLines{byNamespace: map[string][]told{}}

// of returns the lines about a namespace. The error is about lines that were read only now.
func (l *toldLines) of(namespace string) (_ []told, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	log, err := os.Open(controller.log)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	text, err := io.ReadAll(io.NewSectionReader(log, l.offset, math.MaxInt64-l.offset))
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	l.offset += int64(len(text))
	for line := range strings.Lines(string(text)) {
		if !strings.Contains(line, ": ObjectSnapshot: ") {
			continue
		}
		h, odd := readHistory(strings.TrimSuffix(line, "\n"))
		if odd != nil {
			err = errors.Join(err, fmt.Errorf("%w: %.300s", odd, line))
			continue
		}
		about := h.meta().text("namespace")
		l.byNamespace[about] = append(l.byNamespace[about], h)
	}
	return slices.Clone(l.byNamespace[namespace]), err
}

func readHistory(line string) (h told, err error) {
	parts := collectors.FindStringSubmatch(line)
	if parts == nil {
		return h, fmt.Errorf("collectors cannot read the line")
	}
	trigger := triggerAt.FindStringSubmatch(parts[5])
	if trigger == nil {
		return h, fmt.Errorf("no trigger")
	}
	h.trigger, h.text = trigger[1], parts[6]
	if also := published.FindStringSubmatch(line); also[1] != h.text {
		return h, fmt.Errorf("the expressions disagree")
	}
	fields := map[string]any{}
	err = utiljson.Unmarshal([]byte(h.text), &fields)
	h.fields = fields
	return h, err
}

// snapshots returns the names of the objects in the story's namespace that the controller's log has snapshots of, in
// order of the names. Lines may repeat; one object counts once.
func (s *story) snapshots(trigger string) []string {
	s.t.Helper()
	var names []string
	known := map[string]bool{}
	for _, h := range s.history() {
		if id := h.meta().text("uid"); h.trigger == trigger && !known[id] {
			known[id] = true
			names = append(names, h.meta().text("name"))
		}
	}
	slices.Sort(names)
	return names
}

// The recorded Framework is logged as the original logged it: by each trigger, in the same form, the same number of times, and with the
// whole object.
func TestHistoryIsToldAsTheOriginalTold(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	spec := jsonOf(t, readRecorded(t, recordedFramework)["spec"])
	s.create("rec", spec)
	s.awaitAllRunning("rec", 3)
	s.patch("rec", `metadata: {labels: {team: a}, annotations: {note: kept}}`)

	s.failWithLastWords("rec-server-0")
	first := s.await("rec", "in a second attempt of its server", func(f *v1.FrameworkStatus) bool {
		server := task(f, "server", 0)
		return server.AttemptStatus.ID == 1 && server.State == v1.AttemptRunning
	})
	s.patch("rec", `[{op: replace, path: /spec/taskRoles/1/taskNumber, value: 1}]`)
	s.awaitAllRunning("rec", 2)
	s.failWithLastWords("rec-server-0")
	s.awaitState("rec", v1.AttemptRunning, 1)
	last := s.awaitAllRunning("rec", 2)
	s.delete("rec", metav1.DeletePropagationForeground)
	untilGone(s, theFrameworks, "rec")
	s.awaitTold("OnFrameworkDeletion", func(told) bool { return true })
	for _, role := range []string{"server", "worker"} { // their watch may lag behind the Framework's
		pod := string(*task(last.Status, role, 0).AttemptStatus.PodUID)
		s.awaitTold("OnPodDeletion", func(h told) bool { return h.meta().text("uid") == pod })
	}

	s.requireTold("OnTaskRetry", "Task rec-server-0 AttemptCompleted attempt=0 code=1")
	s.requireTold("OnTaskDeletion", "Task rec-worker-1 Completed attempt=0 code=-230")
	s.requireTold("OnFrameworkRetry", "Framework rec AttemptCompleted attempt=0 code=1")
	s.requireTold("OnPodDeletion",
		"rec-server-0 Failed", "rec-server-0 Failed", "rec-server-0 Running",
		"rec-worker-0 Running", "rec-worker-0 Running", "rec-worker-1 Running")
	if deletions := s.toldBy("OnFrameworkDeletion"); len(deletions) != 1 || deletions[0].fields.at("status").at("attemptStatus").number("id") != 1 {
		t.Errorf("OnFrameworkDeletion has told of %d Frameworks", len(deletions))
	}
	s.requireRecordedForm()
	s.requirePodsToldOnce()
	s.requireIdentity(first, last)
}

// requirePodsToldOnce: every Pod that ever existed is logged once, by its UID.
func (s *story) requirePodsToldOnce() {
	s.t.Helper()
	var got, want []string
	for _, h := range s.toldBy("OnPodDeletion") {
		got = append(got, h.meta().text("uid"))
	}
	for uid, p := range seen.podsOf(s.namespace) {
		if p.gone {
			want = append(want, string(uid))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		s.t.Errorf("OnPodDeletion has told of %q, want %q", got, want)
	}
}

// requireIdentity compares the fields by which consumers identify objects, and join them.
func (s *story) requireIdentity(first, last *v1.Framework) {
	s.t.Helper()
	retried := s.toldBy("OnTaskRetry")[0]
	server := task(first.Status, "server", 0)
	wantTask := map[string]string{
		v1.KeyFrameworkUID:                string(first.UID),
		v1.KeyFrameworkAttemptInstanceUID: *first.Status.AttemptStatus.InstanceUID,
		v1.KeyTaskIndex:                   "0",
	}
	for key, want := range wantTask {
		if got := retried.meta().at("annotations").text(key); got != want {
			s.t.Errorf("%s of the retried Task is %q, want %q", key, got, want)
		}
	}
	// The original schedules every retry, if without a delay.
	if got := retried.fields.at("status").at("retryPolicyStatus")["retryDelaySec"]; got != int64(0) {
		s.t.Errorf("the retried Task has the retryDelaySec %v, want 0", got)
	}
	if got := retried.meta().text("uid"); got != server.InstanceUID {
		s.t.Errorf("the retried Task has the UID %q, want %q", got, server.InstanceUID)
	}
	for _, h := range append(s.toldBy("OnFrameworkRetry"), s.toldBy("OnFrameworkDeletion")...) {
		if h.meta().text("uid") != string(first.UID) || h.meta().at("labels").text("team") != "a" || h.meta().at("annotations").text("note") != "kept" {
			s.t.Errorf("%s has told of %v", h.trigger, h.meta())
		}
		if got, want := jsonOf(s.t, h.fields["spec"]), jsonOf(s.t, storedSpec(s.t, last)); got != want {
			s.t.Errorf("%s has told of the spec\n%s\nwant\n%s", h.trigger, got, want)
		}
	}
}

func storedSpec(t *testing.T, f *v1.Framework) any {
	t.Helper()
	return decodeFields(t, []byte(jsonOf(t, f)))["spec"]
}

// A Framework that the controller deletes itself is logged twice: before the deletion, and after it.
func TestHistoryOfRetention(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("shortlived", `{ttlSecondsAfterFinished: 0, taskRoles: [{name: a, task: {pod: `+pod("run-for", "0s")+`}}]}`)
	untilGone(s, theFrameworks, "shortlived")
	s.awaitTold("OnFrameworkDeletion", func(h told) bool { return h.meta()["deletionTimestamp"] != nil })
	before, after := 0, 0
	for _, h := range s.toldBy("OnFrameworkDeletion") {
		if h.fields.at("status").text("state") != string(v1.Completed) {
			t.Errorf("was not completed: %s", h.text)
		}
		if h.meta()["deletionTimestamp"] == nil {
			before++
		} else {
			after++
		}
	}
	if before < 1 || after != 1 {
		t.Errorf("was told of %d times before its deletion, and %d times after", before, after)
	}
}

// toldBy returns the lines of a trigger.
func (s *story) toldBy(trigger string) []told {
	s.t.Helper()
	return slices.DeleteFunc(s.history(), func(h told) bool { return h.trigger != trigger })
}

// awaitTold waits until a trigger has logged an object as wanted.
func (s *story) awaitTold(trigger string, is func(told) bool) {
	s.t.Helper()
	s.eventually(func(context.Context) error {
		if !slices.ContainsFunc(s.toldBy(trigger), is) {
			return fmt.Errorf("%s has not told of it", trigger)
		}
		return nil
	})
}

// requireTold compares all lines of a trigger, in order of the names.
func (s *story) requireTold(trigger string, want ...string) {
	s.t.Helper()
	var got []string
	for _, h := range s.toldBy(trigger) {
		got = append(got, h.summary())
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		s.t.Errorf("%s has told of %q, want %q", trigger, got, want)
	}
}

func (h told) summary() string {
	status := h.fields.at("status")
	if h.fields.text("kind") == "Pod" {
		return h.meta().text("name") + " " + status.text("phase")
	}
	attempt := status.at("attemptStatus")
	line := fmt.Sprintf("%s %s %s attempt=%d", h.fields.text("kind"), h.meta().text("name"), status.text("state"), attempt.number("id"))
	if outcome := attempt.at("completionStatus"); outcome != nil {
		line += fmt.Sprintf(" code=%d", outcome.number("code"))
	}
	return line
}

// failWithLastWords ends a Pod whose last container gives the reason.
func (s *story) failWithLastWords(name string) {
	s.t.Helper()
	s.writePodStatus(name, func(status *corev1.PodStatus) {
		status.Phase = corev1.PodFailed
		c := &status.ContainerStatuses[len(status.ContainerStatuses)-1]
		c.Ready, c.State = false, corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: 1, Reason: "Error", Message: "last words", StartedAt: c.State.Running.StartedAt, FinishedAt: metav1.Now(),
		}}
	})
}

// requireRecordedForm requires that each trigger has all fields that it had when the original was recorded. The form of a Task's deletion
// was not recorded: it is a retried Task with a deletion time.
func (s *story) requireRecordedForm() {
	s.t.Helper()
	for trigger, recorded := range readToldByOriginal(s.t) {
		want := map[string]bool{}
		paths("", map[string]any(recorded.fields), want)
		for _, h := range s.toldBy(trigger) {
			if h.meta().text("name") == recorded.meta().text("name") {
				s.requirePaths(trigger, h, want)
			}
		}
	}
}

func (s *story) requirePaths(trigger string, h told, want map[string]bool) {
	s.t.Helper()
	got := map[string]bool{}
	paths("", map[string]any(h.fields), got)
	for _, path := range slices.Sorted(maps.Keys(want)) {
		if !got[path] {
			s.t.Errorf("%s: %s lacks %s", trigger, h.meta().text("name"), path)
		}
	}
}

// paths collects the path of every field, nulls included. All items of a list have the same path.
func paths(prefix string, value any, out map[string]bool) {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			out[prefix+"."+name] = true
			paths(prefix+"."+name, inner, out)
		}
	case []any:
		for _, inner := range v {
			paths(prefix+"[]", inner, out)
		}
	}
}

// readToldByOriginal returns recorded lines, by trigger, without managed fields, which no consumer reads there, and without kubectl's
// annotation.
func readToldByOriginal(t *testing.T) map[string]told {
	t.Helper()
	content, err := os.ReadFile("testdata/snapshot-lines.log")
	require.NoError(t, err)
	out := map[string]told{}
	for line := range strings.Lines(string(content)) {
		h, err := readHistory(strings.TrimSuffix(line, "\n"))
		require.NoError(t, err)
		out[h.trigger] = h
	}
	deletion := told{fields: fieldsOf(runtime.DeepCopyJSON(out["OnTaskRetry"].fields))}
	deletion.meta()["deletionTimestamp"], deletion.meta()["deletionGracePeriodSeconds"] = "2026-11-20T12:24:07Z", int64(0)
	out["OnTaskDeletion"] = deletion
	return out
}

package history

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// collectors is the expression that log collectors match lines with.
var collectors = regexp.MustCompile(`^(?P<severity>\w)(?P<time>\d{4} [^\s]*)\s+(?P<pid>\d+)\s+(?P<site>[^ \]]+)\] (?P<message>.*): ObjectSnapshot: (?P<object>.+)$`)

var all = Switches{true, true, true, true, true}

// written returns the message and the object of the only line that tell writes; empty if it writes no line.
func written(t *testing.T, s Switches, tell func(*Log)) (message, object string) {
	t.Helper()
	var out writes
	l := New(&out, s)
	l.now = func() time.Time { return time.Date(2026, 11, 20, 9, 8, 7, 654321987, time.UTC) }
	l.pid = 42
	tell(l)
	if len(out.lines) == 0 {
		return "", ""
	}
	line, ended := strings.CutSuffix(out.lines[0], "\n")
	parts := collectors.FindStringSubmatch(line)
	if len(out.lines) != 1 || !ended || strings.Contains(line, "\n") || parts == nil {
		t.Fatalf("collectors cannot read %q", out.lines)
	}
	if parts[2] != "1120 09:08:07.654321" || parts[3] != "42" {
		t.Errorf("header: %q", parts[1:5])
	}
	if !json.Valid([]byte(parts[6])) {
		t.Errorf("not JSON: %s", parts[6])
	}
	return parts[5], parts[6]
}

// writes keeps each call apart.
type writes struct{ lines []string }

func (w *writes) Write(p []byte) (int, error) {
	w.lines = append(w.lines, string(bytes.Clone(p)))
	return len(p), nil
}

func meta() metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: "f", Namespace: "default", UID: "F", ResourceVersion: "17", Generation: 3}
}

func task() Task {
	return Task{
		Attempt: &v1.FrameworkAttemptStatus{ID: 2, InstanceUID: new("2_C"), ConfigMapName: "f-attempt", ConfigMapUID: new(types.UID("C"))},
		Role:    v1.TaskRoleStatus{Name: "worker", InstanceUID: "R"},
		Spec:    &v1.TaskSpec{Pod: v1.PodTemplate(`{"spec":{"newer":1}}`)},
		Status:  &v1.TaskStatus{Index: 5, InstanceUID: "T", State: v1.AttemptCompleted},
	}
}

func TestTriggers(t *testing.T) {
	m := meta()
	f := Framework{Metadata: m, Spec: []byte(`{"a":1}`), Status: []byte(`null`)}
	for _, c := range []struct {
		name, message, object string
		only                  Switches
		tell                  func(*Log)
	}{
		{"framework retry", "[default/f]: Framework will be retried: OnFrameworkRetry",
			`{"kind":"Framework","apiVersion":"frameworkcontroller.microsoft.com/v1","metadata":{"name":"f","namespace":"default","uid":"F","resourceVersion":"17","generation":3},"spec":{"a":1},"status":null}`,
			Switches{OnFrameworkRetry: true}, func(l *Log) { l.FrameworkRetry(f) }},
		{"framework deletion", "[default/f]: Framework Deleted F: OnFrameworkDeletion",
			`{"kind":"Framework","apiVersion":"frameworkcontroller.microsoft.com/v1","metadata":{"name":"f","namespace":"default","uid":"F","resourceVersion":"17","generation":3},"spec":{"a":1},"status":null}`,
			Switches{OnFrameworkDeletion: true}, func(l *Log) { l.FrameworkDeletion(f, "Deleted") }},
		{"task retry", "[default/f][worker][5]: Task will be retried: OnTaskRetry",
			`{"kind":"Task","apiVersion":"frameworkcontroller.microsoft.com/v1","metadata":{"name":"f-worker-5","namespace":"default","uid":"T","resourceVersion":"17","generation":3,"labels":{"FC_FRAMEWORK_NAME":"f","FC_TASKROLE_NAME":"worker","FC_TASK_INDEX":"5"},"annotations":{"FC_CONFIGMAP_NAME":"f-attempt","FC_CONFIGMAP_UID":"C","FC_FRAMEWORK_ATTEMPT_ID":"2","FC_FRAMEWORK_ATTEMPT_INSTANCE_UID":"2_C","FC_FRAMEWORK_NAME":"f","FC_FRAMEWORK_NAMESPACE":"default","FC_FRAMEWORK_UID":"F","FC_TASKROLE_NAME":"worker","FC_TASKROLE_UID":"R","FC_TASK_INDEX":"5"}}`,
			Switches{OnTaskRetry: true}, func(l *Log) { l.TaskRetry(&m, task()) }},
		{"task retry of a role that starts again", "[default/f][worker][5]: Task will be retried: OnTaskRetry",
			`,"taskRole":{"retryPolicy":{"maxRetryCount":2},"retriedCount":1}}`,
			Switches{OnTaskRetry: true}, func(l *Log) {
				task := task()
				task.RoleRetryPolicy, task.Role.RetriedCount = &v1.RoleRetryPolicySpec{MaxRetryCount: 2}, 1
				l.TaskRetry(&m, task)
			}},
		{"task deletion", "[default/f][worker][5]: Task will be deleted: OnTaskDeletion",
			`"deletionTimestamp":"2026-11-20T09:08:07Z","deletionGracePeriodSeconds":0,`,
			Switches{OnTaskDeletion: true}, func(l *Log) { l.TaskDeletion(&m, task()) }},
		{"pod deletion", "[default/f]: Framework Pod Deleted P: OnPodDeletion",
			`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"f-worker-5","uid":"P"},`,
			Switches{OnPodDeletion: true}, func(l *Log) {
				l.PodDeletion(&m, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "f-worker-5", UID: "P"}})
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			message, object := written(t, all, c.tell)
			if message != c.message {
				t.Errorf("message %q, want %q", message, c.message)
			}
			if !strings.Contains(object, strings.TrimSuffix(c.object, "}")) {
				t.Errorf("object %s\nwant   %s", object, c.object)
			}
			if message, _ := written(t, c.only, c.tell); message == "" {
				t.Error("its own switch does not switch it on")
			}
			if message, _ := written(t, Switches{}, c.tell); message != "" {
				t.Error("written although switched off")
			}
		})
	}
}

// A status edited by hand cannot end a line early, or begin one that looks like history.
func TestNamesWithLineBreaks(t *testing.T) {
	m, task := meta(), task()
	task.Role.Name = "a\r\nI1120"
	message, _ := written(t, all, func(l *Log) { l.TaskRetry(&m, task) })
	if want := `[default/f][a\r\nI1120][5]: Task will be retried: OnTaskRetry`; message != want {
		t.Errorf("message %q, want %q", message, want)
	}
}

// A role that is gone has no spec.
func TestTaskWithoutSpec(t *testing.T) {
	m, task := meta(), task()
	task.Spec = nil
	if _, object := written(t, all, func(l *Log) { l.TaskDeletion(&m, task) }); !strings.Contains(object, `"spec":null`) {
		t.Error(object)
	}
}

// Lines that only contain the marker are not taken for history, whoever wrote the words.
func TestWithoutMarker(t *testing.T) {
	var out bytes.Buffer
	w := WithoutMarker(&out)
	for _, line := range []string{"a line\n", "said: ObjectSnapshot: {}: ObjectSnapshot: {}\n"} {
		if n, err := io.WriteString(w, line); n != len(line) || err != nil {
			t.Errorf("%d bytes of %q, %v", n, line, err)
		}
	}
	if want := "a line\nsaid: Object Snapshot: {}: Object Snapshot: {}\n"; out.String() != want {
		t.Errorf("got %q", out.String())
	}
}

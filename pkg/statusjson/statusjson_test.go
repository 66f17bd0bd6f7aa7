package statusjson

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// random makes UIDs, addresses and messages that do not compress, the same in every run.
var random = rand.New(rand.NewPCG(1, 2))

func uid() string {
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", random.Uint32(), random.Uint32()&0xffff, random.Uint32()&0xfff, random.Uint32()&0xffff, random.Uint64()&0xffffffffffff)
}

func text(bytes int) string {
	const letters = "abcdefghijklmnopqrstuvwxyz <&>\n\"0123456789"
	var b strings.Builder
	for range bytes {
		b.WriteByte(letters[random.IntN(len(letters))])
	}
	return b.String()
}

// at returns a time that the JSON form does not change.
func at(second int) metav1.Time { return metav1.Unix(1700000000+int64(second), 0).Rfc3339Copy() }

func newTask(i int, failure string) *v1.TaskStatus {
	now, podUID, ip, node, host := at(i), types.UID(uid()), fmt.Sprintf("10.%d.%d.%d", random.IntN(256), random.IntN(256), random.IntN(256)), fmt.Sprintf("node-%d", random.IntN(100)), "10.255.0.1"
	instance := "0_" + string(podUID)
	t := &v1.TaskStatus{
		Index: int32(i), InstanceUID: uid(), StartTime: now, RunTime: &now, State: v1.AttemptRunning, TransitionTime: now,
		AttemptStatus: v1.TaskAttemptStatus{StartTime: now, RunTime: &now, InstanceUID: &instance, PodName: fmt.Sprintf("f-r-%d", i),
			PodUID: &podUID, PodNodeName: &node, PodIP: &ip, PodHostIP: &host},
	}
	if failure != "" {
		pod := completion.Pod{Name: t.AttemptStatus.PodName, Containers: []completion.Container{{Name: "main", Terminated: true, Code: 1, Reason: "Error", Message: failure}}}
		var rules *completion.Rules
		t.State, t.CompletionTime = v1.Completed, &now
		t.AttemptStatus.CompletionStatus = &v1.TaskAttemptCompletionStatus{CompletionStatus: rules.Classify(pod), Pod: pod.Status()}
	}
	return t
}

func newRole(name string, tasks int, failureBytes int) Role {
	r := Role{Name: name, InstanceUID: uid(), PodGracefulDeletionTimeoutSec: new(int64(600))}
	for i := range tasks {
		r.Tasks = append(r.Tasks, newTask(i, text(failureBytes)))
	}
	return r
}

func newStatus() *v1.FrameworkStatus {
	return &v1.FrameworkStatus{StartTime: at(0), TransitionTime: at(1), State: v1.AttemptRunning,
		AttemptStatus: v1.FrameworkAttemptStatus{StartTime: at(0), ConfigMapName: "f-attempt"}}
}

// plain is the expected result of Decode.
func plain(status *v1.FrameworkStatus, roles []Role) *v1.FrameworkStatus {
	s := status.DeepCopy()
	s.AttemptStatus.TaskRoleStatuses = []v1.TaskRoleStatus{}
	for _, r := range roles {
		out := v1.TaskRoleStatus{Name: r.Name, InstanceUID: r.InstanceUID, PodGracefulDeletionTimeoutSec: r.PodGracefulDeletionTimeoutSec,
			RetriedCount: r.RetriedCount, Items: r.Items, TaskStatuses: []v1.TaskStatus{}}
		for _, t := range r.Tasks {
			out.TaskStatuses = append(out.TaskStatuses, *t)
		}
		s.AttemptStatus.TaskRoleStatuses = append(s.AttemptStatus.TaskRoleStatuses, out)
	}
	return s
}

func encode(t *testing.T, e *Encoder, status *v1.FrameworkStatus, roles []Role) ([]byte, Report) {
	t.Helper()
	return encodeInto(t, e, status, roles, StorageBytes)
}

func encodeInto(t *testing.T, e *Encoder, status *v1.FrameworkStatus, roles []Role, most int) ([]byte, Report) {
	t.Helper()
	text, report, err := e.Encode(status, roles, most)
	require.NoError(t, err)
	return text, report
}

func decode(t *testing.T, text []byte) *v1.FrameworkStatus {
	t.Helper()
	s, err := Decode(text)
	require.NoError(t, err)
	return s
}

func checkSame(t *testing.T, got, want *v1.FrameworkStatus) {
	t.Helper()
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(want)
	if !bytes.Equal(a, b) {
		at := 0
		for at < min(len(a), len(b)) && a[at] == b[at] {
			at++
		}
		at = max(at-200, 0)
		t.Fatalf("from byte %d on:\ngot  %.400s\nwant %.400s", at, a[at:], b[at:])
	}
}

func isCompressed(t *testing.T, text []byte) bool {
	t.Helper()
	var s struct {
		AttemptStatus map[string]json.RawMessage `json:"attemptStatus"`
	}
	require.NoError(t, json.Unmarshal(text, &s))
	raw, compressed := s.AttemptStatus["taskRoleStatuses"], s.AttemptStatus["taskRoleStatusesCompressed"]
	if (string(raw) == "null") == (compressed == nil) {
		t.Fatalf("exactly one of the two fields must hold the roles: raw %.20s, compressed %.20s", raw, compressed)
	}
	return compressed != nil
}

// The status put together from pieces equals one encoded as a whole, with every field set or none.
func TestEncodesAsAWhole(t *testing.T) {
	full := newStatus()
	full.RunTime, full.CompletionTime = new(at(2)), new(at(3))
	full.ActiveTime = &v1.ActiveTimeStatus{Seconds: 5, Since: new(at(2))}
	full.ObservedGeneration, full.Gate, full.Tasks = 7, "0_uid", &v1.TaskCounts{Total: 2}
	full.Conditions = []metav1.Condition{{Type: v1.ConditionRunning, Message: `{"<&>"}`}}
	full.AttemptStatus.ConfigMapUID, full.AttemptStatus.InstanceUID = new(types.UID("uid")), new("0_uid")
	full.AttemptStatus.SchedulerHints = &v1.SchedulerHints{}
	for name, status := range map[string]*v1.FrameworkStatus{"full": full, "new": newStatus(), "empty": {}} {
		for _, roles := range [][]Role{nil, {newRole("a", 2, 10), newRole("b", 0, 0)}} {
			got, _ := encode(t, &Encoder{}, status, roles)
			want, err := json.Marshal(plain(status, roles))
			if err != nil || len(got) != len(want) || !reflect.DeepEqual(fields(t, got), fields(t, want)) {
				t.Errorf("%s, %d roles: %v\n got %s\nwant %s", name, len(roles), err, got, want)
			}
		}
	}
}

// fields returns the fields of a JSON object, whatever their order.
func fields(t *testing.T, object []byte) (out map[string]any) {
	t.Helper()
	if err := json.Unmarshal(object, &out); err != nil {
		t.Error(err)
	}
	return out
}

func TestForms(t *testing.T) {
	for _, c := range []struct {
		name       string
		early      bool
		roles      []Role
		compressed bool
		report     Report
	}{
		{name: "no roles", roles: []Role{}},
		{name: "a role without Tasks", roles: []Role{newRole("a", 0, 0)}},
		{name: "some roles", roles: []Role{newRole("a", 3, 0), newRole("b", 0, 0), newRole("c", 1, 20)}},
		{name: "whole chunks", roles: []Role{newRole("a", chunkTasks, 0), newRole("b", 2*chunkTasks, 0)}},
		{name: "below the early limit", early: true, roles: []Role{newRole("a", 1000, 0)}},
		{name: "above the early limit", early: true, roles: []Role{newRole("a", 1500, 0)}, compressed: true},
		{name: "early not asked for", roles: []Role{newRole("a", 1300, 0)}},
		{name: "too large", roles: []Role{newRole("a", 3000, 0), newRole("b", 1, 0)}, compressed: true, report: Report{Compressed: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			status := newStatus()
			text, report := encode(t, &Encoder{Early: c.early}, status, c.roles)
			if got := isCompressed(t, text); got != c.compressed || report != c.report {
				t.Errorf("compressed %v, report %+v; want %v, %+v", got, report, c.compressed, c.report)
			}
			checkSame(t, decode(t, text), plain(status, c.roles))
		})
	}
}

// An encoder that has seen earlier states writes the same as a new one.
func TestEncoderRemembersOnlyWhatHolds(t *testing.T) {
	e, status, roles := &Encoder{Early: true}, newStatus(), []Role{newRole("a", 1600, 0), newRole("b", 10, 0)}
	for round := range 50 {
		tasks := append([]*v1.TaskStatus{}, roles[0].Tasks...)
		switch round % 5 {
		case 0:
			tasks[random.IntN(len(tasks))] = newTask(random.IntN(1000), text(30))
		case 1:
			tasks = append(tasks, newTask(len(tasks), ""))
		case 2:
			tasks = tasks[:len(tasks)-1-random.IntN(100)]
		case 3:
			roles[1].InstanceUID = uid()
		case 4:
			tasks = tasks[1:]
		}
		roles[0].Tasks = tasks
		got, _ := encode(t, e, status, roles)
		want, _ := encode(t, &Encoder{Early: true}, status, roles)
		if !bytes.Equal(got, want) {
			t.Fatalf("round %d: differs from a new encoder", round)
		}
	}
}

// failures is how many failed Tasks stand for the ten thousand of a large Framework.
const failures = 1000

// room is the share of the storage, out of ten thousand Tasks, for some failed Tasks.
const room = StorageBytes * failures / 10_000

// Tasks that all failed with messages of 4 KB do not fit by compression alone.
func TestMessagesAreCutUntilItFits(t *testing.T) {
	status, roles, encoder := newStatus(), []Role{newRole("a", failures, 4096)}, &Encoder{}
	encoded, report := encodeInto(t, encoder, status, roles, room)
	if len(encoded) > room || report != (Report{Compressed: true, Cut: true}) {
		t.Fatalf("%d bytes, report %+v", len(encoded), report)
	}
	got := decode(t, encoded).AttemptStatus.TaskRoleStatuses[0].TaskStatuses
	for i, task := range got {
		want := roles[0].Tasks[i]
		_, match, _ := strings.Cut(task.AttemptStatus.CompletionStatus.Diagnostics, "unmatched: ")
		if !json.Valid([]byte(match)) {
			t.Fatalf("diagnostics hold no JSON: %s", task.AttemptStatus.CompletionStatus.Diagnostics)
		}
		message := task.AttemptStatus.CompletionStatus.Pod.Containers[0].Message
		if !strings.HasPrefix(want.AttemptStatus.CompletionStatus.Pod.Containers[0].Message, message) {
			t.Fatalf("message %q is not the beginning of the original", message)
		}
		if *task.AttemptStatus.PodUID != *want.AttemptStatus.PodUID || task.AttemptStatus.CompletionStatus.Code != 1 {
			t.Fatal("something else than a message was changed")
		}
	}
	if again, _ := encodeInto(t, encoder, status, roles, room); len(again) > room {
		t.Errorf("the second time it has %d bytes", len(again))
	}
}

// Cuts in an attempt with many failures do not apply to the next attempt, or after a rescale.
func TestMessagesAreCutNoLongerThanNeeded(t *testing.T) {
	status, encoder := newStatus(), &Encoder{}
	if _, report := encodeInto(t, encoder, status, []Role{newRole("a", failures, 4096)}, room); !report.Cut {
		t.Fatal("nothing was cut")
	}
	few := []Role{newRole("a", failures/100, 4096)}
	got, report := encodeInto(t, encoder, status, few, room)
	if want, _ := encodeInto(t, &Encoder{}, status, few, room); !bytes.Equal(got, want) || report.Cut {
		t.Errorf("%d bytes instead of %d, report %+v", len(got), len(want), report)
	}
}

// The cutting identifies the stored form, whatever is encoded afterwards, and the messages themselves stay.
func TestCuttingOfWhatWasStored(t *testing.T) {
	const most = StorageBytes / 10
	status, roles, encoder := newStatus(), []Role{newRole("a", 200, 4096)}, &Encoder{}
	stored, _ := encodeInto(t, encoder, status, roles, most)
	cutting := encoder.Cutting()
	if _, report := encodeInto(t, encoder, status, roles, most/2); !report.Cut || encoder.Cutting() == cutting {
		t.Fatal("nothing more was cut for half the room")
	}
	want := plain(status, roles)
	cutting.ApplyTo(want)
	checkSame(t, decode(t, stored), want)
	if s := roles[0].Tasks[0].AttemptStatus.CompletionStatus; len(s.Pod.Containers[0].Message) != 4096 {
		t.Error("the Task itself was changed")
	}
}

func TestDecode(t *testing.T) {
	roles := `[{"name":"a","taskStatuses":[]}]`
	for _, c := range []struct{ name, in, want, err string }{
		{name: "null", in: `null`, want: "nil"},
		{name: "nothing", in: ``, want: "nil"},
		{name: "raw wins", in: `{"attemptStatus":{"taskRoleStatuses":[],"taskRoleStatusesCompressed":"` + gz(roles) + `"}}`, want: "0 roles"},
		{name: "compressed", in: `{"attemptStatus":{"taskRoleStatuses":null,"taskRoleStatusesCompressed":"` + gz(roles) + `"}}`, want: "1 roles"},
		{name: "null and nothing compressed", in: `{"attemptStatus":{"taskRoleStatuses":null}}`, want: "null roles"},
		{name: "not a status", in: `{"state":5}`, err: "status does not decode"},
		{name: "not gzip", in: `{"attemptStatus":{"taskRoleStatusesCompressed":"AAAA"}}`, err: "attemptStatus.taskRoleStatusesCompressed"},
		{name: "cut short", in: `{"attemptStatus":{"taskRoleStatusesCompressed":"` + gz(roles)[:40] + `"}}`, err: "attemptStatus.taskRoleStatusesCompressed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Decode([]byte(c.in))
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("error %v, want %q", err, c.err)
				}
				return
			}
			if err != nil || describe(s) != c.want {
				t.Errorf("got %s, error %v; want %s", describe(s), err, c.want)
			}
		})
	}
}

// Little compressed data may stand for very much.
func TestDecompressingIsBounded(t *testing.T) {
	var packed []byte
	require.NoError(t, json.Unmarshal([]byte(`"`+gz(`[{"name":"`+strings.Repeat("a", 1<<20)+`"}]`)+`"`), &packed))
	if _, err := decompress(packed, 1<<20); err == nil || !strings.Contains(err.Error(), "more data than any Framework has") {
		t.Errorf("error %v", err)
	}
	if _, err := decompress(packed, 2<<20); err != nil {
		t.Error(err)
	}
}

// A few bytes of each are enough for millions of Tasks and roles.
func TestCountsAreBounded(t *testing.T) {
	role := func(tasks int) string { return `{"taskStatuses":[{}` + strings.Repeat(",{}", tasks-1) + `]}` }
	for name, test := range map[string]struct {
		roles string
		want  error
	}{
		"all there may be":                   {`[` + role(mostTasks) + `]`, nil},
		"one Task too many":                  {`[` + role(1) + `,` + role(mostTasks+1) + `]`, errTooMany},
		"all roles there may be":             {`[{}` + strings.Repeat(",{}", mostRoles-1) + `]`, nil},
		"one role too many":                  {`[{}` + strings.Repeat(",{}", mostRoles) + `]`, errTooMany},
		"a million Tasks that are nothing":   {`[{"taskStatuses":[null` + strings.Repeat(",null", 1e6) + `]}]`, errTooMany},
		"Tasks that another list follows":    {`[{"taskStatuses":[{}` + strings.Repeat(",{}", mostTasks) + `],"taskStatuses":[]}]`, errTooMany},
		"Tasks that are told more than once": {`[{"taskStatuses":[],"TASKSTATUSES":[{}` + strings.Repeat(",{}", mostTasks) + `]}]`, errTooMany},
	} {
		for form, stored := range map[string]string{
			"plain":      `{"attemptStatus":{"taskRoleStatuses":` + test.roles + `}}`,
			"compressed": `{"attemptStatus":{"taskRoleStatusesCompressed":"` + gz(test.roles) + `"}}`,
		} {
			if _, err := Decode([]byte(stored)); !errors.Is(err, test.want) {
				t.Errorf("%s, %s: %v", name, form, err)
			}
		}
	}
}

func describe(s *v1.FrameworkStatus) string {
	switch {
	case s == nil:
		return "nil"
	case s.AttemptStatus.TaskRoleStatuses == nil:
		return "null roles"
	}
	return fmt.Sprintf("%d roles", len(s.AttemptStatus.TaskRoleStatuses))
}

// gz is the base64 of the gzip of a text.
func gz(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	out, _ := json.Marshal(b.Bytes())
	return strings.Trim(string(out), `"`)
}

func BenchmarkEncodeOneChanged(b *testing.B) {
	for _, tasks := range []int{10, 1000, 10000} {
		b.Run(fmt.Sprint(tasks), func(b *testing.B) {
			e, status, roles := &Encoder{Early: true}, newStatus(), []Role{newRole("a", tasks, 0)}
			size := 0
			for i := 0; b.Loop(); i++ {
				next := *roles[0].Tasks[i%tasks]
				next.TransitionTime = metav1.NewTime(time.Unix(int64(i), 0))
				roles[0].Tasks[i%tasks] = &next
				roles[0].Tasks = append([]*v1.TaskStatus{}, roles[0].Tasks...)
				text, _, err := e.Encode(status, roles, StorageBytes)
				if err != nil {
					b.Fatal(err)
				}
				size = len(text)
			}
			b.ReportMetric(float64(size), "bytes")
		})
	}
}

// An encoder that has forgotten its input encodes the same, with messages cut as before, and holds nothing until then.
func TestForget(t *testing.T) {
	status, roles, encoder := newStatus(), []Role{newRole("a", failures, 4096)}, &Encoder{}
	want, _ := encodeInto(t, encoder, status, roles, room)
	cutting := encoder.Cutting()
	encoder.Forget()
	if encoder.chunks != nil || encoder.Cutting() != cutting {
		t.Errorf("it holds %d chunks, and has cut %+v, not %+v", len(encoder.chunks), encoder.Cutting(), cutting)
	}
	if got, _ := encodeInto(t, encoder, status, roles, room); !bytes.Equal(got, want) {
		t.Errorf("%d bytes instead of %d", len(got), len(want))
	}
}

// The status of an array can be stored after all Tasks have succeeded, each on some node and at a time of its own, beside a spec of 128 KiB.
// The page of known issues has the numbers.
func TestCompletedArrayFits(t *testing.T) {
	const tasks = 15000
	role := newRole("a", tasks, 0)
	for i, task := range role.Tasks {
		task.InstanceUID = fmt.Sprintf("%s%07x%05x", role.InstanceUID[:24], i/20, i) // see pkg/lifecycle, newTurnUID
		task.StartTime, task.State, task.CompletionTime = at(0), v1.Completed, task.RunTime
		task.AttemptStatus.StartTime, task.AttemptStatus.CompletionTime = at(0), task.RunTime
		task.AttemptStatus.CompletionStatus = &v1.TaskAttemptCompletionStatus{CompletionStatus: completion.Predefined(completion.CodeSucceeded, "Pod succeeded")}
	}
	text, report := encodeInto(t, &Encoder{}, newStatus(), []Role{role}, StorageBytes-128<<10)
	if report != (Report{Compressed: true}) {
		t.Errorf("%+v", report)
	}
	if each := len(text) / tasks; each > 90 {
		t.Errorf("a Task takes %d bytes", each)
	}
}

package controller

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	eventlog "k8s.io/client-go/tools/record"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/statusjson"
)

// A status that must be made smaller than requested is reported, once, however often it is written.
func TestLargeStatusIsToldOnce(t *testing.T) {
	if underRace {
		t.Skip("so many Tasks take minutes under the race detector: make guard has it")
	}
	t.Parallel()
	told := eventlog.NewFakeRecorder(100)
	rep := &reporter{events: func(string) eventlog.EventRecorder { return told }, log: hclog.NewNullLogger()}
	r := &record{}
	r.reset("uid", false)
	state := lifecycle.Step(lifecycle.Input{
		Framework: lifecycle.Framework{Name: "a", Spec: &v1.FrameworkSpec{TaskRoles: []v1.TaskRoleSpec{role("w", 4000)}}},
		Now:       time.Now(),
	}).State
	state = withMessages(t, state, strings.Repeat("some of what went wrong. ", 4000/25))
	for _, room := range []int{statusjson.StorageBytes, 200_000} {
		r.status.bytesLeft = room
		for range 3 {
			text, err := encodeStatus(rep, r, state)
			if err != nil || len(text) > room {
				t.Fatalf("%d bytes for %d, %v", len(text), room, err)
			}
		}
	}
	got := map[string]int{}
	for len(told.Events) > 0 {
		got[strings.Fields(<-told.Events)[1]]++
	}
	if got["StatusCompressed"] != 1 || got["StatusCut"] != 1 || len(got) != 2 {
		t.Errorf("told %v", got)
	}
}

// withMessages is the state with an outcome for each Task. Messages differ, or they would compress to nothing.
func withMessages(t *testing.T, state *lifecycle.State, message string) *lifecycle.State {
	t.Helper()
	status := state.Status()
	tasks := status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses
	for i := range tasks {
		uid := tasks[i].InstanceUID
		tasks[i].AttemptStatus.CompletionStatus = &v1.TaskAttemptCompletionStatus{
			CompletionStatus: v1.CompletionStatus{Code: 1, Diagnostics: uid},
			Pod:              &v1.PodCompletionStatus{Message: uid + message},
		}
	}
	loaded, err := lifecycle.Load(status)
	require.NoError(t, err)
	return loaded
}

// A status that another controller has stored compressed is readable by a controller that does not compress.
func TestCompressedStatusIsCarriedOn(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.tampered = true
	w.running("a")
	w.stop()
	w.Edit(apitest.Frameworks, "a", func(o *unstructured.Unstructured) {
		attempt := o.Object["status"].(map[string]any)["attemptStatus"].(map[string]any)
		attempt["taskRoleStatusesCompressed"] = packed(t, attempt["taskRoleStatuses"])
		attempt["taskRoleStatuses"] = nil
	})
	w.start()
	w.EndPod("a-w-0", 0)
	w.reaches("a", v1.Completed)
	if n := w.made(apitest.Pods, "a-w-0"); n != 1 {
		t.Errorf("there were %d Pods", n)
	}
	if n := len(w.task("a", "w", 0).AttemptStatus.PodName); n == 0 {
		t.Error("the status is still compressed")
	}
}

// packed is the base64 of the gzip of a value's JSON.
func packed(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(text); err != nil {
		t.Fatal(err)
	}
	require.NoError(t, z.Close())
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// The room for a status depends on the rest of the object: the storage limits the whole object.
func TestLargeSpecLeavesLessRoom(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	const bytes = 500_000
	w.create("a", template(`{"metadata": {"annotations": {"long": "`+strings.Repeat("x", bytes)+`"}}}`))
	w.create("b")
	for _, name := range []string{"a", "b"} {
		w.reaches(name, v1.AttemptPreparing)
	}
	w.stop()
	long, short := w.c.queue.records.get(w.key("a")).status.bytesLeft, w.c.queue.records.get(w.key("b")).status.bytesLeft
	if short >= statusjson.StorageBytes || short < statusjson.StorageBytes-5000 || short-long < bytes-1000 {
		t.Errorf("the room is %d and %d of %d bytes", short, long, statusjson.StorageBytes)
	}
}

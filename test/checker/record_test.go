package checker

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"io"
	"reflect"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// A namespace's history is taken once, with its unreadable observations. Skipped objects are in no history, but Seen is called for them.
func TestRecorderTakes(t *testing.T) {
	told := map[string]bool{}
	r := &Recorder{seen: map[string]*namespace{}, options: RecordOptions{
		Skip: func(o metav1.Object) bool { return o.GetNamespace() == "large" },
		Seen: func(s Observation) { told[nameOf(s.object()).String()] = s.Gone },
	}}
	f := &followed{there: map[types.UID]Observation{}}
	see := func(namespace, name string, spec any, gone bool) {
		r.note(f, &unstructured.Unstructured{Object: map[string]any{"kind": "Framework", "spec": spec, "metadata": map[string]any{
			"namespace": namespace, "name": name, "uid": namespace + name, "resourceVersion": "7"}}}, gone)
	}
	see("n", "a", map[string]any{}, false)
	see("n", "a", map[string]any{}, true)
	see("m", "b", map[string]any{}, false)
	see("m", "odd", "a text", false)
	see("large", "c", "a text", false)

	if all := r.History().Observations; len(all) != 3 {
		t.Errorf("recorded %v", all)
	}
	if r.Err() == nil {
		t.Error("all was understood")
	}
	if h, err := r.Take("n"); len(h.Observations) != 2 || h.Observations[0].Version != 7 || !h.Observations[1].Gone || err != nil {
		t.Errorf("took %v, %v", h.Observations, err)
	}
	if h, err := r.Take("m"); len(h.Observations) != 1 || err == nil {
		t.Errorf("took %v, %v", h.Observations, err)
	}
	if h, err := r.Take("large"); len(h.Observations) != 0 || err != nil {
		t.Errorf("took %v, %v", h.Observations, err)
	}
	if all := r.History().Observations; len(all) != 0 || r.Err() != nil {
		t.Errorf("recorded is still %v, %v", all, r.Err())
	}
	for name, gone := range map[string]bool{"n/a": true, "m/b": false, "m/odd": false, "large/c": false} {
		if got, seen := told[name]; !seen || got != gone {
			t.Errorf("told of %s: %t, gone: %t", name, seen, got)
		}
	}
}

// Parts that are equal in two versions share memory, and different ones are kept.
func TestVersionsShareMemory(t *testing.T) {
	s := life()
	before := s.h.Observations[s.last(func(x Observation) bool { return inState(x, v1.AttemptRunning) })].Framework
	decided(0, failure)(before)
	after := before.DeepCopy()
	taskState(1, v1.Completed)(after)
	want := after.DeepCopy()
	share(before, after)
	if !reflect.DeepEqual(after, want) {
		t.Errorf("got %+v, want %+v", after, want)
	}
	tasks := func(f *v1.Framework) []v1.TaskStatus { return f.Status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses }
	if tasks(after)[0].AttemptStatus.CompletionStatus != tasks(before)[0].AttemptStatus.CompletionStatus {
		t.Error("a Task that has not changed takes memory twice")
	}
	if &before.Spec.TaskRoles[0] != &after.Spec.TaskRoles[0] {
		t.Error("a spec that has not changed takes memory twice")
	}
}

// A small status that becomes large does not stop the recorder.
func TestDecodeEnds(t *testing.T) {
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	for range 2 * mostUnpacked >> 20 {
		w.Write(bytes.Repeat([]byte(" "), 1<<20))
	}
	io.WriteString(w, "[]")
	w.Close()
	o := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"attemptStatus": map[string]any{
		"taskRoleStatusesCompressed": base64.StdEncoding.EncodeToString(packed.Bytes())}}}}
	if _, err := DecodeFramework(o); !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

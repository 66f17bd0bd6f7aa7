package kueue

import (
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/hintstory"
)

// Kueue gets the number of completed Tasks, whose quota it may use for others, and the number never falls.
func TestReclaimablePods(t *testing.T) {
	const four = `{"reclaimablePods":[{"name":"worker","count":4}]}`
	q := hintstory.Training(t, 4, research, nil)
	for i, step := range []struct {
		workers, completed int32
		want, wantAdded    string
	}{
		{4, 0, "", ""},
		{4, 3, `{"reclaimablePods":[{"name":"worker","count":3}]}`, ""},
		{3, 2, `{"reclaimablePods":[{"name":"worker","count":3}]}`, ""}, // one that had completed was removed
		{4, 4, four, ""},
		{6, 4, four, ""}, // two are added, and it is not known which have completed
		{6, 5, four, `{"reclaimablePods":[{"name":"worker","count":1}]}`},
		{6, 6, four, `{"reclaimablePods":[{"name":"worker","count":2}]}`},
	} {
		q.Roles[1].TaskNumber, q.Roles[1].CompletedTaskCount = step.workers, step.completed
		a := hinted(t, q)
		if !a.GetFollowTasks() {
			t.Fatal("it does not hear of completed Tasks")
		}
		got := make([]string, 2)
		for i, o := range a.GetObjects() {
			got[i] = string(o.GetStatusJson())
		}
		if got[0] != step.want || got[1] != step.wantAdded {
			t.Errorf("step %d: got %q", i, got)
		}
		q.Previous = a
	}
}

// Kueue learns once that all Pods have run, beside the number of completed Tasks.
func TestPodsReady(t *testing.T) {
	const ready = `"conditions":[{"type":"PodsReady","status":"True","reason":"PodsReady","message":"all Pods have run","lastTransitionTime":"2026-05-01T12:00:00Z"}]`
	q := hintstory.Training(t, 4, research, nil)
	q.Previous = hinted(t, q)
	if !q.GetPrevious().GetFollowStart() {
		t.Fatal("it does not hear that all run")
	}
	q.Started = timestamppb.New(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))
	for completed, want := range []string{`{` + ready + `}`, `{"reclaimablePods":[{"name":"worker","count":1}],` + ready + `}`} {
		q.Roles[1].CompletedTaskCount = int32(completed)
		q.Previous = hinted(t, q)
		if got := string(q.GetPrevious().GetObjects()[0].GetStatusJson()); got != want {
			t.Errorf("with %d completed it is told %s", completed, got)
		}
	}
}

// A role that comes later has a Workload of its own. Until its Pods run, the status written to the first one stays, and the second has
// none.
func TestPodsReadyOfARoleThatComesLater(t *testing.T) {
	const ready = `{"conditions":[{"type":"PodsReady","status":"True","reason":"PodsReady","message":"all Pods have run","lastTransitionTime":"2026-05-01T12:00:00Z"}]}`
	q := hintstory.Training(t, 4, research, nil)
	later := q.Roles[1].TaskNumber
	q.Roles[1].TaskNumber, q.Roles[1].LaterTaskNumber = 0, later
	started := timestamppb.New(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))
	for i, step := range []struct {
		workers int32
		started *timestamppb.Timestamp
		want    []string
	}{
		{0, nil, []string{""}},
		{0, started, []string{ready}},
		{later, nil, []string{ready, ""}},
		{later, started, []string{ready, ready}},
	} {
		q.Roles[1].TaskNumber, q.Roles[1].LaterTaskNumber, q.Started = step.workers, later-step.workers, step.started
		q.Previous = hinted(t, q)
		var got []string
		for _, o := range q.Previous.GetObjects() {
			got = append(got, string(o.GetStatusJson()))
		}
		if !slices.Equal(got, step.want) {
			t.Errorf("step %d: it is told %q", i, got)
		}
	}
}

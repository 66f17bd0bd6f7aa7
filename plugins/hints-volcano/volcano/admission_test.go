package volcano

import (
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

func TestMayCreate(t *testing.T) {
	const waits = "PodGroup train-2 waits in queue q"
	const group = `{"metadata": {"name": "train-2"}, "spec": {"queue": "q"}, "status": `
	event := func(second int64, kind, reason, message string) *pluginpb.ObjectEvent {
		return &pluginpb.ObjectEvent{Type: kind, Reason: reason, Message: message, LastSeen: timestamppb.New(time.Unix(second, 0))}
	}
	const noReason = ", and Volcano names no reason: is the queue open?"
	const countsCondition = `{"type": "Unschedulable", "status": "True", "lastTransitionTime": "1970-01-01T00:01:41Z", "message": "0/0 tasks in gang unschedulable: pod group is not ready, 4 minAvailable"}`
	counts := event(100, "Warning", "Unschedulable", "0/0 tasks in gang unschedulable: pod group is not ready, 4 minAvailable")
	overused := event(100, "Normal", "Unschedulable", "queue resource quota insufficient")
	const condition = `{"type": "Unschedulable", "status": "True", "lastTransitionTime": "1970-01-01T00:02:00Z", "message": "3/5 tasks in gang unschedulable"}`
	tests := []struct {
		name, group    string
		admitted       bool
		events         []*pluginpb.ObjectEvent
		want           bool
		reason, evicts string
	}{
		{"not looked at yet", group + `{}}`, false, nil, false,
			waits + ", and Volcano has not looked at it yet: does the queue exist, is it open, and does Volcano run?", ""},
		{"waiting", group + `{"phase": "Pending"}}`, false, nil, false, waits + noReason, ""},
		{"a reason, and none, in one session", group + `{"phase": "Pending"}}`, false, []*pluginpb.ObjectEvent{overused, counts}, false,
			waits + ": queue resource quota insufficient", ""},
		{"none, and a reason, in one session", group + `{"phase": "Pending"}}`, false, []*pluginpb.ObjectEvent{counts, overused}, false,
			waits + ": queue resource quota insufficient", ""},
		{"the queue is closed", group + `{"phase": "Pending", "conditions": [` + countsCondition + `]}}`, false, []*pluginpb.ObjectEvent{counts}, false,
			waits + noReason, ""},
		{"waiting, with an event", group + `{"phase": "Pending"}}`, false,
			[]*pluginpb.ObjectEvent{event(90, "Warning", "Unschedulable", "overused cpu"), overused, event(110, "Normal", "Other", "hello")}, false,
			waits + ": queue resource quota insufficient", ""},
		{"waiting, with a condition", group + `{"phase": "Pending", "conditions": [` + condition + `]}}`, false, nil, false,
			waits + ": 3/5 tasks in gang unschedulable", ""},
		{"the condition is newer", group + `{"phase": "Pending", "conditions": [` + condition + `]}}`, false,
			[]*pluginpb.ObjectEvent{overused}, false, waits + ": 3/5 tasks in gang unschedulable", ""},
		{"the event is newer", group + `{"phase": "Pending", "conditions": [` + condition + `]}}`, false,
			[]*pluginpb.ObjectEvent{event(121, "Warning", "Failed", "overused memory")}, false, waits + ": overused memory", ""},
		{"a condition that does not hold", group + `{"phase": "Pending", "conditions": [{"type": "Unschedulable", "status": "False", "message": "m"}]}}`,
			false, nil, false, waits + noReason, ""},
		{"let in", group + `{"phase": "Inqueue"}}`, false, nil, true, "", ""},
		{"some run", group + `{"phase": "Running"}}`, false, nil, true, "", ""},
		{"some are gone", group + `{"phase": "Unknown"}}`, false, nil, true, "", ""},
		{"let in before", group + `{"phase": "Pending"}}`, true, nil, true, "", ""},
		{"deleted", "", false, nil, false, "the PodGroup was deleted; suspend the Framework and resume it, so that it gets another one", ""},
		{"deleted while it runs", "", true, nil, false, "",
			"the PodGroup was deleted, and without it Volcano does not schedule the Pods that are still to come"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := mayCreate(t.Context(), &pluginpb.MayCreateRequest{
				Objects: [][]byte{[]byte(test.group)}, Admitted: test.admitted, Events: test.events})
			if err != nil || got.GetYes() != test.want || got.GetReason() != test.reason || got.GetEvict().GetReason() != test.evicts {
				t.Errorf("%v, %v\nwant %t, %q, evict %q", got, err, test.want, test.reason, test.evicts)
			}
		})
	}
}

// A group without a reason is asked about again after a pause that grows with its age. A reason ends the pauses, and no message asks the
// user to look for a mistake while the group is new.
func TestGroupWithoutAReason(t *testing.T) {
	created := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	const group = `{"metadata": {"name": "g", "creationTimestamp": "2026-11-28T12:00:00Z"}, "spec": {"queue": "q"}, "status": {"phase": "Pending"}}`
	said := []*pluginpb.ObjectEvent{{Type: "Warning", Message: "overused cpu", LastSeen: timestamppb.New(created)}}
	const quiet, asks = "PodGroup g waits in queue q", "PodGroup g waits in queue q, and Volcano names no reason: is the queue open?"
	for _, test := range []struct {
		age    time.Duration
		events []*pluginpb.ObjectEvent
		reason string
		again  int32
	}{
		{-time.Minute, nil, quiet, 5},
		{0, nil, quiet, 5},
		{4999 * time.Millisecond, nil, quiet, 5},
		{5 * time.Second, nil, asks, 5},
		{10 * time.Second, nil, asks, 10},
		{50 * time.Second, nil, asks, 50},
		{1000 * time.Hour, nil, asks, 120},
		{0, said, quiet + ": overused cpu", 0},
		{time.Hour, said, quiet + ": overused cpu", 0},
	} {
		got, err := mayCreate(t.Context(), &pluginpb.MayCreateRequest{
			Objects: [][]byte{[]byte(group)}, Events: test.events, Now: timestamppb.New(created.Add(test.age))})
		if err != nil || got.GetReason() != test.reason || got.GetRetryAfterSeconds() != test.again {
			t.Errorf("after %s: %v, %v; want %q, again in %d s", test.age, got, err, test.reason, test.again)
		}
	}
}

func TestNoPodGroup(t *testing.T) {
	if got, err := mayCreate(t.Context(), &pluginpb.MayCreateRequest{Objects: [][]byte{[]byte("{")}}); err == nil {
		t.Errorf("%v", got)
	}
}

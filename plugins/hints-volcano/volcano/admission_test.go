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
		{"waiting", group + `{"phase": "Pending"}}`, false, nil, false, waits, ""},
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
			false, nil, false, waits, ""},
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
			got, err := hints{}.MayCreate(t.Context(), &pluginpb.MayCreateRequest{
				Objects: [][]byte{[]byte(test.group)}, Admitted: test.admitted, Events: test.events})
			if err != nil || got.GetYes() != test.want || got.GetReason() != test.reason || got.GetEvict().GetReason() != test.evicts {
				t.Errorf("%v, %v\nwant %t, %q, evict %q", got, err, test.want, test.reason, test.evicts)
			}
		})
	}
}

func TestNoPodGroup(t *testing.T) {
	if got, err := (hints{}).MayCreate(t.Context(), &pluginpb.MayCreateRequest{Objects: [][]byte{[]byte("{")}}); err == nil {
		t.Errorf("%v", got)
	}
}

package kueue

import (
	"strings"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// object is a Workload with these conditions and other status fields.
func object(name, active, status string) []byte {
	return []byte(`{"metadata": {"name": "` + name + `"}, "spec": {"queueName": "q", "active": ` + active + `}, "status": {` + status + `}}`)
}

func TestMayCreate(t *testing.T) {
	said := func(conditions ...string) string { return `"conditions": [` + strings.Join(conditions, ", ") + `]` }
	is := func(kind, status, message string) string {
		return `{"type": "` + kind + `", "status": "` + status + `", "message": "` + message + `"}`
	}
	with := func(status string) [][]byte { return [][]byte{object("train-2", "true", status)} }
	quota, in := is("QuotaReserved", "True", ""), is("Admitted", "True", "")
	pending := is("QuotaReserved", "False", "insufficient unused quota for cpu in flavor default, 4 more needed")
	evicted := is("Evicted", "True", "Preempted to accommodate a workload")
	const waits = "Workload train-2 waits in queue q: "
	const evicts = "Kueue has evicted Workload train-2: Preempted to accommodate a workload"
	added := object("train-2-r1", "true", said(pending))
	tests := []struct {
		name           string
		objects        [][]byte
		admitted       bool
		want           bool
		reason, evicts string
	}{
		{"not looked at yet", with(""), false, false, waits + "Kueue has not looked at it yet; others may be before it in the queue, or Kueue does not run", ""},
		{"pending", with(said(pending)), false, false, waits + "insufficient unused quota for cpu in flavor default, 4 more needed", ""},
		{"no such queue", with(said(is("QuotaReserved", "False", "LocalQueue q doesn't exist"))), false, false, waits + "LocalQueue q doesn't exist", ""},
		{"quota", with(said(quota)), false, false, waits + "it has quota, and is not admitted yet", ""},
		{"checks", with(said(quota) + `, "admissionChecks": [{"name": "a", "state": "Ready"}, {"name": "b", "state": "Pending", "message": "provisioning"}, {"name": "c", "state": "Retry"}]`),
			false, false, waits + "admission check b is Pending: provisioning; admission check c is Retry", ""},
		{"a preemption that is blocked", with(said(is("BlockedOnPreemptionGates", "True", "gated"))), false, false, waits + "gated", ""},
		{"deactivated", [][]byte{object("train-2", "false", said(pending))}, false, false, waits + "it is deactivated (spec.active is false)", ""},
		{"deactivated by Kueue", [][]byte{object("train-2", "false", said(pending, is("Evicted", "True", "too many requeues")))}, false, false,
			waits + "it is deactivated (spec.active is false): too many requeues", ""},
		{"evicted before it was admitted", with(said(quota, evicted)), false, false, waits + "Preempted to accommodate a workload; " + anew, ""},
		{"evicted, and in the queue again", with(said(is("QuotaReserved", "False", ""), evicted)), false, false, waits + "Preempted to accommodate a workload", ""},
		{"finished", with(said(is("Finished", "True", "done"))), false, false, waits + "Kueue takes it for finished; " + anew, ""},
		{"admitted", with(said(quota, in)), false, true, "", ""},
		{"admitted again", with(said(quota, in, is("Evicted", "False", ""))), false, true, "", ""},
		{"deleted", [][]byte{nil}, false, false, "the Workload was deleted; " + anew, ""},
		{"none", nil, false, false, "there is no Workload; " + anew, ""},
		{"it runs", with(said(quota, in)), true, true, "", ""},
		{"evicted while it runs", with(said(quota, in, evicted)), true, false, "", evicts},
		{"evicted, and gone", with(said(pending, is("Admitted", "False", ""), evicted)), true, false, "", evicts},
		{"no quota any more", with(said(is("QuotaReserved", "False", "ClusterQueue c is stopped"))), true, false, "",
			"Kueue no longer admits Workload train-2: ClusterQueue c is stopped"},
		{"not admitted any more", with(said(quota, is("Admitted", "False", "a check failed"))), true, false, "",
			"Kueue no longer admits Workload train-2: a check failed"},
		{"finished while it runs", with(said(quota, in, is("Finished", "True", "out of sync"))), true, false, "",
			"Kueue takes Workload train-2 for finished: out of sync"},
		{"deleted while it runs", [][]byte{nil}, true, false, "", "a Workload of the attempt was deleted, and its quota with it"},
		{"deleted while it runs, and made anew", with(""), true, false, "", "Kueue no longer admits Workload train-2: it was deleted, and its quota with it"},
		{"what was added waits", [][]byte{with(said(quota, in))[0], added}, true, false,
			"Workload train-2-r1 waits in queue q: insufficient unused quota for cpu in flavor default, 4 more needed", ""},
		{"what was added is evicted", [][]byte{with(said(quota, in))[0], object("train-2-r1", "true", said(quota, in, evicted))}, true, false, "",
			"Kueue has evicted Workload train-2-r1: Preempted to accommodate a workload"},
		{"the first is evicted while another waits", [][]byte{with(said(evicted))[0], added}, true, false, "", evicts},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := mayCreate(t.Context(), &pluginpb.MayCreateRequest{Objects: test.objects, Admitted: test.admitted})
			if err != nil || got.GetYes() != test.want || got.GetReason() != test.reason || got.GetEvict().GetReason() != test.evicts {
				t.Errorf("%v, %v\nwant %t, %q, evict %q", got, err, test.want, test.reason, test.evicts)
			}
		})
	}
}

func TestNoWorkload(t *testing.T) {
	if got, err := mayCreate(t.Context(), &pluginpb.MayCreateRequest{Objects: [][]byte{[]byte("{")}}); err == nil {
		t.Errorf("%v", got)
	}
}

package answers

import (
	"math"
	"testing"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Verdicts that are allowed on a Pod that has not started to run, and on no other.
func TestPendingVerdicts(t *testing.T) {
	wait := func(seconds int32) *pluginpb.Verdict { return &pluginpb.Verdict{WaitSeconds: seconds} }
	both := plugin.Verdict(1, "A")
	both.WaitSeconds = 5
	tests := []struct {
		verdict         *pluginpb.Verdict
		pending, failed string // the mistake, for a pending Pod and for a failed one
	}{
		{&pluginpb.Verdict{}, "", ""},
		{plugin.Verdict(1, "A", "Permanent"), "", ""},
		{plugin.Wait(time.Minute), "", "only a Pod that has not started to run may take longer"},
		{plugin.Wait(plugin.MaxWait), "", "only a Pod"},
		{plugin.Wait(plugin.MaxWait + time.Second), "wait_seconds is 86401, and must be from 1 to 86400", "only a Pod"},
		{wait(math.MaxInt32), "from 1 to 86400", "only a Pod"},
		{wait(-1), "wait_seconds is -1, and must be from 1 to 86400", "only a Pod"},
		{wait(math.MinInt32), "from 1 to 86400", "only a Pod"},
		{both, "it has code 1 and wait_seconds 5", "only a Pod"},
		{&pluginpb.Verdict{Refusal: "no", WaitSeconds: -1}, "", ""},
		{plugin.Verdict(-130, "PodUnschedulable", "Transient", "Conflict"), "", "code -130 is reserved"},
		{plugin.Verdict(-131, "PodImagePullFailed"), "", "code -131 is reserved"},
		{plugin.Verdict(-132, "PodContainerCreateFailed"), "", "code -132 is reserved"},
		{plugin.Verdict(-133, "PodStartTimeout", "Transient"), "", "code -133 is reserved"},
		{plugin.Verdict(-131, "Mine"), "code -131 must have the phrase PodImagePullFailed", "reserved"},
		{plugin.Verdict(-210, "StopFrameworkRequested", "Permanent"), "reserved", "reserved"},
	}
	for _, tt := range tests {
		t.Run(tt.verdict.String(), func(t *testing.T) {
			_, err := CheckPendingVerdict(tt.verdict)
			wantProblem(t, err, tt.pending)
			_, err = CheckVerdict(tt.verdict)
			wantProblem(t, err, tt.failed)
		})
	}
}

// In one answer, each Pod is checked by its own rules.
func TestPendingAmongOthers(t *testing.T) {
	pods := []*pluginpb.FailedPod{{Uid: "failed"}, {Uid: "pending", Pending: &pluginpb.PendingPod{}}}
	wait := func(uid string) *pluginpb.Verdict { return &pluginpb.Verdict{Uid: uid, WaitSeconds: 60} }
	usable, wrong, err := CheckVerdicts(pods, &pluginpb.ClassifyResponse{Verdicts: []*pluginpb.Verdict{wait("failed"), wait("pending")}})
	if err == nil || len(usable) != 1 || usable["pending"].GetWaitSeconds() != 60 || wrong["failed"] == nil {
		t.Errorf("%v, %v, %v", usable, wrong, err)
	}
}

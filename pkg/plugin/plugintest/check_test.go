package plugintest

import (
	"strings"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

func TestCheckVerdicts(t *testing.T) {
	verdict := func(uid string, code int32) *pluginpb.Verdict {
		return &pluginpb.Verdict{Uid: uid, Code: code, Phrase: "P", Type: &pluginpb.CompletionType{Name: "Failed"}}
	}
	q := &pluginpb.ClassifyRequest{Pods: []*pluginpb.FailedPod{{Uid: "a"}, {Uid: "b"}}}
	tests := []struct {
		name     string
		verdicts []*pluginpb.Verdict
		want     string // empty if it is fine
	}{
		{"none", nil, ""},
		{"in another order", []*pluginpb.Verdict{verdict("b", 1), verdict("a", -1000)}, ""},
		{"no opinion", []*pluginpb.Verdict{{Uid: "a"}}, ""},
		{"of nobody", []*pluginpb.Verdict{verdict("c", 1)}, `a verdict on "c"`},
		{"twice", []*pluginpb.Verdict{verdict("a", 1), verdict("a", 1)}, `a verdict on "a", which is not in the question or has another verdict`},
		{"reserved", []*pluginpb.Verdict{verdict("a", -999)}, "reserved"},
	}
	for _, test := range tests {
		err := CheckVerdicts(q, &pluginpb.ClassifyResponse{Verdicts: test.verdicts})
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

func TestCheckDecision(t *testing.T) {
	q := &pluginpb.DecideRequest{Digest: "d", Framework: &pluginpb.Framework{AttemptId: 3},
		Roles: []*pluginpb.RoleProgress{{Name: "r", Completed: []*pluginpb.CompletedTask{{Index: 5, Type: &pluginpb.CompletionType{Name: "Failed"}}}}}}
	trigger := &pluginpb.Trigger{TaskRole: "r", TaskIndex: 5}
	const failed, goOn = pluginpb.DecideResponse_FAILED, pluginpb.DecideResponse_CONTINUE
	tests := []struct {
		name   string
		answer *pluginpb.DecideResponse
		want   string // empty if it is fine
	}{
		{"no opinion", nil, ""},
		{"with trigger", &pluginpb.DecideResponse{Decision: failed, Digest: "d", AttemptId: 3, Trigger: trigger}, ""},
		{"with code", &pluginpb.DecideResponse{Decision: failed, Digest: "d", AttemptId: 3, Code: 42, Phrase: "P", Type: &pluginpb.CompletionType{Name: "Failed"}}, ""},
		{"another digest", &pluginpb.DecideResponse{Decision: goOn, AttemptId: 3}, `it is about digest ""`},
		{"another attempt", &pluginpb.DecideResponse{Decision: goOn, Digest: "d"}, "of attempt 0"},
		{"long message", &pluginpb.DecideResponse{Decision: goOn, Digest: "d", AttemptId: 3, Message: strings.Repeat("m", 5000)}, "too long"},
	}
	for _, test := range tests {
		err := CheckDecision(q, test.answer)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

package answers

import (
	"encoding/json"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// FuzzAnswers: whatever a plugin sends, an accepted answer keeps to the contract.
func FuzzAnswers(f *testing.F) {
	add := func(kind byte, m proto.Message) {
		b, err := proto.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(kind, b)
	}
	q := &pluginpb.DecideRequest{Framework: &pluginpb.Framework{Namespace: "n", AttemptId: 1}, Digest: "d",
		Roles: []*pluginpb.RoleProgress{{Name: "a", Completed: []*pluginpb.CompletedTask{{Index: 1, Type: plugin.Failed()}}}}}
	h := &pluginpb.HintRequest{Framework: q.Framework, Roles: []*pluginpb.RoleShape{{Name: "a", ContainerNames: []string{"main"}}}}
	verdict := plugin.Verdict(200, "ContainerTransientFailed", "Transient")
	verdict.Uid = "uid-0"
	add(0, &pluginpb.ClassifyResponse{Verdicts: []*pluginpb.Verdict{verdict, verdict}})
	add(1, &pluginpb.DecideResponse{Decision: pluginpb.DecideResponse_FAILED, Digest: "d", AttemptId: 1, Trigger: &pluginpb.Trigger{TaskRole: "a", TaskIndex: 1}})
	add(2, &pluginpb.HintResponse{Patches: []*pluginpb.PodPatch{{TaskRole: "a", SpecJson: []byte(`{"containers":[{"env":[{"name":"FC_POD_UID"}]}]}`),
		Containers: []*pluginpb.ContainerPatch{{EnvJson: []byte(`[{"name":"E"}]`), Limits: map[string]string{"cpu": "1"}}}}},
		Objects: []*pluginpb.Object{{Json: object("A", "f-1")}}})
	add(3, &pluginpb.MayCreateResponse{Yes: true, RetryAfterSeconds: 1 << 30})
	f.Fuzz(func(t *testing.T, kind byte, b []byte) {
		switch kind % 4 {
		case 0:
			a := &pluginpb.ClassifyResponse{}
			if proto.Unmarshal(b, a) == nil {
				holdVerdicts(t, a)
			}
		case 1:
			a := &pluginpb.DecideResponse{}
			if proto.Unmarshal(b, a) == nil {
				holdDecision(t, q, a)
			}
		case 2:
			a := &pluginpb.HintResponse{}
			if proto.Unmarshal(b, a) == nil {
				holdHints(t, h, a)
			}
		case 3:
			a := &pluginpb.MayCreateResponse{}
			if proto.Unmarshal(b, a) == nil {
				if got, err := CheckMayCreate(nil, a); err == nil && (got.RetryAfterSeconds < 0 || got.RetryAfterSeconds > maxRetryAfter) {
					t.Errorf("let through: %v", got)
				}
			}
		}
	})
}

func holdVerdicts(t *testing.T, a *pluginpb.ClassifyResponse) {
	pods := []*pluginpb.FailedPod{{Uid: "uid-0"}, {Uid: "uid-1"}}
	usable, wrong, err := CheckVerdicts(pods, a)
	if len(wrong) > 0 && err == nil {
		t.Error("wrong verdicts, and nothing wrong with the answer")
	}
	for uid, got := range usable {
		if got.Refusal != "" && got.Code == 0 && len(got.Refusal) <= maxMessage {
			continue
		}
		if uid != "uid-0" && uid != "uid-1" || uid != got.Uid || wrong[uid] != nil || got.Code == 0 || got.Type.GetName() != "Failed" ||
			len(got.Diagnostics) > maxMessage || len(got.Rule) > maxRule || got.Phrase == "" || len(got.Phrase) > maxPhrase {
			t.Errorf("let through: %v", got)
		}
		if completion.IsReserved(got.Code) && completion.Predefined(got.Code, "").Phrase != got.Phrase {
			t.Errorf("let through: %v", got)
		}
	}
}

func holdDecision(t *testing.T, q *pluginpb.DecideRequest, a *pluginpb.DecideResponse) {
	got, err := CheckDecision(q, a)
	if err != nil || got == nil {
		return
	}
	if got.Refusal != "" {
		if got.Decision != pluginpb.DecideResponse_ABSTAIN || len(got.Refusal) > maxMessage {
			t.Errorf("let through: %v", got)
		}
		return
	}
	trigger := got.Trigger
	if got.Digest != "d" || got.AttemptId != 1 || trigger != nil && (trigger.TaskRole != "a" || trigger.TaskIndex != 1) ||
		got.Decision == pluginpb.DecideResponse_FAILED && trigger == nil && got.Code == 0 {
		t.Errorf("let through: %v", got)
	}
}

func holdHints(t *testing.T, q *pluginpb.HintRequest, a *pluginpb.HintResponse) {
	got, err := CheckHints(q, a)
	if err != nil || got == nil || got.Refusal != "" {
		return
	}
	for _, p := range got.Patches {
		if p.TaskRole != "a" {
			t.Errorf("let through: %v", p)
		}
		for _, key := range reserved {
			if _, ok := p.Labels[key]; ok || p.Annotations[key] != "" {
				t.Errorf("let through: %v", p)
			}
		}
	}
	for _, o := range got.Objects {
		if !json.Valid(o.Json) {
			t.Errorf("let through: %s", o.Json)
		}
	}
}

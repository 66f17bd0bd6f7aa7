package pluginhost

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// want is part of the message, and empty if there is nothing wrong.
func wantProblem(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("refused: %v", err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("got %v, want %q", err, want)
	}
}

func TestVerdicts(t *testing.T) {
	tests := []struct {
		verdict *pluginpb.Verdict
		want    string
	}{
		{&pluginpb.Verdict{}, ""},
		{&pluginpb.Verdict{Phrase: "NoOpinion"}, ""},
		{plugin.Verdict(1, "A"), ""},
		{plugin.Verdict(199, "A", "Transient", "Conflict"), ""},
		{plugin.Verdict(220, "A", "Permanent"), ""},
		{plugin.Verdict(-1000, "A"), ""},
		{plugin.Verdict(200, "ContainerTransientFailed", "Transient"), ""},
		{plugin.Verdict(201, "ContainerTransientConflictFailed", "Conflict", "Transient"), ""},
		{plugin.Verdict(210, "ContainerPermanentFailed", "Permanent"), ""},
		{plugin.Verdict(-300, "PodFailedWithoutFailedContainer"), ""},
		{plugin.Verdict(200, "Mine", "Transient"), "code 200 has to have the phrase ContainerTransientFailed"},
		{plugin.Verdict(210, "ContainerPermanentFailed"), "the attributes [Permanent]"},
		{plugin.Verdict(202, "A"), "code 202 is reserved"},
		{plugin.Verdict(-1, "A"), "code -1 is reserved"},
		{plugin.Verdict(-210, "StopFrameworkRequested", "Permanent"), "reserved"},
		{plugin.Verdict(-999, "A"), "reserved"},
		{plugin.Verdict(1, ""), "has to have a phrase"},
		{plugin.Verdict(1, strings.Repeat("a", 257)), "more than 256"},
		{plugin.Verdict(1, "A\nB"), "cannot be printed"},
		{plugin.Verdict(1, "A", "transient"), `has the attribute "transient", but there are only [Transient Permanent Conflict]`},
		{plugin.Verdict(1, "A", "Transient", "Transient"), "twice"},
		{plugin.Verdict(1, "A", "Transient", "Permanent"), "both"},
		{&pluginpb.Verdict{Code: 1, Phrase: "A"}, `has to be Failed, but is ""`},
		{&pluginpb.Verdict{Code: 1, Phrase: "A", Type: &pluginpb.CompletionType{Name: "Succeeded"}}, "has to be Failed"},
	}
	for _, tt := range tests {
		t.Run(tt.verdict.String(), func(t *testing.T) { wantProblem(t, CheckVerdict(tt.verdict), tt.want) })
	}
}

// Each predefined code is either refused, or accepted with its own phrase and type and with no other.
func TestPredefinedCodes(t *testing.T) {
	for _, e := range completion.Table() {
		var attributes []string
		for _, a := range e.Attributes {
			attributes = append(attributes, string(a))
		}
		if e.Code == 0 {
			continue
		}
		own, other := CheckVerdict(plugin.Verdict(e.Code, e.Phrase, attributes...)), CheckVerdict(plugin.Verdict(e.Code, "Other", attributes...))
		if free := e.Code >= 200 || e.Code == -300; free != (own == nil) || other == nil {
			t.Errorf("%d: %v, %v", e.Code, own, other)
		}
	}
}

func TestSeveralVerdicts(t *testing.T) {
	about := func(uid string, v *pluginpb.Verdict) *pluginpb.Verdict {
		v.Uid = uid
		return v
	}
	pods := []*pluginpb.FailedPod{{Uid: "a"}, {Uid: "b"}, {Uid: "c"}, {Uid: "d"}}
	answer := &pluginpb.ClassifyResponse{Verdicts: []*pluginpb.Verdict{
		about("a", plugin.Verdict(1, "A")), about("b", plugin.Verdict(2, "B")), about("b", plugin.Verdict(3, "B")),
		about("c", plugin.Verdict(-5, "C")), about("x", plugin.Verdict(4, "X")),
	}}
	v, fault := Config{Name: "p", Kind: FailureClassifier}.verdicts(pods, answer)
	if len(v.Given) != 1 || v.Given["a"].GetCode() != 1 || len(v.Faults) != 2 {
		t.Errorf("%v", v)
	}
	if fault == nil || !strings.Contains(fault.Error(), `UID "b": there is more than one`) {
		t.Errorf("%v", fault)
	}
	if f := v.Faults["c"]; f == nil || !strings.Contains(f.Error(), "code -5 is reserved") {
		t.Errorf("%v", f)
	}
}

func TestDecisions(t *testing.T) {
	const succeeded, failed, going = pluginpb.DecideResponse_SUCCEEDED, pluginpb.DecideResponse_FAILED, pluginpb.DecideResponse_CONTINUE
	q := &pluginpb.DecideRequest{Framework: &pluginpb.Framework{AttemptId: 3}, Digest: "d", Roles: []*pluginpb.RoleProgress{
		{Name: "a", Completed: []*pluginpb.CompletedTask{{Index: 0, Type: &pluginpb.CompletionType{Name: "Succeeded"}}, {Index: 2, Type: plugin.Failed()}}}}}
	trigger := func(role string, index int32) *pluginpb.Trigger {
		return &pluginpb.Trigger{TaskRole: role, TaskIndex: index}
	}
	tests := []struct {
		name   string
		answer *pluginpb.DecideResponse
		want   string
	}{
		{"abstains", &pluginpb.DecideResponse{Digest: "any"}, ""},
		{"continues", &pluginpb.DecideResponse{Decision: going, Digest: "d", AttemptId: 3}, ""},
		{"succeeds", &pluginpb.DecideResponse{Decision: succeeded, Digest: "d", AttemptId: 3}, ""},
		{"succeeds by a Task", &pluginpb.DecideResponse{Decision: succeeded, Digest: "d", AttemptId: 3, Trigger: trigger("a", 0)}, ""},
		{"fails by a Task", &pluginpb.DecideResponse{Decision: failed, Digest: "d", AttemptId: 3, Trigger: trigger("a", 2)}, ""},
		{"fails", &pluginpb.DecideResponse{Decision: failed, Digest: "d", AttemptId: 3, Code: 7, Phrase: "A", Type: plugin.Failed()}, ""},
		{"unknown", &pluginpb.DecideResponse{Decision: 9, Digest: "d", AttemptId: 3}, "there is no decision 9"},
		{"stale", &pluginpb.DecideResponse{Decision: going, Digest: "e", AttemptId: 3}, `it is about digest "e"`},
		{"other attempt", &pluginpb.DecideResponse{Decision: going, Digest: "d", AttemptId: 2}, "of attempt 2"},
		{"unknown role", &pluginpb.DecideResponse{Decision: failed, Digest: "d", AttemptId: 3, Trigger: trigger("b", 0)}, `no role "b"`},
		{"running Task", &pluginpb.DecideResponse{Decision: failed, Digest: "d", AttemptId: 3, Trigger: trigger("a", 1)}, "has not completed"},
		{"fails by a success", &pluginpb.DecideResponse{Decision: failed, Digest: "d", AttemptId: 3, Trigger: trigger("a", 0)}, "has not failed"},
		{"fails without code", &pluginpb.DecideResponse{Decision: failed, Digest: "d", AttemptId: 3}, "has to have a code"},
		{"reserved code", &pluginpb.DecideResponse{Decision: failed, Digest: "d", AttemptId: 3, Code: -210, Phrase: "A", Type: plugin.Failed()}, "reserved"},
		{"succeeds with a code", &pluginpb.DecideResponse{Decision: succeeded, Digest: "d", AttemptId: 3, Code: 7}, "only a failure"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { wantProblem(t, CheckDecision(q, tt.answer), tt.want) })
	}
}

func object(kind, name string) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"scheduling.x-k8s.io/v1alpha1","kind":%q,"metadata":{"name":%q}}`, kind, name)
}

func TestHints(t *testing.T) {
	q := &pluginpb.HintRequest{Framework: &pluginpb.Framework{Namespace: "n", AttemptId: 1},
		Roles: []*pluginpb.RoleShape{{Name: "a", ContainerNames: []string{"main"}}, {Name: "b"}}}
	patch := func(p *pluginpb.PodPatch) *pluginpb.HintResponse {
		p.TaskRole = "a"
		return &pluginpb.HintResponse{Patches: []*pluginpb.PodPatch{p}}
	}
	container := func(c *pluginpb.ContainerPatch) *pluginpb.HintResponse {
		return patch(&pluginpb.PodPatch{Containers: []*pluginpb.ContainerPatch{c}})
	}
	objects := func(texts ...[]byte) *pluginpb.HintResponse {
		a := &pluginpb.HintResponse{}
		for _, text := range texts {
			a.Objects = append(a.Objects, &pluginpb.Object{Json: text})
		}
		return a
	}
	one := map[string]string{"k": "v"}
	tests := []struct {
		name   string
		answer *pluginpb.HintResponse
		want   string
	}{
		{"none", &pluginpb.HintResponse{}, ""},
		{"refusal with anything else", &pluginpb.HintResponse{Refusal: "no", Objects: []*pluginpb.Object{{}}}, ""},
		{"all", patch(&pluginpb.PodPatch{Labels: one, Annotations: map[string]string{"Scheduler.example/spec": "a: b\n"}, NodeSelector: one,
			SchedulerName: "s", PriorityClassName: "p", SchedulingGates: []string{"example.com/g"},
			TolerationsJson: []byte(`[{"key":"k","newer":1}]`), AffinityJson: []byte(`{"nodeAffinity":{}}`), SpecJson: []byte(`{"workloadRef":{"name":"w"}}`),
			Containers: []*pluginpb.ContainerPatch{{EnvJson: []byte(`[{"name":"E","value":"v"}]`), Limits: map[string]string{"example.com/x": "1"}}}}), ""},
		{"placeholders", patch(&pluginpb.PodPatch{Labels: map[string]string{"k": "{{FC_TASK_INDEX}}"}}), ""},
		{"unknown role", &pluginpb.HintResponse{Patches: []*pluginpb.PodPatch{{TaskRole: "c"}}}, `no role "c"`},
		{"two patches", &pluginpb.HintResponse{Patches: []*pluginpb.PodPatch{{TaskRole: "a"}, {TaskRole: "b"}, {TaskRole: "a"}}}, "more than one patch"},
		{"reserved label", patch(&pluginpb.PodPatch{Labels: map[string]string{"FC_TASKROLE_NAME": "x"}}), "label FC_TASKROLE_NAME is set by the controller"},
		{"reserved annotation", patch(&pluginpb.PodPatch{Annotations: map[string]string{"FC_TASK_UID": "x"}}), "annotation FC_TASK_UID is set"},
		{"bad label", patch(&pluginpb.PodPatch{Labels: map[string]string{"k": "a b"}}), "label k:"},
		{"bad key", patch(&pluginpb.PodPatch{NodeSelector: map[string]string{"a b": ""}}), `node selector "a b"`},
		{"bad annotation", patch(&pluginpb.PodPatch{Annotations: map[string]string{"a b": ""}}), `annotation "a b"`},
		{"bad tolerations", patch(&pluginpb.PodPatch{TolerationsJson: []byte(`{}`)}), "tolerations_json"},
		{"bad affinity", patch(&pluginpb.PodPatch{AffinityJson: []byte(`x`)}), "affinity_json"},
		{"bad spec", patch(&pluginpb.PodPatch{SpecJson: []byte(`null`)}), "not an object"},
		{"reserved env in spec", patch(&pluginpb.PodPatch{SpecJson: []byte(`{"initContainers":[{"name":"c","env":[{"name":"FC_POD_UID"}]}]}`)}), "FC_POD_UID is set"},
		{"gate twice", patch(&pluginpb.PodPatch{SchedulingGates: []string{"g", "g"}}), "twice"},
		{"unknown container", container(&pluginpb.ContainerPatch{Name: "x"}), `no container "x"`},
		{"reserved env", container(&pluginpb.ContainerPatch{Name: "main", EnvJson: []byte(`[{"name":"FC_TASK_INDEX"}]`)}), "FC_TASK_INDEX is set"},
		{"nameless env", container(&pluginpb.ContainerPatch{EnvJson: []byte(`[{}]`)}), "has no name"},
		{"bad quantity", container(&pluginpb.ContainerPatch{Requests: map[string]string{"cpu": "much"}}), "no quantity"},
		{"negative", container(&pluginpb.ContainerPatch{Limits: map[string]string{"cpu": "-1"}}), "negative"},
		{"a large exponent", container(&pluginpb.ContainerPatch{Limits: map[string]string{"cpu": "1e-2000000000"}}), "between -30 and 30"},
		{"object", objects(object("PodGroup", "f-1-pg")), ""},
		{"without attempt id", objects(object("PodGroup", "f-11-pg")), "does not hold the attempt id 1"},
		{"without name", objects(object("PodGroup", "")), "no fixed metadata.name"},
		{"without kind", objects(object("", "f-1")), "no apiVersion, or no kind"},
		{"twice", objects(object("A", "f-1"), object("B", "f-1"), object("A", "f-1")), "object 2"},
		{"other namespace", objects([]byte(`{"apiVersion":"v1","kind":"A","metadata":{"name":"f-1","namespace":"m"}}`)), `namespace "m"`},
		{"own owner", objects([]byte(`{"apiVersion":"v1","kind":"A","metadata":{"name":"f-1","ownerReferences":[{}]}}`)), "ownerReferences"},
		{"no object", objects([]byte(`[]`)), "not a JSON object"},
		{"no JSON", objects([]byte(`{`)), "JSON"},
		{"bad name", objects(object("A", "F_1")), "name"},
		{"too large", patch(&pluginpb.PodPatch{Annotations: map[string]string{"k": strings.Repeat("x", maxHints)}}), "more than the 65536"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { wantProblem(t, CheckHints(q, tt.answer), tt.want) })
	}
}

func TestLongTextsAreCut(t *testing.T) {
	long := strings.Repeat("ä", 5000)
	v := plugin.Verdict(1, "A")
	v.Diagnostics, v.Rule = long, "a"+long
	got, err := checkedVerdict(v)
	if err != nil || len(got.Diagnostics) != maxMessage || len(got.Rule) != maxRule-1 || !utf8.ValidString(got.Rule) {
		t.Errorf("%d, %d, %v", len(got.GetDiagnostics()), len(got.GetRule()), err)
	}
	if v.Diagnostics != long {
		t.Error("the answer itself was changed")
	}
	if f := (Config{Name: "p"}).fault(Failed, "%s", long); len(f.Message) != maxFaultMessage || !utf8.ValidString(f.Error()) {
		t.Errorf("%d bytes", len(f.Message))
	}
}

// FuzzAnswers: whatever a plugin sends, what is let through keeps to the contract.
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
				if got, err := checkedMayCreate(nil, a); err == nil && (got.RetryAfterSeconds < 0 || got.RetryAfterSeconds > maxRetryAfter) {
					t.Errorf("let through: %v", got)
				}
			}
		}
	})
}

func holdVerdicts(t *testing.T, a *pluginpb.ClassifyResponse) {
	pods := []*pluginpb.FailedPod{pod(0, ""), pod(1, "")}
	v, fault := Config{Name: "p"}.verdicts(pods, a)
	if len(v.Faults) > 0 && fault == nil {
		t.Error("faults of Pods, and none of the answer")
	}
	for uid, got := range v.Given {
		if got.Refusal != "" && got.Code == 0 && len(got.Refusal) <= maxMessage {
			continue
		}
		if uid != "uid-0" && uid != "uid-1" || uid != got.Uid || v.Faults[uid] != nil || got.Code == 0 || got.Type.GetName() != "Failed" ||
			len(got.Diagnostics) > maxMessage || len(got.Rule) > maxRule || got.Phrase == "" || len(got.Phrase) > maxPhrase {
			t.Errorf("let through: %v", got)
		}
		if completion.IsReserved(got.Code) && completion.Predefined(got.Code, "").Phrase != got.Phrase {
			t.Errorf("let through: %v", got)
		}
	}
}

func holdDecision(t *testing.T, q *pluginpb.DecideRequest, a *pluginpb.DecideResponse) {
	got, err := checkedDecision(q, a)
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
	got, err := checkedHints(q, a)
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

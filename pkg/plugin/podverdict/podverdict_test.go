package podverdict_test

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"gopkg.in/yaml.v3"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/answers"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
)

// Every fact that classification uses survives the wire.
func TestPodThereAndBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		want := podverdict.Pod(plugintest.RandomPod(r))
		if got := overTheWire(t, want); !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v, want %+v", got, want)
		}
	}
}

func overTheWire(t *testing.T, pod completion.Pod) completion.Pod {
	t.Helper()
	encoded, err := proto.Marshal(podverdict.Question(pod))
	require.NoError(t, err)
	q := &pluginpb.FailedPod{}
	require.NoError(t, proto.Unmarshal(encoded, q))
	return podverdict.Pod(q)
}

// A container that has not ended has no end, so none is sent.
func TestContainerThatHasNotEnded(t *testing.T) {
	pod := completion.Pod{Containers: []completion.Container{{Name: "c", Init: true, Restartable: true, Code: 3, Reason: "r", FinishedAt: time.Unix(1, 0)}}}
	want := completion.Container{Name: "c", Init: true, Restartable: true}
	if got := overTheWire(t, pod).Containers[0]; got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// A text that is not UTF-8 cannot be sent. The text sent instead is judged the same.
func TestPodWithBadText(t *testing.T) {
	bad := completion.Pod{Name: "p", Message: "a\xff\xfeb", Containers: []completion.Container{
		{Name: "c", Terminated: true, Code: 3, Message: "\xc3(", FinishedAt: time.Unix(1, 0).UTC()},
	}}
	q := podverdict.Question(bad)
	if _, err := proto.Marshal(q); err != nil {
		t.Fatal(err)
	}
	rules := rulesFrom(t, `- {code: 300, podPatterns: [{messageRegex: 'a..b', containers: [{messageRegex: '.*'}]}]}`)
	got, want := rules.Classify(podverdict.Pod(q)), rules.Classify(bad)
	want.Diagnostics = strings.ReplaceAll(want.Diagnostics, `\ufffd`, "\ufffd") // JSON can write it in two ways
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func rulesFrom(t *testing.T, text string) *completion.Rules {
	t.Helper()
	rules, err := completion.Compile(specsFrom(t, text))
	require.NoError(t, err)
	return rules
}

func specsFrom(t *testing.T, text string) []completion.RuleSpec {
	t.Helper()
	var specs []completion.RuleSpec
	require.NoError(t, yaml.Unmarshal([]byte(text), &specs))
	return specs
}

func TestVerdict(t *testing.T) {
	unrecognized := func(code int32) v1.CompletionStatus {
		s := completion.Predefined(completion.CodePodFailedWithoutFailedContainer, "d")
		s.Code, s.Phrase = code, completion.PhraseContainerUnrecognizedFailed
		return s
	}
	configured := func(phrase, diagnostics string) v1.CompletionStatus {
		return v1.CompletionStatus{Code: 42, Phrase: phrase, Type: v1.CompletionType{Name: v1.CompletionFailed}, Diagnostics: diagnostics}
	}
	typed := func(attributes ...v1.CompletionTypeAttribute) v1.CompletionStatus {
		s := configured("P", "d")
		s.Type.Attributes = attributes
		return s
	}
	tests := []struct {
		name   string
		status v1.CompletionStatus
		ok     bool
	}{
		{"of a rule", configured("P", "d"), true},
		{"200", completion.Predefined(200, "d"), true},
		{"201", completion.Predefined(201, "d"), true},
		{"210", completion.Predefined(210, "d"), true},
		{"-300", completion.Predefined(-300, "d"), true},
		{"plain exit code", unrecognized(1), true},
		{"plain exit code of Windows", unrecognized(-1073741510), true},
		{"plain exit code that is reserved", unrecognized(205), false},
		{"plain exit code that looks like -300", unrecognized(-300), false},
		{"plain exit code that looks like a stop", unrecognized(-210), false},
		{"phrase with a line break", configured("P\n", "d"), false},
		{"phrase that is not UTF-8", configured("P\xff", "d"), false},
		{"unknown attribute", typed("Sometimes"), false},
		{"attribute twice", typed("Transient", "Transient"), false},
		{"contrary attributes", typed("Permanent", "Transient"), false},
		{"all that goes together", typed("Conflict", "Transient"), true},
		{"success", completion.Predefined(0, "d"), false},
		{"stop", completion.Predefined(-210, "d"), false},
		{"without phrase", configured("", "d"), false},
		{"long phrase", configured(strings.Repeat("P", 257), "d"), false},
		{"longest phrase and diagnostics", configured(strings.Repeat("P", 256), strings.Repeat("d", 4096)), true},
		{"diagnostics that would be cut", configured("P", strings.Repeat("d", 4097)), false},
	}
	for _, test := range tests {
		v, ok := podverdict.Verdict("u", test.status)
		if ok != test.ok {
			t.Errorf("%s: %v, want %v", test.name, ok, test.ok)
		}
		if !ok {
			continue
		}
		if _, err := answers.CheckVerdict(v); err != nil {
			t.Errorf("%s: the host refuses it: %v", test.name, err)
		}
		if got := podverdict.Status(v); v.Uid != "u" || !reflect.DeepEqual(got, test.status) {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.status)
		}
	}
}

func TestParametersThereAndBack(t *testing.T) {
	want := specsFrom(t, `
- {code: -1073741510, phrase: A, type: {name: Failed, attributes: [Transient, Conflict]}, podPatterns: [{nameRegex: "\x7f\u2028\n  x"}]}
- {code: 1000000, phrase: '', podPatterns: [{}, {reasonRegex: '', messageRegex: '(?i)<&>',
    containers: [{}, {nameRegex: n, reasonRegex: r, messageRegex: m, signalRange: {min: 9, max: 9}, codeRange: {max: -1}, ignoreAfterOtherFailure: true}]}]}
`)
	parameters, err := podverdict.Parameters(want)
	require.NoError(t, err)
	if got, err := podverdict.Specs(plugintest.Parameters(t, parameters)); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v %v\nwant %+v", got, err, want)
	}
	rule := parameters["podFailureSpec"].([]any)[1].(map[string]any)
	for _, key := range []string{"code", "phrase", "podPatterns"} {
		if rule[key] == nil {
			t.Errorf("no key %s in %v", key, rule)
		}
	}
	if got, err := podverdict.Specs(nil); got != nil || err != nil {
		t.Errorf("absent parameters: %v %v", got, err)
	}
}

func TestEarlier(t *testing.T) {
	e := podverdict.Earlier(completion.Predefined(201, "d"))
	if e.Code != 201 || e.Phrase != "ContainerTransientConflictFailed" || e.Type.Name != "Failed" ||
		!reflect.DeepEqual(e.Type.Attributes, []string{"Transient", "Conflict"}) {
		t.Errorf("%v", e)
	}
}

func TestAdvice(t *testing.T) {
	if got := podverdict.Advice(&pluginpb.Verdict{Code: 1}); got != nil {
		t.Errorf("of a verdict without any: %+v", got)
	}
	got := podverdict.Advice(&pluginpb.Verdict{Restart: pluginpb.RestartScope_RESTART_SCOPE_FRAMEWORK, DelaySeconds: new(int32(0))})
	if got == nil || got.Restart != v1.RestartFramework || got.DelaySec == nil || *got.DelaySec != 0 || got.GiveUpAttempt {
		t.Errorf("%+v", got)
	}
	if got := podverdict.Advice(&pluginpb.Verdict{GiveUpAttempt: true}); got == nil || !got.GiveUpAttempt || got.Restart != "" || got.DelaySec != nil {
		t.Errorf("%+v", got)
	}
}

func TestIsVerdict(t *testing.T) {
	plain := completion.Predefined(completion.CodePodFailedWithoutFailedContainer, "")
	plain.Code, plain.Phrase = -210, completion.PhraseContainerUnrecognizedFailed
	for _, test := range []struct {
		s    v1.CompletionStatus
		want bool
	}{
		{completion.Predefined(200, ""), true},
		{completion.Predefined(-300, ""), true},
		{v1.CompletionStatus{Code: 42, Phrase: "P", Type: v1.CompletionType{Name: v1.CompletionFailed}}, true},
		{plain, true},
		{completion.Predefined(0, ""), false},
		{completion.Predefined(-101, ""), false},
		{completion.Predefined(-240, ""), false},
	} {
		if got := podverdict.IsVerdict(test.s); got != test.want {
			t.Errorf("%d %s: %v", test.s.Code, test.s.Phrase, got)
		}
	}
}

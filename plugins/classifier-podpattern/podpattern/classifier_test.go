package podpattern

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/structpb"
	"gopkg.in/yaml.v3"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
)

// configured returns the plugin with the given rules, and the rules themselves.
func configured(t *testing.T, specs []completion.RuleSpec) (plugin.FailureClassifier, *completion.Rules) {
	t.Helper()
	rules, err := completion.Compile(specs)
	require.NoError(t, err)
	parameters, err := podverdict.Parameters(specs)
	require.NoError(t, err)
	p := New()
	require.NoError(t, p.Configure("it", plugintest.Parameters(t, parameters)))
	return p.FailureClassifier, rules
}

func specsFrom(t *testing.T, text string) []completion.RuleSpec {
	t.Helper()
	var specs []completion.RuleSpec
	require.NoError(t, yaml.Unmarshal([]byte(text), &specs))
	return specs
}

const defaultFile = "../../../example/config/default/frameworkcontroller.yaml"

// defaultSpecs are the rules of the configuration that is shipped.
func defaultSpecs(t *testing.T) []completion.RuleSpec {
	t.Helper()
	text, err := os.ReadFile(defaultFile)
	require.NoError(t, err)
	var file struct {
		PodFailureSpec []completion.RuleSpec `yaml:"podFailureSpec"`
	}
	if err := yaml.Unmarshal(text, &file); err != nil || len(file.PodFailureSpec) < 22 {
		t.Fatalf("%d rules, %v", len(file.PodFailureSpec), err)
	}
	return file.PodFailureSpec
}

func judgeThrough(t *testing.T, c plugin.FailureClassifier, q *pluginpb.FailedPod) *pluginpb.Verdict {
	t.Helper()
	v, err := c.Classify(t.Context(), q)
	require.NoError(t, err)
	return v
}

// A Pod that Kubernetes has disrupted is no failure without a failed container: the plugin has no opinion, and the controller counts the
// Pod as deleted.
func TestNoOpinionOnDisruptedPods(t *testing.T) {
	c, rules := configured(t, defaultSpecs(t))
	pod := completion.Pod{
		Containers: []completion.Container{{Name: "c"}},
		Disruption: &completion.Disruption{Reason: "DeletionByPodGC", Message: "PodGC: node no longer exists"},
	}
	if v := judgeThrough(t, c, podverdict.Question(pod)); v != nil || rules.Classify(pod).Code != completion.CodePodExternalDeleted {
		t.Errorf("got %+v, and directly %+v", v, rules.Classify(pod))
	}
	pod.Reason, pod.Disruption.Reason = "Evicted", "TerminationByKubelet"
	if v := judgeThrough(t, c, podverdict.Question(pod)); v.GetCode() != -1000 {
		t.Errorf("a Pod that the kubelet has evicted: %+v", v)
	}
}

// Through the plugin a Pod is judged exactly as directly, or not at all; then the controller judges it directly.
func TestThroughThePluginIsDirectly(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	answered, abstained, ignored := map[completion.Code]int{}, 0, 0
	for range 100 {
		specs := defaultSpecs(t)
		if r.IntN(3) > 0 {
			specs = randomSpecs(r)
		}
		c, rules := configured(t, specs)
		keyless := withoutKey(t, specs)
		for range 100 {
			pod := podverdict.Pod(plugintest.RandomPod(r))
			want := rules.Classify(pod)
			if want.Code != keyless.Classify(pod).Code {
				ignored++
			}
			v := judgeThrough(t, c, podverdict.Question(pod))
			if v == nil {
				abstained++
				if _, sayable := podverdict.Verdict("", want); sayable {
					t.Fatalf("no opinion on %+v, which is %+v", pod, want)
				}
				continue
			}
			answered[v.Code]++
			if got := podverdict.Status(v); !reflect.DeepEqual(got, want) {
				t.Fatalf("%+v: %+v, directly %+v", pod, got, want)
			}
		}
	}
	for _, code := range []completion.Code{200, 201, 210, -300, 1, 220, -1073741510, -1000, -1200} {
		if answered[code] == 0 {
			t.Errorf("code %d never came up", code)
		}
	}
	if abstained == 0 {
		t.Error("it always had an opinion")
	}
	if ignored < 50 {
		t.Errorf("ignoreAfterOtherFailure decided only %d Pods", ignored)
	}
}

// withoutKey are the rules as if no pattern had ignoreAfterOtherFailure.
func withoutKey(t *testing.T, specs []completion.RuleSpec) *completion.Rules {
	t.Helper()
	text, err := json.Marshal(specs)
	require.NoError(t, err)
	rules, err := completion.Compile(specsFrom(t, strings.ReplaceAll(string(text), `"ignoreAfterOtherFailure":true`, `"ignoreAfterOtherFailure":false`)))
	require.NoError(t, err)
	return rules
}

func randomSpecs(r *rand.Rand) []completion.RuleSpec {
	var specs []completion.RuleSpec
	for _, code := range r.Perm(6)[:r.IntN(6)] {
		number := []int32{1, 42, 137, 220, -1000, -1073741510}[code]
		s := completion.RuleSpec{Code: &number, Phrase: fmt.Sprintf("Phrase%d", code)}
		s.Type.Attributes = [][]v1.CompletionTypeAttribute{nil, {v1.AttributeTransient}, {v1.AttributeTransient, v1.AttributeConflict}}[r.IntN(3)]
		for range 1 + r.IntN(2) {
			s.PodPatterns = append(s.PodPatterns, randomPattern(r))
		}
		specs = append(specs, s)
	}
	return specs
}

func randomPattern(r *rand.Rand) *completion.PodPatternSpec {
	maybe := func(expr string) *string {
		if r.IntN(3) > 0 {
			return nil
		}
		return &expr
	}
	p := &completion.PodPatternSpec{NameRegex: maybe("worker|ps"), ReasonRegex: maybe("(?i)evicted"), MessageRegex: maybe("(?ms).*")}
	for range r.IntN(3) {
		low := int32(r.IntN(200))
		c := &completion.ContainerPatternSpec{NameRegex: maybe("c[01]"), ReasonRegex: maybe("OOM|Err"), MessageRegex: maybe("<?CUDA|long")}
		if r.IntN(2) == 0 {
			c.CodeRange = &completion.RangeSpec{Min: &low}
		}
		c.IgnoreAfterOtherFailure = *c != (completion.ContainerPatternSpec{}) && r.IntN(2) == 0
		p.Containers = append(p.Containers, c)
	}
	return p
}

const twoRules = `
- {code: 42, phrase: LicenseServerBusy, type: {attributes: [Transient]}, podPatterns: [{containers: [{codeRange: {min: 7, max: 7}}]}]}
- {code: 43, phrase: Evicted, podPatterns: [{reasonRegex: '^Evicted$'}, {messageRegex: evicted}]}
`

func exited(code int32) *pluginpb.FailedPod {
	return &pluginpb.FailedPod{Uid: "u", Containers: []*pluginpb.Container{{Name: "c", Terminated: &pluginpb.Terminated{ExitCode: code}}}}
}

func TestRuleIsNamed(t *testing.T) {
	evicted := &pluginpb.FailedPod{Message: "was evicted"}
	tests := []struct {
		name string
		pod  *pluginpb.FailedPod
		code int32
		rule string
	}{
		{"first rule", exited(7), 42, "podFailureSpec[0]"},
		{"second rule", evicted, 43, "podFailureSpec[1]"},
		{"predefined", exited(201), 201, "predefined"},
		{"exit code", exited(8), 8, "exit code"},
		{"exit code that is also the code of a rule", exited(42), 42, "exit code"},
		{"nothing failed", exited(0), -300, "no failed container"},
	}
	c, _ := configured(t, specsFrom(t, twoRules))
	for _, test := range tests {
		if v := judgeThrough(t, c, test.pod); v.GetCode() != test.code || v.GetRule() != test.rule {
			t.Errorf("%s: %v, want code %d by %s", test.name, v, test.code, test.rule)
		}
	}
}

// The rules of a Framework come first; failures that they do not match are left to the configuration.
func TestRulesOfTheFramework(t *testing.T) {
	c, _ := configured(t, specsFrom(t, twoRules))
	own, err := podverdict.Parameters(specsFrom(t, `- {code: 44, phrase: Mine, podPatterns: [{containers: [{codeRange: {min: 7, max: 8}}]}]}`))
	require.NoError(t, err)
	tests := []struct {
		exit, code int32
		rule       string
	}{
		{7, 44, "spec.plugins: podFailureSpec[0]"},
		{8, 44, "spec.plugins: podFailureSpec[0]"},
		{9, 9, "exit code"},
		{200, 200, "predefined"},
	}
	for _, test := range tests {
		q := exited(test.exit)
		q.Parameters = plugintest.Parameters(t, own)
		if v := judgeThrough(t, c, q); v.GetCode() != test.code || v.GetRule() != test.rule {
			t.Errorf("exit code %d: %v, want code %d by %s", test.exit, v, test.code, test.rule)
		}
	}
}

const wholeMessage = `- {code: %d, phrase: P, podPatterns: [{containers: [{codeRange: {min: 7}, messageRegex: '(?s).*'}]}]}`

// If only the Framework's rules match, the verdict has as much of the messages as it may carry. If the controller's rules match, too, there
// is no opinion, because the controller reports the match in full.
func TestLongMessages(t *testing.T) {
	c, _ := configured(t, specsFrom(t, fmt.Sprintf(wholeMessage, 45)))
	own, err := podverdict.Parameters(specsFrom(t, fmt.Sprintf(wholeMessage, 44)))
	require.NoError(t, err)
	long := func(code int32, text string) *pluginpb.FailedPod {
		q := exited(code)
		q.Containers[0].Terminated.Message = "begin " + strings.Repeat(text, podverdict.MaxDiagnostics)
		return q
	}
	for _, text := range []string{"x", "<", "日"} {
		q := long(7, text)
		if v := judgeThrough(t, c, q); v != nil {
			t.Errorf("the rules of the configuration, messages of %s: %v", text, v)
		}
		q.Parameters = plugintest.Parameters(t, own)
		v := judgeThrough(t, c, q)
		written, isMatch := strings.CutPrefix(v.GetDiagnostics(), "Pod failed: PodPattern matched: ")
		if v.GetCode() != 44 || !isMatch || len(v.Diagnostics) > podverdict.MaxDiagnostics || len(v.Diagnostics) < podverdict.MaxDiagnostics/4 ||
			!json.Valid([]byte(written)) || !strings.Contains(written, `"message":"begin `) {
			t.Errorf("the rules of the Framework, messages of %s: %v", text, v)
		}
	}
	q := long(210, "x")
	q.Parameters = plugintest.Parameters(t, own)
	if v := judgeThrough(t, c, q); v != nil {
		t.Errorf("a predefined code: %v", v)
	}
}

// Invalid names are shortened as messages are; where shortening does not help, the verdict still has the code.
func TestLongNames(t *testing.T) {
	c, _ := configured(t, nil)
	own, err := podverdict.Parameters(specsFrom(t, `- {code: 44, phrase: P, podPatterns: [{reasonRegex: '.*', containers: [{nameRegex: '.*'}]}]}`))
	require.NoError(t, err)
	q := exited(7)
	q.Reason, q.Parameters = strings.Repeat("r", podverdict.MaxDiagnostics), plugintest.Parameters(t, own)
	v := judgeThrough(t, c, q)
	written, _ := strings.CutPrefix(v.GetDiagnostics(), "Pod failed: PodPattern matched: ")
	if v.GetCode() != 44 || len(v.GetDiagnostics()) > podverdict.MaxDiagnostics || !json.Valid([]byte(written)) || !strings.HasPrefix(written, `{"reason":"rrr`) {
		t.Errorf("%v", v)
	}
	q.Reason = strings.Repeat("\x01", podverdict.MaxDiagnostics) // JSON writes it with six characters
	for range 20 {
		q.Containers = append(q.Containers, q.Containers[0])
	}
	if v := judgeThrough(t, c, q); v.GetCode() != 44 || len(v.GetDiagnostics()) > podverdict.MaxDiagnostics {
		t.Errorf("%v", v)
	}
}

// A Framework with wrong rules is judged by the rules of the configuration, and the verdict reports it.
func TestWrongRulesOfTheFramework(t *testing.T) {
	c, _ := configured(t, specsFrom(t, twoRules))
	for _, wrong := range []map[string]any{
		{"podFailureSpec": []any{map[string]any{"code": 5}}},
		{"podFailureSpec": strings.Repeat("long", 999)},
		{"odd": true},
		{"podFailureSpec": []any{map[string]any{"code": 300, "shadow": true, "podPatterns": []any{map[string]any{}}}}},
	} {
		q := exited(7)
		q.Parameters = plugintest.Parameters(t, wrong)
		v := judgeThrough(t, c, q)
		if v.GetCode() != 42 || !strings.HasPrefix(v.GetRule(), "podFailureSpec[0]; the parameters of the Framework were ignored: ") ||
			len(v.GetRule()) > podverdict.MaxRule {
			t.Errorf("%v: %v", wrong, v)
		}
	}
}

// More different parameters than are kept do not change the answers.
func TestManyFrameworks(t *testing.T) {
	c, _ := configured(t, nil)
	for i := range 3 * memoSize {
		q := exited(7)
		q.Parameters = plugintest.Parameters(t, map[string]any{"podFailureSpec": []any{map[string]any{
			"code": 1000 + i, "phrase": "P", "podPatterns": []any{map[string]any{}},
		}}})
		if v := judgeThrough(t, c, q); v.GetCode() != int32(1000+i) {
			t.Fatalf("%d: %v", i, v)
		}
	}
}

// The time of one verdict by the rules of the default configuration, without the way to the plugin.
func BenchmarkClassify(b *testing.B) {
	rules := New()
	text, err := os.ReadFile(defaultFile)
	if err != nil {
		b.Fatal(err)
	}
	var file map[string]any
	if err := yaml.Unmarshal(text, &file); err != nil {
		b.Fatal(err)
	}
	parameters, err := structpb.NewStruct(map[string]any{"podFailureSpec": file["podFailureSpec"]})
	if err != nil {
		b.Fatal(err)
	}
	if err := rules.Configure("it", parameters); err != nil {
		b.Fatal(err)
	}
	pod := exited(7)
	for b.Loop() {
		if v, err := rules.FailureClassifier.Classify(b.Context(), pod); err != nil || v.GetCode() != 7 {
			b.Fatal(v, err)
		}
	}
}

// A rule in shadow decides nothing, and is not named in place of the rule that has its code.
func TestRulesInShadow(t *testing.T) {
	c, _ := configured(t, specsFrom(t, `
- {code: 42, phrase: P, podPatterns: [{containers: [{codeRange: {min: 7, max: 7}}]}]}
- {code: 42, phrase: Q, shadow: true, podPatterns: [{}]}`))
	if v := judgeThrough(t, c, exited(7)); v.GetCode() != 42 || v.GetRule() != "podFailureSpec[0]" {
		t.Errorf("got %v", v)
	}
	if v := judgeThrough(t, c, exited(8)); v.GetCode() != 8 || v.GetRule() != "exit code" {
		t.Errorf("got %v", v)
	}
}

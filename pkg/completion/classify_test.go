package completion

import (
	"math"
	"slices"
	"testing"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// rulesFrom compiles a podFailureSpec written as in the configuration file.
func rulesFrom(t *testing.T, text string) *Rules {
	t.Helper()
	rules, err := Compile(specsFrom(t, text))
	require.NoError(t, err)
	return rules
}

func specsFrom(t *testing.T, text string) []RuleSpec {
	t.Helper()
	var specs []RuleSpec
	require.NoError(t, yaml.Unmarshal([]byte(text), &specs))
	return specs
}

// at is the given number of seconds after some moment.
func at(sec int64) time.Time { return time.Unix(1_700_000_000+sec, 0) }

func exited(name string, code int32, sec int64) Container {
	return Container{Name: name, Terminated: true, Code: code, FinishedAt: at(sec)}
}

func running(name string) Container { return Container{Name: name} }

func sidecar(c Container) Container {
	c.Init, c.Restartable = true, true
	return c
}

func initContainer(c Container) Container {
	c.Init = true
	return c
}

func podOf(cs ...Container) Pod { return Pod{Name: "f-worker-0", Containers: cs} }

const anyFailure = `
- {code: 300, phrase: One, podPatterns: [{containers: [{codeRange: {min: 1, max: 1}}]}]}
- {code: 301, phrase: Seg, podPatterns: [{containers: [{signalRange: {min: 11, max: 11}}]}]}
- {code: 302, phrase: Low, podPatterns: [{containers: [{codeRange: {max: -1}}]}]}
- {code: 303, phrase: High, podPatterns: [{containers: [{codeRange: {min: 250}}]}]}
- {code: -1000, phrase: Evicted, podPatterns: [{reasonRegex: '^Evicted$'}]}
`

func TestClassify(t *testing.T) {
	tests := []struct {
		name   string
		rules  string
		pod    Pod
		code   Code
		phrase string
	}{
		{"no rules, exit code", ``, podOf(exited("c", 7, 0)), 7, PhraseContainerUnrecognizedFailed},
		{"no rules, nothing failed", ``, podOf(exited("c", 0, 0), running("d")), -300, "PodFailedWithoutFailedContainer"},
		{"no rules, no containers", ``, podOf(), -300, "PodFailedWithoutFailedContainer"},
		{"predefined 200", ``, podOf(exited("c", 200, 0)), 200, "ContainerTransientFailed"},
		{"predefined 201", ``, podOf(exited("c", 201, 0)), 201, "ContainerTransientConflictFailed"},
		{"predefined 210", ``, podOf(exited("c", 210, 0)), 210, "ContainerPermanentFailed"},
		{"predefined by an init container", ``, podOf(initContainer(exited("i", 210, 0)), running("c")), 210, "ContainerPermanentFailed"},
		{"predefined by any container", ``, podOf(exited("a", 1, 9), exited("b", 200, 0)), 200, "ContainerTransientFailed"},
		{"predefined in their order", ``, podOf(exited("a", 210, 0), exited("b", 201, 0)), 201, "ContainerTransientConflictFailed"},
		{"lone bound below", anyFailure, podOf(exited("c", 250, 0)), 303, "High"},
		{"lone bound above", anyFailure, podOf(exited("c", -1073741510, 0)), 302, "Low"},
		{"signal", anyFailure, podOf(Container{Name: "c", Terminated: true, Code: 139, Signal: 11}), 301, "Seg"},
		{"pod reason", anyFailure, Pod{Reason: "Evicted", Containers: []Container{exited("c", 137, 0)}}, -1000, "Evicted"},
		{"pod reason is case-sensitive unless told otherwise", anyFailure, Pod{Reason: "evicted"}, -300, "PodFailedWithoutFailedContainer"},
		{"file order decides", anyFailure, Pod{Reason: "Evicted", Containers: []Container{exited("c", 1, 0)}}, 300, "One"},
		{"unmatched negative code that looks like the controller's", ``, podOf(exited("c", -101, 0)), -10101, PhraseContainerUnrecognizedFailed},
		{"unmatched negative code that looks like the default configuration's", ``, podOf(exited("c", -1000, 0)), -11000, PhraseContainerUnrecognizedFailed},
		{"unmatched code of Windows stays itself", ``, podOf(exited("c", -1073741510, 0)), -1073741510, PhraseContainerUnrecognizedFailed},
		{
			"second pattern of a rule", `[{code: 300, phrase: P, podPatterns: [{nameRegex: nope}, {nameRegex: worker}]}]`,
			podOf(), 300, "P",
		},
		{
			"each container pattern needs a container",
			`[{code: 300, phrase: P, podPatterns: [{containers: [{nameRegex: a}, {nameRegex: z}]}]}]`,
			podOf(exited("a", 1, 0), exited("b", 2, 0)), 1, PhraseContainerUnrecognizedFailed,
		},
		{
			"one container satisfies two patterns",
			`[{code: 300, phrase: P, podPatterns: [{containers: [{nameRegex: a}, {codeRange: {min: 1}}]}]}]`,
			podOf(exited("a", 1, 0)), 300, "P",
		},
		{
			"all fields of a pattern have to match",
			`[{code: 300, phrase: P, podPatterns: [{nameRegex: worker, reasonRegex: x}]}]`,
			podOf(exited("a", 1, 0)), 1, PhraseContainerUnrecognizedFailed,
		},
		{"empty pattern matches every failed Pod", `[{code: 300, phrase: P, podPatterns: [{}]}]`, podOf(), 300, "P"},
		{
			"empty container pattern needs some container",
			`[{code: 300, phrase: P, podPatterns: [{containers: [{}]}]}]`, podOf(), -300, "PodFailedWithoutFailedContainer",
		},
		{
			"range without bounds is as good as none",
			`[{code: 300, phrase: P, podPatterns: [{containers: [{codeRange: {}, signalRange: {}}]}]}]`,
			podOf(running("c")), 300, "P",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := rulesFrom(t, tt.rules).Classify(tt.pod)
			if got.Code != tt.code || got.Phrase != tt.phrase || got.Type.Name != v1.CompletionFailed {
				t.Errorf("got %d %s %s, want %d %s", got.Code, got.Phrase, got.Type.Name, tt.code, tt.phrase)
			}
		})
	}
}

// A rule for all failures matches each exit code but 0, including the ones that only Windows has.
func TestCodeRangeWithoutEndHasAllFailures(t *testing.T) {
	foldAll := rulesFrom(t, `[{code: 255, phrase: All, podPatterns: [{containers: [{codeRange: {min: 1}}]}]}]`)
	for _, exit := range []int32{1, 137, 205, math.MaxInt32, -1, -101, -1999, -1073741510, math.MinInt32} {
		if got := foldAll.Classify(podOf(exited("c", exit, 0))); got.Code != 255 {
			t.Errorf("exit code %d: got %d %s", exit, got.Code, got.Phrase)
		}
	}
}

func TestCodeRange(t *testing.T) {
	tests := []struct {
		bounds  string
		in, out []int32
	}{
		{`{min: 1}`, []int32{1, math.MaxInt32, -1, math.MinInt32}, nil},
		{`{min: 220}`, []int32{220, -1}, []int32{219, 1}},
		{`{min: 1, max: 255}`, []int32{1, 255}, []int32{256, -1, math.MinInt32}},
		{`{max: -1}`, []int32{-1, math.MinInt32}, []int32{1, 255}},
		{`{max: 255}`, []int32{-1, 255}, []int32{256}},
		{`{min: -5}`, []int32{-5, 1}, []int32{-6, math.MinInt32}},
		{`{min: -5, max: -2}`, []int32{-5, -2}, []int32{-1, -6, 3}},
	}
	for _, tt := range tests {
		rules := rulesFrom(t, "[{code: 300, podPatterns: [{containers: [{codeRange: "+tt.bounds+"}]}]}]")
		for _, exit := range slices.Concat(tt.in, tt.out) {
			got := rules.Classify(podOf(exited("c", exit, 0))).Code == 300
			if want := slices.Contains(tt.in, exit); got != want {
				t.Errorf("%s, exit code %d: match is %v", tt.bounds, exit, got)
			}
		}
	}
}

// Sidecars take part in patterns and in the fallback only if no other container failed.
func TestSidecars(t *testing.T) {
	const sigterm = `[{code: 143, phrase: Sig, podPatterns: [{containers: [{codeRange: {min: 143, max: 143}}]}]}]`
	const byName = `[{code: 300, phrase: Proxy, podPatterns: [{containers: [{nameRegex: proxy}]}]}]`
	tests := []struct {
		name  string
		rules string
		pod   Pod
		code  Code
	}{
		{"app failed, the stopped sidecar says nothing", sigterm, podOf(sidecar(exited("proxy", 143, 9)), exited("c", 1, 0)), 1},
		{"app failed, sidecar cannot give 200", ``, podOf(sidecar(exited("proxy", 200, 9)), exited("c", 1, 0)), 1},
		{"app failed, sidecar does not match by name", byName, podOf(sidecar(running("proxy")), exited("c", 1, 0)), 1},
		{"init failed, sidecar says nothing", sigterm, podOf(sidecar(exited("proxy", 143, 9)), initContainer(exited("i", 2, 0)), running("c")), 2},
		{"only the sidecar failed, pattern", sigterm, podOf(sidecar(exited("proxy", 143, 0)), exited("c", 0, 9)), 143},
		{"only the sidecar failed, fallback", ``, podOf(sidecar(exited("proxy", 3, 0)), exited("c", 0, 9)), 3},
		{"plain init containers always count", ``, podOf(initContainer(exited("i", 3, 9)), exited("c", 1, 0)), 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := rulesFrom(t, tt.rules).Classify(tt.pod); got.Code != tt.code {
				t.Errorf("got %d %s, want %d", got.Code, got.Diagnostics, tt.code)
			}
		})
	}
}

// A signal that stopped a container is no cause if another container had failed by itself.
func TestIgnoreAfterOtherFailure(t *testing.T) {
	const signals = `
- {code: 400, phrase: Memory, podPatterns: [{containers: [{reasonRegex: '^OOMKilled$'}]}]}
- {code: 137, phrase: Kill, podPatterns: [{containers: [{codeRange: {min: 137, max: 137}, ignoreAfterOtherFailure: true}]}]}
- {code: 143, phrase: Term, podPatterns: [{containers: [{codeRange: {min: 143, max: 143}, ignoreAfterOtherFailure: true}]}]}
- {code: 301, phrase: Proxy, podPatterns: [{containers: [{nameRegex: proxy, codeRange: {min: 1}}]}]}`
	killed := func(name, reason string, sec int64) Container {
		c := exited(name, 137, sec)
		c.Reason = reason
		return c
	}
	tests := []struct {
		name string
		pod  Pod
		code Code
	}{
		{"a proxy is stopped after the program failed", podOf(exited("main", 1, 4), exited("proxy", 143, 9)), 1},
		{"in the same second", podOf(exited("main", 1, 4), exited("proxy", 143, 4)), 1},
		{"and killed", podOf(exited("main", 1, 4), exited("proxy", 137, 9)), 1},
		{"an init container failed", podOf(initContainer(exited("i", 3, 4)), exited("proxy", 143, 9)), 3},
		{"it ended before the program failed", podOf(exited("main", 1, 9), exited("proxy", 143, 4)), 143},
		{"the program succeeded", podOf(exited("main", 0, 4), exited("proxy", 143, 9)), 143},
		{"the program runs on", podOf(running("main"), exited("proxy", 143, 9)), 143},
		{"the program alone is killed", podOf(exited("main", 137, 4)), 137},
		{"all are stopped", podOf(exited("main", 143, 4), exited("proxy", 137, 9)), 137},
		{"two are stopped after the program failed", podOf(exited("main", 1, 4), exited("proxy", 143, 5), exited("logs", 137, 9)), 1},
		{"one before and one after", podOf(exited("logs", 137, 3), exited("main", 1, 4), exited("proxy", 143, 5)), 137},
		{"a rule before it has the last word", podOf(exited("main", 1, 4), killed("proxy", "OOMKilled", 9)), 400},
		{"a rule after it does not see the stopped container", podOf(exited("main", 1, 4), exited("proxy", 143, 9)), 1},
		{"a rule after it sees any other", podOf(exited("main", 1, 4), exited("proxy", 7, 9)), 301},
		{"200 of any container comes first", podOf(exited("main", 1, 4), exited("proxy", 200, 9)), 200},
		{"a failure that the rules know", podOf(exited("proxy", 2, 4), exited("main", 143, 9)), 301},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rules := rulesFrom(t, signals)
			if got := rules.Classify(tt.pod); got.Code != tt.code {
				t.Errorf("got %d %s, want %d", got.Code, got.Diagnostics, tt.code)
			}
		})
	}
}

// Without the key the pattern has its previous meaning.
func TestSignalsOfRulesWithoutTheKey(t *testing.T) {
	rules := rulesFrom(t, `[{code: 143, podPatterns: [{containers: [{codeRange: {min: 143, max: 143}}]}]}]`)
	p := podOf(exited("main", 1, 4), exited("proxy", 143, 9))
	if got := rules.Classify(p); got.Code != 143 {
		t.Errorf("got %d", got.Code)
	}
	if len(p.Containers) != 2 {
		t.Errorf("the Pod was changed: %+v", p)
	}
}

func TestNilAndZeroRulesHoldThePredefinedOnes(t *testing.T) {
	for name, rules := range map[string]*Rules{"nil": nil, "zero": {}} {
		if got := rules.Classify(podOf(exited("c", 201, 0))); !IsPredefined(got, CodeContainerTransientConflictFailed) {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

func TestClassifyNeverSharesItsAttributes(t *testing.T) {
	rules := rulesFrom(t, `[{code: 300, type: {attributes: [Transient]}, podPatterns: [{}]}]`)
	for _, p := range []Pod{podOf(exited("c", 200, 0)), podOf()} {
		rules.Classify(p).Type.Attributes[0] = "Changed"
		if got := rules.Classify(p); got.Type.Attributes[0] != v1.AttributeTransient {
			t.Errorf("%d: a caller changed the rule: %v", got.Code, got.Type.Attributes)
		}
	}
}

func BenchmarkClassify(b *testing.B) {
	p := podOf(Container{Name: "c", Terminated: true, Code: 1, Reason: "Error", Message: string(make([]byte, 4096))})
	var rules *Rules
	for b.Loop() {
		rules.Classify(p)
	}
}

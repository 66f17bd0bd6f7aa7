package podpattern

import (
	"crypto/sha256"
	"fmt"
	"regexp/syntax"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
)

// ruleWith is a rule whose patterns have these regular expressions for messages.
func ruleWith(exprs ...string) map[string]any {
	var patterns []any
	for _, e := range exprs {
		patterns = append(patterns, map[string]any{"containers": []any{map[string]any{"messageRegex": e}}})
	}
	return map[string]any{"podFailureSpec": []any{map[string]any{"code": 300, "phrase": "P", "podPatterns": patterns}}}
}

func many(n int, expr string) []string { return slices.Repeat([]string{expr}, n) }

// Rules of a Framework that are too large are refused before they are compiled, and the configuration's rules judge its Pods. The verdict
// names the rule, its size, and the limit.
func TestLargeRulesOfTheFramework(t *testing.T) {
	const ignored = "exit code; the parameters of the Framework were ignored: podFailureSpec[0].podPatterns"
	for name, test := range map[string]struct {
		exprs []string
		want  string
	}{
		"a repetition": {[]string{"(" + strings.Repeat("ab", 1600) + "){1000}"},
			ignored + `[0].containers[0].messageRegex: "(abababababababababababa"... needs 3202003 instructions, 3202003 with those before it, but at most 5000 are allowed`},
		"one in another": {[]string{"((a{10}){10}){10}b*", "((a{0,10}){10,}){5}", "(((a{10}){10}){9}){1}"}, "spec.plugins: podFailureSpec[0]"},
		"all together":   {many(9, "((a{10}){10}){10}"), ignored + `[3].containers[0].messageRegex: "((a{10}){10}){10}" needs`},
		"long":           {[]string{"x", strings.Repeat("x", maxPattern+1)}, ignored + `[1].containers[0].messageRegex: "xxxxxxxxxxxxxxxxxxxxxxxx"... has 4097 bytes, but at most 4096 are allowed`},
		"many":           {many(maxPatterns+1, "x"), ignored + "[500].containers[0].messageRegex: there are more than 500 regular expressions"},
		"classes":        {many(100, `\pL\PN`), ignored + `[`},
		"long enough":    {[]string{strings.Repeat("x", maxPattern), "a{200}", `[\pL\pN_-]{1,20}`, ""}, "spec.plugins: podFailureSpec[0]"},
		"not valid":      {[]string{"a{1001}"}, ignored + "[0].containers[0].messageRegex: error parsing regexp: invalid repeat count"},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := configured(t, nil)
			q := exited(7)
			q.Containers[0].Terminated.Message = strings.Repeat("a", 1000)
			q.Parameters = plugintest.Parameters(t, ruleWith(test.exprs...))
			before := allocated()
			v := judgeThrough(t, c, q)
			if !strings.HasPrefix(v.GetRule(), test.want) {
				t.Errorf("got %q, want %q", v.GetRule(), test.want)
			}
			if n := allocated() - before; n > 32<<20 {
				t.Errorf("it has taken %d MiB", n>>20)
			}
		})
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// The rules of the default configuration fit, though a Framework gives them all, three times.
func TestDefaultRulesAreSmall(t *testing.T) {
	var specs []completion.RuleSpec
	for range 3 {
		specs = append(specs, defaultSpecs(t)...)
	}
	if err := checkSizes(specs); err != nil {
		t.Error(err)
	}
}

// The memory for rules is limited, even if many Frameworks have rules of the maximum size.
func TestMemoryOfManyFrameworks(t *testing.T) {
	c, _ := configured(t, nil)
	before := held()
	for i := range 3 * memoSize {
		q := exited(7)
		q.Parameters = plugintest.Parameters(t, ruleWith(append(many(maxPatterns-2, "x"), fmt.Sprint("b{", i, "}"), "(?:x?){999}")...))
		if v := judgeThrough(t, c, q); strings.Contains(v.GetRule(), "ignored") {
			t.Fatal(v.GetRule())
		}
	}
	if n := held() - before; n > 64<<20 {
		t.Errorf("it keeps %d MiB", n>>20)
	} else {
		t.Logf("it keeps %d MiB", n>>20)
	}
	runtime.KeepAlive(c)
}

func held() int64 {
	runtime.GC()
	runtime.GC() // pools survive the first
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Rules that are slow to compile hold up no Framework with other rules.
func TestCompilingHoldsUpNobodyElse(t *testing.T) {
	m := &memo{}
	slow := plugintest.Parameters(t, ruleWith("x"))
	encoded, err := proto.MarshalOptions{Deterministic: true}.Marshal(slow)
	require.NoError(t, err)
	compiling, finish, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	entry := m.entry(sha256.Sum256(encoded))
	go entry.once.Do(func() {
		close(compiling)
		<-finish
		entry.rules = &ruleSet{}
	})
	<-compiling
	go func() {
		defer close(done)
		if rules, _ := m.rules(slow); rules != entry.rules {
			t.Error("it was compiled twice")
		}
	}()
	if _, err := m.rules(plugintest.Parameters(t, ruleWith("y"))); err != nil {
		t.Error(err)
	}
	close(finish)
	<-done
}

// FuzzInstructions: the estimate is never below the length of the program.
func FuzzInstructions(f *testing.F) {
	for _, seed := range []string{"", "a", "(a|b)*c+d?", "a{0}", "a{0,}", "a{1,}", "a{2,}", "a{0,3}", "a{2,5}?", "(a{3}){4}", "(?:){9}", "(?i)straße", "[^a-z]{3}",
		`\pL{2,}`, "(a*)*", "(a*)+", "((a?)*)*", "(?:a|){5}", "^{1000}", `\b{3,}`, "[[:^ascii:]]", "(|a)*", "(|a)+", "x|", "a||b", "(?s:.){2,4}", `[^\x00-\x{10FFFF}]{3}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, expr string) {
		if len(expr) > 200 {
			t.Skip()
		}
		re, err := syntax.Parse(expr, syntax.Perl)
		if err != nil {
			t.Skip()
		}
		estimate := instructions(re)
		if estimate > 1_000_000 {
			t.Skip()
		}
		program, err := syntax.Compile(re.Simplify())
		require.NoError(t, err)
		if estimate < len(program.Inst) {
			t.Fatalf("%q: estimate %d, but it has %d", expr, estimate, len(program.Inst))
		}
	})
}

// The time for a verdict on a Pod whose messages and rules are as large, and as slow, as may be.
func BenchmarkSlowestRules(b *testing.B) {
	p := New()
	q := &pluginpb.FailedPod{Uid: "u"}
	for i := range 4 {
		q.Containers = append(q.Containers, &pluginpb.Container{Name: fmt.Sprint(i), Terminated: &pluginpb.Terminated{ExitCode: 1, Message: strings.Repeat("x", 3<<10)}})
	}
	var t testing.T
	q.Parameters = plugintest.Parameters(&t, ruleWith("(?:x?){999}(?:x?){999}y", "(?:x?){490}y", "x"))
	for b.Loop() {
		if v, err := p.FailureClassifier.Classify(b.Context(), q); err != nil || v.GetRule() != "spec.plugins: podFailureSpec[0]" {
			b.Fatal(v, err)
		}
	}
}

package completion

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Random Pods get the code that docs/reference/failure-rules.md gives them: see documentedCode, which is written from there.
func TestIgnoreAfterOtherFailureIsAsDocumented(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	seen := map[string]int{}
	for range 500 {
		specs := randomRules(r)
		rules, err := Compile(specs)
		require.NoError(t, err)
		keyless, err := Compile(withoutKey(specs))
		require.NoError(t, err)
		for range 10 {
			p := randomPod(r)
			got, without := rules.Classify(p), keyless.Classify(p)
			if want, plain := documentedCode(specs, p), documentedCode(withoutKey(specs), p); got.Code != want || without.Code != plain {
				t.Fatalf("%s\nof %s: got %d %s, want %d; without the key %d, want %d",
					written(specs), shown(p), got.Code, got.Diagnostics, want, without.Code, plain)
			}
			if got.Code != without.Code {
				count(seen, specs, p, got.Code)
			}
		}
	}
	for _, kind := range []string{"no rule matched", "a later rule", "the same second", "a missing time", "an init container",
		"a sidecar left out", "a negative code"} {
		if seen[kind] < 20 {
			t.Errorf("the key decided only %d Pods of the kind %q", seen[kind], kind)
		}
	}
	t.Log(seen)
}

// documentedCode is the code of a failed Pod by the manual, without regard to speed.
func documentedCode(specs []RuleSpec, p Pod) Code {
	counting := countingContainers(p)
	for _, predefined := range []Code{200, 201, 210} {
		if slices.ContainsFunc(counting, func(c Container) bool { return c.Terminated && c.Code == predefined }) {
			return predefined
		}
	}
	all := counting
	for _, rule := range specs {
		if rule.Shadow {
			continue // decides nothing
		}
		counting = slices.DeleteFunc(slices.Clone(counting), func(c Container) bool { return isIgnored(rule, specs, c, all) })
		if slices.ContainsFunc(rule.PodPatterns, func(pattern *PodPatternSpec) bool { return fitsPod(pattern, p, counting) }) {
			return *rule.Code
		}
	}
	return codeOfLastFailure(counting)
}

// "A sidecar (an init container with restartPolicy: Always) counts only if no other container has failed."
func countingContainers(p Pod) []Container {
	others := slices.DeleteFunc(slices.Clone(p.Containers), func(c Container) bool { return c.Restartable })
	if slices.ContainsFunc(others, hasFailed) {
		return others
	}
	return p.Containers
}

func hasFailed(c Container) bool { return c.Terminated && c.Code != 0 }

// "A container that such a pattern describes is ignored if another container failed by itself before, or in the same second."
// Without a time, an end counts as the earliest.
func isIgnored(rule RuleSpec, specs []RuleSpec, c Container, all []Container) bool {
	return describesEnd(rule, c) && slices.ContainsFunc(all, func(other Container) bool {
		return failedByItself(specs, other) && !other.FinishedAt.After(c.FinishedAt)
	})
}

// "A container fails by itself if no pattern with this key describes its end."
func failedByItself(specs []RuleSpec, c Container) bool {
	return hasFailed(c) && !slices.ContainsFunc(specs, func(rule RuleSpec) bool { return !rule.Shadow && describesEnd(rule, c) })
}

// describesEnd reports whether a pattern of the rule with the key describes the end of the container.
func describesEnd(rule RuleSpec, c Container) bool {
	for _, pattern := range rule.PodPatterns {
		for _, of := range pattern.Containers {
			if of.IgnoreAfterOtherFailure && c.Terminated && fits(of, c) {
				return true
			}
		}
	}
	return false
}

// "All fields named in a pattern must match", and each entry of containers some container.
func fitsPod(pattern *PodPatternSpec, p Pod, counting []Container) bool {
	if !isFound(pattern.ReasonRegex, p.Reason) {
		return false
	}
	for _, of := range pattern.Containers {
		if !slices.ContainsFunc(counting, func(c Container) bool { return fits(of, c) }) {
			return false
		}
	}
	return true
}

func fits(of *ContainerPatternSpec, c Container) bool {
	return isFound(of.NameRegex, c.Name) &&
		(of.ReasonRegex == nil || c.Terminated && isFound(of.ReasonRegex, c.Reason)) &&
		(of.CodeRange == nil || c.Terminated && isIn(of.CodeRange, c.Code))
}

// "A field that is not named matches anything."
func isFound(expr *string, text string) bool {
	return expr == nil || regexp.MustCompile(*expr).MatchString(text)
}

// "A negative exit code is larger than each number that a bound can have": a range from above 0 without an end contains it.
func isIn(within *RangeSpec, code int32) bool {
	if within.Max == nil && *within.Min > 0 && code < 0 {
		return true
	}
	return (within.Min == nil || *within.Min <= code) && (within.Max == nil || code <= *within.Max)
}

// "If no rule matches, the code is the exit code of the container that failed last", the first in the list at the same time. From
// -1999 to -1, "10,000 is subtracted". "If no container failed, the code is -300."
func codeOfLastFailure(counting []Container) Code {
	code, latest, found := Code(-300), time.Time{}, false
	for _, c := range counting {
		if hasFailed(c) && (!found || c.FinishedAt.After(latest)) {
			code, latest, found = c.Code, c.FinishedAt, true
		}
	}
	if found && -1999 <= code && code <= -1 {
		return code - 10_000
	}
	return code
}

// randomRules returns rules whose codes are no exit codes. Some patterns have the key.
func randomRules(r *rand.Rand) (specs []RuleSpec) {
	for i := range 1 + r.IntN(4) {
		code := Code(3000 + i)
		s := RuleSpec{Code: &code, Phrase: fmt.Sprintf("P%d", i), Shadow: r.IntN(6) == 0}
		for range 1 + r.IntN(2) {
			s.PodPatterns = append(s.PodPatterns, randomPodPattern(r))
		}
		specs = append(specs, s)
	}
	return specs
}

func randomPodPattern(r *rand.Rand) *PodPatternSpec {
	p := &PodPatternSpec{}
	if r.IntN(4) == 0 {
		p.ReasonRegex = new("^Evicted$")
	}
	for range 1 + r.IntN(2) {
		p.Containers = append(p.Containers, randomContainerPattern(r))
	}
	return p
}

func randomContainerPattern(r *rand.Rand) *ContainerPatternSpec {
	c := &ContainerPatternSpec{IgnoreAfterOtherFailure: r.IntN(5) > 1}
	code := oneOf[int32](r, 1, 2, 130, 137, 137, 143, 143, 143, -101)
	switch r.IntN(8) {
	case 0:
		c.NameRegex = new(oneOf(r, "^c0$", "c[12]", "^c3$"))
	case 1:
		c.ReasonRegex = new("^OOMKilled$")
	case 2:
		c.CodeRange = &RangeSpec{Min: &code}
	case 3:
		c.CodeRange = &RangeSpec{Max: new(int32(-1))}
	case 4:
		c.NameRegex, c.CodeRange = new(oneOf(r, "c[01]", "c[12]")), &RangeSpec{Min: new(int32(128)), Max: new(int32(160))}
	default:
		c.CodeRange = &RangeSpec{Min: &code, Max: &code}
	}
	return c
}

// withoutKey copies the rules, and leaves the key out.
func withoutKey(specs []RuleSpec) []RuleSpec {
	specs = slices.Clone(specs)
	for i := range specs {
		specs[i].PodPatterns = slices.Clone(specs[i].PodPatterns)
		for j, pattern := range specs[i].PodPatterns {
			plain := *pattern
			plain.Containers = nil
			for _, c := range pattern.Containers {
				keyless := *c
				keyless.IgnoreAfterOtherFailure = false
				plain.Containers = append(plain.Containers, &keyless)
			}
			specs[i].PodPatterns[j] = &plain
		}
	}
	return specs
}

func randomPod(r *rand.Rand) Pod {
	p := Pod{Name: "f-worker-0", Reason: oneOf(r, "", "", "Evicted")}
	inits := r.IntN(3)
	for i := range 1 + r.IntN(4) {
		c := Container{Name: fmt.Sprintf("c%d", i), Init: i < inits}
		c.Restartable = c.Init && r.IntN(2) == 0
		if r.IntN(8) > 0 {
			c.Terminated, c.Code = true, oneOf[int32](r, 0, 1, 1, 2, 130, 137, 137, 143, 143, 143, -101, -1073741510)
			c.Reason = oneOf(r, "", "Error", "Error", "OOMKilled")
			c.FinishedAt = oneOf(r, time.Time{}, at(0), at(1), at(1), at(2))
		}
		if r.IntN(40) == 0 {
			c.Terminated, c.Code = true, oneOf[int32](r, 200, 201, 210)
		}
		p.Containers = append(p.Containers, c)
	}
	return p
}

func oneOf[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

// count notes what is special about a Pod whose code the key has changed.
func count(seen map[string]int, specs []RuleSpec, p Pod, code Code) {
	note := func(kind string, is bool) {
		if is {
			seen[kind]++
		}
	}
	any := func(is func(Container) bool) bool { return slices.ContainsFunc(p.Containers, is) }
	own := func(c Container) bool { return failedByItself(specs, c) }
	note("no rule matched", code < 3000)
	note("a later rule", code >= 3000)
	note("the same second", any(func(c Container) bool {
		return own(c) && any(func(other Container) bool {
			return hasFailed(other) && !own(other) && other.FinishedAt.Equal(c.FinishedAt)
		})
	}))
	note("a missing time", any(func(c Container) bool { return hasFailed(c) && c.FinishedAt.IsZero() }))
	note("an init container", any(func(c Container) bool { return c.Init && !c.Restartable && hasFailed(c) }))
	note("a sidecar left out", len(countingContainers(p)) < len(p.Containers))
	note("a negative code", code < 0)
}

func written(specs []RuleSpec) string {
	text := ""
	for _, s := range specs {
		text += compactJSON(s) + "\n"
	}
	return text
}

func shown(p Pod) string {
	text := p.Reason
	for _, c := range p.Containers {
		text += fmt.Sprintf(" [%s init=%t sidecar=%t ended=%t code=%d %s at %d]",
			c.Name, c.Init, c.Restartable, c.Terminated, c.Code, c.Reason, c.FinishedAt.Unix())
	}
	return text
}

package completion

import (
	"strings"
	"testing"
)

func TestCompileNamesTheKey(t *testing.T) {
	const pattern = "podPatterns: [{}]"
	tests := []struct{ name, spec, want string }{
		{"no code", `[{podPatterns: [{}]}]`, "podFailureSpec[0].code: is missing"},
		{"empty entry", "[{}]", "podFailureSpec[0].code: is missing"},
		{"reserved below", `[{code: -999, ` + pattern + `}]`, "podFailureSpec[0].code: -999 is reserved"},
		{"reserved zero", `[{code: 0, ` + pattern + `}]`, "podFailureSpec[0].code: 0 is reserved"},
		{"reserved above", `[{code: 219, ` + pattern + `}]`, "podFailureSpec[0].code: 219 is reserved"},
		{"used twice", `[{code: 5, ` + pattern + `}, {code: 5, ` + pattern + `}]`,
			"podFailureSpec[1].code: 5 is already the code of podFailureSpec[0].code"},
		{"used twice in shadow", `[{code: 5, ` + pattern + `}, {code: 5, shadow: true, ` + pattern + `}, {code: 5, shadow: true, ` + pattern + `}]`,
			"podFailureSpec[2].code: 5 is already the code of podFailureSpec[1].code"},
		{"reserved in shadow", `[{code: 210, shadow: true, ` + pattern + `}]`, "podFailureSpec[0].code: 210 is reserved"},
		{"succeeded", `[{code: 5, type: {name: Succeeded}, ` + pattern + `}]`, "podFailureSpec[0].type.name: must be Failed"},
		{"no pattern", `[{code: 5}]`, "podFailureSpec[0].podPatterns: needs at least one"},
		{"empty patterns", `[{code: 5, podPatterns: []}]`, "podFailureSpec[0].podPatterns: needs at least one"},
		{"null pattern", `[{code: 5, podPatterns: [{}, null]}]`, "podFailureSpec[0].podPatterns[1]: is empty"},
		{"null container pattern", `[{code: 5, podPatterns: [{containers: [null]}]}]`,
			"podFailureSpec[0].podPatterns[0].containers[0]: is empty"},
		{"pod regex", `[{code: 5, ` + pattern + `}, {code: 6, podPatterns: [{reasonRegex: 'a(b'}]}]`,
			"podFailureSpec[1].podPatterns[0].reasonRegex: error parsing regexp: missing closing ): `a(b`"},
		{"a container pattern that would ignore every container", `[{code: 5, podPatterns: [{containers: [{ignoreAfterOtherFailure: true}]}]}]`,
			"podFailureSpec[0].podPatterns[0].containers[0].ignoreAfterOtherFailure: matches every container"},
		{"long remedy", `[{code: 5, remedy: ` + strings.Repeat("é", 513) + `, ` + pattern + `}]`,
			"podFailureSpec[0].remedy: has 1026 bytes, but at most 1024 are allowed"},
		{"container regex", `[{code: 5, podPatterns: [{containers: [{}, {messageRegex: '(?!x)'}]}]}]`,
			"podFailureSpec[0].podPatterns[0].containers[1].messageRegex: error parsing regexp"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rules, err := Compile(specsFrom(t, tt.spec))
			if err == nil || rules != nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("\n got %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestCompileTellsAllMistakes(t *testing.T) {
	_, err := Compile(specsFrom(t, `[{podPatterns: [{nameRegex: '[', messageRegex: '*'}]}, {code: 1}]`))
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || len(joined.Unwrap()) != 4 {
		t.Errorf("want 4 mistakes, got %v", err)
	}
}

// The forms that existing configuration files use (clients.md P11), and odd ones that were never refused.
func TestCompileAccepts(t *testing.T) {
	tests := []struct{ name, spec string }{
		{"nothing", ``},
		{"null type", "- code: 300\n  phrase: P\n  type:\n  podPatterns:\n  -\n    reasonRegex: '^x$'\n"},
		{"no phrase", `[{code: 300, podPatterns: [{}]}]`},
		{"edges of the ranges", `[{code: -1000, podPatterns: [{}]}, {code: 199, podPatterns: [{}]}, {code: 220, podPatterns: [{}]}]`},
		{"range of one", `[{code: 5, podPatterns: [{containers: [{codeRange: {min: 5, max: 5}}]}]}]`},
		{"longest remedy", `[{code: 5, remedy: ` + strings.Repeat("é", 512) + `, podPatterns: [{}]}]`},
		{"unknown attribute", `[{code: 5, type: {attributes: [transient, Mine]}, podPatterns: [{}]}]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { rulesFrom(t, tt.spec) })
	}
}

func TestWarnings(t *testing.T) {
	got := Warnings(specsFrom(t, `[{code: 5, type: {attributes: [Transient, Permanent, Conflict]}}, {code: 6, type: {attributes: [transient]}}]`))
	if len(got) != 1 || !strings.HasPrefix(got[0], `podFailureSpec[1].type.attributes: "transient" means nothing`) {
		t.Errorf("got %q", got)
	}
}

// The original does not look at the order of a range (contract 9.1).
func TestRangeThatNeverMatches(t *testing.T) {
	spec := `[{code: 5, podPatterns: [{containers: [{codeRange: {min: 5, max: 5}}, {codeRange: {min: 5, max: 1}, signalRange: {min: 2}}]}]}]`
	rulesFrom(t, spec)
	want := "podFailureSpec[0].podPatterns[0].containers[1].codeRange: min 5 is above max 1, so it never matches"
	if got := Warnings(specsFrom(t, spec)); len(got) != 1 || got[0] != want {
		t.Errorf("got %q", got)
	}
}

package completion

import (
	"encoding/json"
	"strings"
	"testing"
)

// The traps of contract 15 that concern classification, under their numbers.

func TestTrap30PredefinedPatternsPrecedeTheConfiguration(t *testing.T) {
	rules := rulesFrom(t, `[{code: 300, phrase: Mine, podPatterns: [{containers: [{codeRange: {min: 200, max: 219}}]}]}]`)
	for _, code := range []Code{200, 201, 210} {
		if got := rules.Classify(podOf(exited("c", code, 0))); !IsPredefined(got, code) {
			t.Errorf("exit code %d: got %d %s", code, got.Code, got.Phrase)
		}
	}
	if got := rules.Classify(podOf(exited("c", 202, 0))); got.Code != 300 {
		t.Errorf("exit code 202 is not predefined, got %d", got.Code)
	}
}

func TestTrap31SearchedSubstringsOfNamedFields(t *testing.T) {
	p := Pod{Name: "f-worker-0", Reason: "Evicted", Message: "low on memory", Containers: []Container{
		{Name: "main", Terminated: true, Code: 139, Signal: 11, Reason: "Error", Message: "at 0x7f: fault"},
	}}
	tests := []struct{ name, pattern, want string }{
		{"unanchored, the substring only", `{messageRegex: 'on mem'}`, `{"message":"on mem"}`},
		{"nothing named", `{}`, `{}`},
		{"an explicitly empty name is named", `{nameRegex: ''}`, `{"name":""}`},
		{"an explicitly empty message is named but left out as empty", `{messageRegex: ''}`, `{}`},
		{"a null regex is absent", `{nameRegex: null}`, `{}`},
		{"a container pattern that names nothing adds nothing", `{containers: [{}]}`, `{}`},
		{"an explicitly empty regex makes an entry", `{containers: [{messageRegex: ''}]}`, `{"containers":[{}]}`},
		{"values of code and signal", `{containers: [{codeRange: {min: 1}, signalRange: {min: 1}}]}`,
			`{"containers":[{"signal":11,"code":139}]}`},
		{"all, in order", `{nameRegex: w.*r, reasonRegex: E, messageRegex: low, containers: [{nameRegex: m, reasonRegex: rr,
			messageRegex: 0x.., signalRange: {max: 11}, codeRange: {max: 200}}]}`,
			`{"name":"worker","reason":"E","message":"low","containers":[` +
				`{"name":"m","reason":"rr","message":"0x7f","signal":11,"code":139}]}`},
		{"one entry per container pattern", `{containers: [{nameRegex: main}, {reasonRegex: Error}]}`,
			`{"containers":[{"name":"main"},{"reason":"Error"}]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := rulesFrom(t, "[{code: 300, podPatterns: ["+tt.pattern+"]}]").Classify(p)
			if want := "Pod failed: PodPattern matched: " + tt.want; got.Diagnostics != want {
				t.Errorf("\n got %s\nwant %s", got.Diagnostics, want)
			}
		})
	}
}

func TestTrap31NamedCodeAndNameStayEvenIfZero(t *testing.T) {
	rules := rulesFrom(t, `[{code: 300, podPatterns: [{containers: [{nameRegex: 'x*', signalRange: {min: 0}, codeRange: {min: 0}}]}]}]`)
	got := rules.Classify(podOf(exited("c", 0, 0)))
	if want := `Pod failed: PodPattern matched: {"containers":[{"name":"","code":0}]}`; got.Diagnostics != want {
		t.Errorf("\n got %s\nwant %s", got.Diagnostics, want)
	}
}

func TestTrap32RunningContainerMatchesByNameOnly(t *testing.T) {
	tests := []struct {
		pattern string
		match   bool
	}{
		{`nameRegex: main`, true},
		{``, true},
		{`reasonRegex: ''`, false},
		{`messageRegex: '(?ms).*'`, false},
		{`signalRange: {max: 100}`, false},
		{`codeRange: {max: 300}`, false},
		{`nameRegex: main, codeRange: {min: 0}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.pattern, func(t *testing.T) {
			got := rulesFrom(t, "[{code: 300, podPatterns: [{containers: [{"+tt.pattern+"}]}]}]").Classify(podOf(running("main")))
			if (got.Code == 300) != tt.match {
				t.Errorf("got %d", got.Code)
			}
		})
	}
}

func TestTrap33FallbackIsTheLastToFail(t *testing.T) {
	tests := []struct {
		name string
		pod  Pod
		code Code
	}{
		{"strictly later wins", podOf(exited("a", 1, 5), exited("b", 2, 6), exited("c", 3, 4)), 2},
		{"a tie goes to the first in the list", podOf(exited("a", 1, 5), exited("b", 2, 5)), 1},
		{"init containers come first on ties", podOf(initContainer(exited("i", 9, 5)), exited("c", 1, 5)), 9},
		{"success does not count", podOf(exited("a", 1, 5), exited("b", 0, 9)), 1},
		{"what still runs does not count", podOf(exited("a", 1, 5), running("b")), 1},
		{"no finishing time at all", podOf(Container{Name: "a", Terminated: true, Code: 137}, Container{Name: "b", Terminated: true, Code: 1}), 137},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var rules *Rules
			if got := rules.Classify(tt.pod); got.Code != tt.code {
				t.Errorf("got %d, want %d", got.Code, tt.code)
			}
		})
	}
}

func TestTrap34AttributesEmptyOrNull(t *testing.T) {
	rules := rulesFrom(t, `
- {code: 300, podPatterns: [{reasonRegex: absent}]}
- {code: 301, type: , podPatterns: [{reasonRegex: nulltype}]}
- {code: 302, type: {name: Failed, attributes: }, podPatterns: [{reasonRegex: nulllist}]}
- {code: 303, type: {attributes: []}, podPatterns: [{reasonRegex: empty}]}
- {code: 304, type: {attributes: [Transient, Conflict]}, podPatterns: [{reasonRegex: two}]}`)
	tests := []struct {
		pod  Pod
		want string
	}{
		{Pod{Reason: "absent"}, `null`},
		{Pod{Reason: "nulltype"}, `null`},
		{Pod{Reason: "nulllist"}, `null`},
		{Pod{Reason: "empty"}, `[]`},
		{Pod{Reason: "two"}, `["Transient","Conflict"]`},
		{Pod{}, `[]`},
		{podOf(exited("c", 5, 0)), `[]`},
		{podOf(exited("c", 200, 0)), `["Transient"]`},
	}
	for _, tt := range tests {
		got, err := json.Marshal(rules.Classify(tt.pod).Type)
		if want := `{"name":"Failed","attributes":` + tt.want + `}`; err != nil || string(got) != want {
			t.Errorf("%q: got %s, want %s", tt.pod.Reason, got, want)
		}
	}
	for _, e := range Table() {
		if got := Predefined(e.Code, "").Type.Attributes; got == nil {
			t.Errorf("%d: predefined attributes are null", e.Code)
		}
	}
}

func TestTrap35QuotaIsTransientThoughForbidden(t *testing.T) {
	quota := CreationError{Reason: "Forbidden", Status: 403, Message: `pods "f-worker-0" is forbidden: exceeded quota: q`}
	if got := ClassifyCreationError(quota); got != CodePodCreationTransientError {
		t.Errorf("got %d", got)
	}
	quota.Message = strings.ToUpper(quota.Message)
	if got := ClassifyCreationError(quota); got != CodePodCreationUnknownError {
		t.Errorf("the text is case-sensitive, got %d", got)
	}
}

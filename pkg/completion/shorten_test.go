package completion

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Whatever the limit, the part of the diagnostics that clients parse stays JSON on one line.
func TestShortenKeepsDiagnosticsParseable(t *testing.T) {
	pod := Pod{Name: "f-r-0", Reason: "Evicted", Message: strings.Repeat("ü", 300), Containers: []Container{
		{Name: "main", Terminated: true, Code: 1, Reason: "Error", Message: strings.Repeat("line\n<&>\"", 400)},
	}}
	rules, err := Compile([]RuleSpec{{Code: new(int32(-1000)), PodPatterns: []*PodPatternSpec{{MessageRegex: new("(?ms).*"), ReasonRegex: new("Evicted")}}}})
	require.NoError(t, err)
	for _, r := range []*Rules{nil, rules} {
		full := r.Classify(pod).Diagnostics
		for _, most := range []int{0, 1, 7, 100, 10000} {
			short := ShortenDiagnostics(full, most)
			_, text, found := strings.Cut(short, "matched: ")
			if !found || !json.Valid([]byte(text)) || strings.Contains(short, "\n") {
				t.Errorf("at most %d: %s", most, short)
			}
			if most == 10000 && short != full {
				t.Errorf("changed although it fits: %s", short)
			}
			if limit := 200 + 2*6*most; len(short) > limit {
				t.Errorf("at most %d: %d bytes are left, want up to %d", most, len(short), limit)
			}
		}
	}
}

// The API server's own message about a refused Pod is usually JSON too.
func TestShortenRefusal(t *testing.T) {
	answer := jsonText(t, metav1.Status{
		Status: metav1.StatusFailure, Reason: metav1.StatusReasonInvalid, Code: 422, Message: strings.Repeat("<ü>", 500),
		Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Message: strings.Repeat("x", 2000), Field: "spec"}}},
	})
	full := RefusedDiagnostics(answer)
	for _, most := range []int{0, 100, 10000} {
		var got metav1.Status
		text, found := strings.CutPrefix(ShortenDiagnostics(full, most), refusedPrefix)
		if err := json.Unmarshal([]byte(text), &got); err != nil || !found || len(got.Message) > most || got.Reason != metav1.StatusReasonInvalid {
			t.Errorf("at most %d: %s (%v)", most, text, err)
		}
		if most == 10000 && text != answer {
			t.Errorf("changed although it fits: %s", text)
		}
	}
	if got := ShortenDiagnostics(RefusedDiagnostics("no words in JSON"), 8); got != refusedPrefix+"no words" {
		t.Errorf("plain text became %q", got)
	}
}

func jsonText(t *testing.T, o any) string {
	t.Helper()
	text, err := json.Marshal(o)
	require.NoError(t, err)
	return string(text)
}

func TestShortenPlainText(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want string
	}{
		{"Pod succeeded", 100, "Pod succeeded"},
		{"Pod succeeded", 3, "Pod"},
		{"aü", 2, "a"},
		{"", 0, ""},
		{"Pod failed: PodPattern matched: not json", 4, "Pod failed: PodPattern matched: {}"},
	} {
		if got := ShortenDiagnostics(c.text, c.most); got != c.want {
			t.Errorf("%q at most %d: got %q, want %q", c.text, c.most, got, c.want)
		}
	}
}

// A cut text is valid UTF-8 and within the limit, whatever the original was.
func TestCut(t *testing.T) {
	for text, want := range map[string]string{
		"":              "",
		"abcd":          "abcd",
		"abcde":         "abcd",
		"abc\u00e9":     "abc",
		"\u20ac\u20ac":  "\u20ac",
		"\u20ac":        "\u20ac",
		"a\u00e9\u00e9": "a\u00e9",
		"a\xffbcd":      "abc",
		"a\xffb":        "a\xffb",
	} {
		if got := Cut(text, 4); got != want {
			t.Errorf("Cut(%q, 4) is %q, want %q", text, got, want)
		}
	}
}

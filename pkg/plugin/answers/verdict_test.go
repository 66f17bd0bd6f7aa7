package answers

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// want is part of the message, and empty if there is no mistake.
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
		{plugin.Verdict(200, "Mine", "Transient"), "code 200 must have the phrase ContainerTransientFailed"},
		{plugin.Verdict(210, "ContainerPermanentFailed"), "the attributes [Permanent]"},
		{plugin.Verdict(202, "A"), "code 202 is reserved"},
		{plugin.Verdict(-1, "A"), "code -1 is reserved"},
		{plugin.Verdict(-210, "StopFrameworkRequested", "Permanent"), "reserved"},
		{plugin.Verdict(-999, "A"), "reserved"},
		{plugin.Verdict(1, ""), "must have a phrase"},
		{plugin.Verdict(1, strings.Repeat("a", 257)), "at most 256"},
		{plugin.Verdict(1, "A\nB"), "unprintable characters"},
		{plugin.Verdict(1, "A", "transient"), `has the unknown attribute "transient"; known are [Transient Permanent Conflict]`},
		{plugin.Verdict(1, "A", "Transient", "Transient"), "twice"},
		{plugin.Verdict(1, "A", "Transient", "Permanent"), "both"},
		{advising(func(v *pluginpb.Verdict) {
			v.Restart, v.DelaySeconds = pluginpb.RestartScope_RESTART_SCOPE_ROLE, new(int32(0))
		}), ""},
		{advising(func(v *pluginpb.Verdict) { v.DelaySeconds = new(int32(86400)) }), ""},
		{advising(func(v *pluginpb.Verdict) { v.GiveUpAttempt = true }), ""},
		{advising(func(v *pluginpb.Verdict) { v.ResourceFactor = 4 }), ""},
		{advising(func(v *pluginpb.Verdict) { v.ResourceFactor = 1 }), "resource_factor is 1, and must be above 1 and at most 4"},
		{advising(func(v *pluginpb.Verdict) { v.ResourceFactor = 4.5 }), "resource_factor is 4.5"},
		{advising(func(v *pluginpb.Verdict) { v.ResourceFactor = -2 }), "resource_factor is -2"},
		{advising(func(v *pluginpb.Verdict) { v.ResourceFactor = math.NaN() }), "resource_factor is NaN"},
		{advising(func(v *pluginpb.Verdict) { v.Restart = 4 }), "restart is 4, which is not a known scope"},
		{advising(func(v *pluginpb.Verdict) { v.Restart = -1 }), "restart is -1, which is not a known scope"},
		{advising(func(v *pluginpb.Verdict) { v.DelaySeconds = new(int32(-1)) }), "delay_seconds is -1, and must be from 0 to 86400"},
		{advising(func(v *pluginpb.Verdict) { v.DelaySeconds = new(int32(86401)) }), "delay_seconds is 86401"},
		{advising(func(v *pluginpb.Verdict) { v.GiveUpAttempt, v.DelaySeconds = true, new(int32(0)) }), "leave them out"},
		{advising(func(v *pluginpb.Verdict) {
			v.GiveUpAttempt, v.Restart = true, pluginpb.RestartScope_RESTART_SCOPE_TASK
		}), "leave them out"},
		{&pluginpb.Verdict{GiveUpAttempt: true}, ""}, // no opinion, and so no advice
		{&pluginpb.Verdict{Code: 1, Phrase: "A"}, `must be Failed, but is ""`},
		{&pluginpb.Verdict{Code: 1, Phrase: "A", Type: &pluginpb.CompletionType{Name: "Succeeded"}}, "must be Failed"},
	}
	for _, tt := range tests {
		t.Run(tt.verdict.String(), func(t *testing.T) { _, err := CheckVerdict(tt.verdict); wantProblem(t, err, tt.want) })
	}
}

// Each predefined code is either refused, or accepted only with its own phrase and type.
func TestPredefinedCodes(t *testing.T) {
	for _, e := range completion.Table() {
		var attributes []string
		for _, a := range e.Attributes {
			attributes = append(attributes, string(a))
		}
		if e.Code == 0 {
			continue
		}
		_, own := CheckVerdict(plugin.Verdict(e.Code, e.Phrase, attributes...))
		_, other := CheckVerdict(plugin.Verdict(e.Code, "Other", attributes...))
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
	usable, wrong, err := CheckVerdicts(pods, answer)
	if len(usable) != 1 || usable["a"].GetCode() != 1 || len(wrong) != 2 {
		t.Errorf("%v, %v", usable, wrong)
	}
	wantProblem(t, err, `UID "b": there is more than one`)
	wantProblem(t, wrong["c"], "code -5 is reserved")
}

// A mistake in avoid_node invalidates that verdict only.
func TestAvoidedNodesInVerdicts(t *testing.T) {
	for want, a := range map[string]*pluginpb.AvoidNode{
		"":                                      {Mode: pluginpb.AvoidNode_REQUIRE, Seconds: 604800},
		"seconds must be 1 to 604800, but is 0": {},
		"seconds must be 1 to 604800, but is -2147483648":  {Seconds: math.MinInt32},
		"seconds must be 1 to 604800, but is 604801":       {Seconds: 604801},
		"mode must be 0 (PREFER) or 1 (REQUIRE), but is 7": {Mode: 7, Seconds: 1},
	} {
		v := plugin.Verdict(1, "A")
		v.AvoidNode = a
		_, err := CheckVerdict(v)
		wantProblem(t, err, want)
	}
	v := plugin.Verdict(1, "A")
	v.AvoidNode = &pluginpb.AvoidNode{Seconds: 1, Reason: strings.Repeat("ä", 5<<20)} // 10 MB
	got, err := CheckVerdict(v)
	if err != nil || len(got.GetAvoidNode().GetReason()) != maxAvoidedReason || !utf8.ValidString(got.GetAvoidNode().GetReason()) {
		t.Errorf("%d bytes: %v", len(got.GetAvoidNode().GetReason()), err)
	}
}

func TestLongTextsAreCut(t *testing.T) {
	long := strings.Repeat("ä", 5000)
	v := plugin.Verdict(1, "A")
	v.Diagnostics, v.Rule, v.Remedy = long, "a"+long, "a"+long
	got, err := CheckVerdict(v)
	if err != nil || len(got.Diagnostics) != maxMessage || len(got.Rule) != maxRule-1 || !utf8.ValidString(got.Rule) {
		t.Errorf("%d, %d, %v", len(got.GetDiagnostics()), len(got.GetRule()), err)
	}
	if len(got.GetRemedy()) != completion.MaxRemedy-1 || !utf8.ValidString(got.GetRemedy()) {
		t.Errorf("the remedy has %d bytes", len(got.GetRemedy()))
	}
	if v.Diagnostics != long {
		t.Error("the answer itself was changed")
	}
}

// advising returns a verdict with advice about the retry.
func advising(say func(*pluginpb.Verdict)) *pluginpb.Verdict {
	v := plugin.Verdict(42, "A")
	say(v)
	return v
}

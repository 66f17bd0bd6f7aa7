package completion

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

func TestPredefinedTable(t *testing.T) {
	tests := []struct {
		code       Code
		phrase     string
		attributes string
	}{
		{200, "ContainerTransientFailed", "Transient"},
		{201, "ContainerTransientConflictFailed", "Transient Conflict"},
		{210, "ContainerPermanentFailed", "Permanent"},
		{0, "Succeeded", ""},
		{-100, "ConfigMapExternalDeleted", "Transient"},
		{-101, "PodExternalDeleted", "Transient"},
		{-110, "ConfigMapLocalCacheCreationTimeout", "Transient"},
		{-111, "PodLocalCacheCreationTimeout", "Transient"},
		{-120, "PodCreationTransientError", "Transient"},
		{-130, "PodUnschedulable", "Transient Conflict"},
		{-131, "PodImagePullFailed", ""},
		{-132, "PodContainerCreateFailed", ""},
		{-133, "PodStartTimeout", "Transient"},
		{-140, "DeadlineExceeded", "Permanent"},
		{-141, "TaskDeadlineExceeded", ""},
		{-200, "PodCreationPermanentError", "Permanent"},
		{-210, "StopFrameworkRequested", "Permanent"},
		{-220, "FrameworkAttemptCompletion", "Permanent"},
		{-230, "DeleteTaskRequested", "Permanent"},
		{-240, "RestartedWithPeers", "Transient"},
		{-241, "NodesAvoidedTooStrictly", "Transient"},
		{-250, "FrameworkSuspended", "Transient"},
		{-251, "EvictedByScheduler", "Transient"},
		{-300, "PodFailedWithoutFailedContainer", ""},
		{-310, "PodCreationUnknownError", ""},
	}
	if len(tests) != len(Table()) {
		t.Errorf("the table has %d codes, the contract %d", len(Table()), len(tests))
	}
	for _, tt := range tests {
		got := Predefined(tt.code, "why")
		if got.Code != tt.code || got.Phrase != tt.phrase || got.Diagnostics != "why" || words(got.Type.Attributes) != tt.attributes {
			t.Errorf("%d: got %+v", tt.code, got)
		}
		if succeeded := got.Type.Name == v1.CompletionSucceeded; succeeded != (tt.code == 0) {
			t.Errorf("%d: type %s", tt.code, got.Type.Name)
		}
		if !IsReserved(tt.code) {
			t.Errorf("%d is not reserved", tt.code)
		}
	}
}

func words(attributes []v1.CompletionTypeAttribute) string {
	var s []string
	for _, a := range attributes {
		s = append(s, string(a))
	}
	return strings.Join(s, " ")
}

// Each entry of the table is complete, and for a failure it names the remedy.
func TestTableHasWords(t *testing.T) {
	// A creation that may succeed later, or that others delay, is retried without a limit.
	passes := []Code{CodePodCreationTransientError, CodeConfigMapLocalCacheCreationTimeout, CodePodLocalCacheCreationTimeout}
	means, change := regexp.MustCompile(`^[A-Z].*\.$`), regexp.MustCompile(`^[a-z].*\.$`)
	for _, e := range Table() {
		if e.When == "" || !means.MatchString(e.Means) {
			t.Errorf("%d: when %q, means %q", e.Code, e.When, e.Means)
		}
		isFailure := e.Code != CodeSucceeded && !e.EndedByOthers && !slices.Contains(passes, e.Code)
		if isFailure != (e.Change != "") || isFailure && !change.MatchString(e.Change) {
			t.Errorf("%d: %q is to be changed", e.Code, e.Change)
		}
		if isFailure && len(e.Next) == 0 {
			t.Errorf("%d: there is no command to run next", e.Code)
		}
	}
}

func TestTableIsACopy(t *testing.T) {
	Table()[0].Attributes[0] = "Changed"
	Predefined(CodeContainerTransientFailed, "").Type.Attributes[0] = "Changed"
	if got := Predefined(CodeContainerTransientFailed, ""); got.Type.Attributes[0] != v1.AttributeTransient {
		t.Errorf("the table changed: %v", got.Type.Attributes)
	}
}

func TestIsPredefined(t *testing.T) {
	stopped := Predefined(CodeStopFrameworkRequested, "")
	raw := v1.CompletionStatus{Code: CodeStopFrameworkRequested, Phrase: PhraseContainerUnrecognizedFailed}
	tests := []struct {
		name  string
		s     v1.CompletionStatus
		codes []Code
		want  bool
	}{
		{"its code", stopped, []Code{CodeStopFrameworkRequested}, true},
		{"one of several", stopped, []Code{CodeDeleteTaskRequested, CodeStopFrameworkRequested}, true},
		{"another code", stopped, []Code{CodeDeleteTaskRequested}, false},
		{"no codes", stopped, nil, false},
		{"an exit code that looks alike", raw, []Code{CodeStopFrameworkRequested}, false},
		{"a code that is not predefined", v1.CompletionStatus{Code: 7}, []Code{7}, false},
	}
	for _, tt := range tests {
		if got := IsPredefined(tt.s, tt.codes...); got != tt.want {
			t.Errorf("%s: got %v", tt.name, got)
		}
	}
}

func TestIsReserved(t *testing.T) {
	reserved := []Code{-999, -500, -1, 0, 200, 205, 219}
	free := []Code{-1000, -2147483648, 1, 199, 220, 255, 2147483647}
	for _, c := range slices.Concat(reserved, free) {
		if got, want := IsReserved(c), slices.Contains(reserved, c); got != want {
			t.Errorf("%d: got %v", c, got)
		}
	}
}

func TestOfExit(t *testing.T) {
	for _, test := range []struct {
		exit int32
		want Code
	}{
		{1, 1}, {137, 137}, {205, 205}, {255, 255}, {math.MaxInt32, math.MaxInt32},
		{-1, -10001}, {-101, -10101}, {-1999, -11999}, {-2000, -2000}, {-1073741510, -1073741510}, {math.MinInt32, math.MinInt32},
	} {
		if got := OfExit(test.exit); got != test.want {
			t.Errorf("exit code %d: got %d, want %d", test.exit, got, test.want)
		}
	}
}

// No container produces a code of the controller, whatever its exit code, except the ones agreed with containers.
func TestNoExitCodeIsTakenForAPredefinedOne(t *testing.T) {
	var rules *Rules
	for exit := int32(-3000); exit <= 3000; exit++ {
		got := rules.Classify(podOf(exited("c", exit, 0), exited("d", 1, -1)))
		if got.Code < 0 && got.Code >= -1999 {
			t.Errorf("exit code %d: got %d %s", exit, got.Code, got.Phrase)
		}
	}
}

func TestPredefinedOfAnUnknownCodeIsAFailure(t *testing.T) {
	got := Predefined(-999, "")
	if got.Code != -999 || got.Phrase != "" || got.Type.Name != v1.CompletionFailed || got.Type.Attributes == nil {
		t.Errorf("got %+v", got)
	}
}

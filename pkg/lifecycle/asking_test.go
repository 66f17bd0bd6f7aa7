package lifecycle_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// failing returns a running Task whose Pod has failed with exit code 42; plugins are to be asked about it.
func failing(t *testing.T, tasks ...int32) (in lifecycle.Input, ref lifecycle.TaskRef) {
	t.Helper()
	spec := roles(tasks...)
	state, observed := running(t, spec)
	ref = lifecycle.TaskRef{Role: "r0"}
	pod := observed.Pods[ref].Pod
	pod.Phase = lifecycle.PodFailed
	pod.Outcome = completion.Pod{Name: "f-r0-0", Containers: []completion.Container{{Name: "main", Terminated: true, Code: 42}}}
	in = inputOf(state, spec)
	in.Observed = observed
	return in, ref
}

func TestFailedPodWaitsForItsVerdict(t *testing.T) {
	in, ref := failing(t, 2)
	in.Asking.Classification = true
	out := lifecycle.Step(in)
	uid := in.Observed.Pods[ref].Pod.UID
	if got := fmt.Sprint(out.Actions); out.State != in.Saved || got != fmt.Sprintf("[classify pod r0-0 uid=%s]", uid) {
		t.Fatalf("without a verdict: moves %v, asks for %s", out.Moves, got)
	}
	view := in.Observed.Pods[ref]
	view.Verdict = &lifecycle.Verdict{PodUID: "another", Status: v1.CompletionStatus{Code: 7}}
	in.Observed.Pods[ref] = view
	if out := lifecycle.Step(in); out.State != in.Saved {
		t.Errorf("a verdict on another Pod is taken: %v", out.Moves)
	}
	view.Verdict = &lifecycle.Verdict{PodUID: uid, Status: v1.CompletionStatus{
		Code: 1000, Phrase: "OutOfLuck", Type: v1.CompletionType{Name: v1.CompletionFailed},
		Source: &v1.CompletionSource{Plugin: "oracle", Version: "1"},
	}}
	in.Observed.Pods[ref] = view
	status := lifecycle.Step(in).State.Task(ref).AttemptStatus.CompletionStatus
	if status == nil || status.Code != 1000 || status.Source.Plugin != "oracle" || status.Pod.Containers[0].Code != 42 {
		t.Errorf("the verdict is not taken: %+v", status)
	}
}

// A Task whose end is decided otherwise no longer needs a verdict.
func TestNoVerdictOnADecidedTask(t *testing.T) {
	in, ref := failing(t, 2)
	in.Asking.Classification = true
	in.Framework.Spec.ExecutionType = v1.ExecutionStop
	out := lifecycle.Step(in)
	if code := out.State.Task(ref).AttemptStatus.CompletionStatus.Code; code != completion.CodeFrameworkAttemptCompletion {
		t.Errorf("the code is %d", code)
	}
	for _, a := range out.Actions {
		if _, asks := a.(lifecycle.ClassifyPod); asks {
			t.Errorf("it asks to %s", a)
		}
	}
}

// completedOne returns a Framework of two Tasks, one of which has failed permanently, before anybody has decided on the attempt.
func completedOne(t *testing.T) (in lifecycle.Input, question lifecycle.DecideCompletion) {
	t.Helper()
	in, ref := failing(t, 2)
	in.Asking.Completion = true
	in.Framework.Spec.TaskRoles[0].FrameworkAttemptCompletionPolicy.MinFailedTaskCount = 1
	for range 10 {
		out := lifecycle.Step(in)
		in.Saved = out.State
		if task := in.Saved.Task(ref); task.AttemptStatus.CompletionStatus != nil {
			view := in.Observed.Pods[ref]
			view.Gone = *task.AttemptStatus.PodUID
			in.Observed.Pods[ref] = view
		}
		for _, a := range out.Actions {
			if q, ok := a.(lifecycle.DecideCompletion); ok {
				if state := in.Saved.Task(ref).State; state != v1.Completed {
					t.Fatalf("asked while the Task is in %s", state)
				}
				return in, q
			}
		}
	}
	t.Fatal("nobody was asked")
	return in, question
}

func TestAttemptWaitsForADecision(t *testing.T) {
	in, question := completedOne(t)
	trigger := &lifecycle.TaskRef{Role: "r0"}
	source := v1.CompletionSource{Plugin: "judge", Version: "2", Rule: "first"}
	for _, test := range []struct {
		name     string
		decision *lifecycle.Decision
		want     string
	}{
		{"none", nil, "no end"},
		{"stale", &lifecycle.Decision{Digest: "before", Kind: lifecycle.DecideSucceeded}, "no end"},
		{"built-in", &lifecycle.Decision{Kind: lifecycle.DecideBuiltIn}, "code 42 by r0-0, source <nil>"},
		{"continue", &lifecycle.Decision{Kind: lifecycle.DecideContinue, Source: source}, "no end"},
		{"succeeded", &lifecycle.Decision{Kind: lifecycle.DecideSucceeded, Source: source}, "code 0, source &{judge 2 first}"},
		{"failed by a Task", &lifecycle.Decision{Kind: lifecycle.DecideFailed, Trigger: trigger, Source: source},
			"code 42 by r0-0, source &{judge 2 first}"},
		{"failed", &lifecycle.Decision{Kind: lifecycle.DecideFailed, Status: v1.CompletionStatus{Code: 1001}, Source: source},
			"code 1001, source &{judge 2 first}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := in
			if d := test.decision; d != nil {
				if d.Digest == "" {
					d.Digest = question.Digest
				}
				in.Observed.Decision = d
			}
			out := lifecycle.Step(in)
			if got := endOf(out.State); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			asks := slices.ContainsFunc(out.Actions, func(a lifecycle.Action) bool { return a == question })
			if answered := in.Observed.Decision != nil && in.Observed.Decision.Digest == question.Digest; asks == answered {
				t.Errorf("asks for %v", out.Actions)
			}
		})
	}
}

// A plugin's message about the attempt that it ends is stored verbatim. The remaining retries are stored beside it, only in
// fields that the original does not have.
func TestDecisionTellsOfEachStep(t *testing.T) {
	completed, question := completedOne(t)
	trigger := lifecycle.TaskRef{Role: "r0"}
	var told string // the event's text
	decide := func(message string, by *lifecycle.TaskRef, of func(*v1.FrameworkSpec)) *v1.FrameworkAttemptCompletionStatus {
		in := completed
		spec := in.Framework.Spec.DeepCopy()
		of(spec)
		in.Framework.Spec = spec
		in.Observed.Decision = &lifecycle.Decision{Digest: question.Digest, Kind: lifecycle.DecideFailed, Trigger: by, Message: message}
		if by == nil {
			in.Observed.Decision.Status = completion.Predefined(completion.CodePodUnschedulable, message)
		}
		out := lifecycle.Step(in)
		told = out.Events[slices.IndexFunc(out.Events, func(e lifecycle.Event) bool { return e.Reason == reason.AttemptCompleted })].Message
		return out.State.Framework().AttemptStatus.CompletionStatus
	}
	original := func(*v1.FrameworkSpec) {}
	retried := func(s *v1.FrameworkSpec) {
		s.RetryPolicy.MaxRetryCount, s.TaskRoles[0].RetryPolicy = 1, &v1.RoleRetryPolicySpec{}
	}
	changed := func(s *v1.FrameworkSpec) { retried(s); s.TaskRoles[0].Task.RetryPolicy.MaxRetryCount = 5 }
	decide("", &trigger, original)
	alone := told
	task := v1.RetryVerdict{Of: v1.RetryOfTask, Name: "r0-0", Row: "R7", MaxRetryCount: new(int32)}
	role := v1.RetryVerdict{Of: v1.RetryOfTaskRole, Name: "r0", MaxRetryCount: new(int32)}
	whole := v1.RetryVerdict{Of: v1.RetryOfFramework, RetryLeft: true, Row: "R6"}
	const usedUp = ". Task r0-0: no retry is left by maxRetryCount 0; role r0: no retry is left by maxRetryCount 0; Framework: has a retry left"
	for _, test := range []struct {
		message string
		want    []v1.RetryVerdict
		event   string
		of      func(*v1.FrameworkSpec)
	}{
		{"half of them are gone.", nil, "", original},
		{"half of them are gone.", []v1.RetryVerdict{task, role, whole}, usedUp, retried},
		{"", []v1.RetryVerdict{task, role, whole}, usedUp, retried},
		{"enough", []v1.RetryVerdict{whole}, ". Framework: has a retry left", changed}, // the retry used before was counted by another policy
	} {
		end := decide(test.message, &trigger, test.of)
		if end == nil || end.Trigger == nil || end.Trigger.Message != test.message || !reflect.DeepEqual(end.Retries, test.want) {
			t.Errorf("got %+v, want %+v", end, test.want)
		}
		if told != alone+test.event {
			t.Errorf("the event is\n%s, want\n%s", told, alone+test.event)
		}
	}
	if end := decide("enough", nil, original); end == nil || end.Trigger != nil || end.Diagnostics != "enough" || end.Retries != nil {
		t.Errorf("without a Task: got %+v", end)
	}
	if end := decide("enough", nil, retried); end == nil || end.Diagnostics != "enough" || !reflect.DeepEqual(end.Retries, []v1.RetryVerdict{whole}) {
		t.Errorf("without a Task: got %+v", end)
	}
	if !strings.HasSuffix(told, ": enough. Framework: has a retry left") {
		t.Errorf("without a Task, the event is %s", told)
	}
}

func endOf(s *lifecycle.State) string {
	end := s.Framework().AttemptStatus.CompletionStatus
	if end == nil {
		return "no end"
	}
	by := ""
	if end.Trigger != nil {
		by = fmt.Sprintf(" by %s-%d", end.Trigger.TaskRoleName, end.Trigger.TaskIndex)
	}
	return fmt.Sprintf("code %d%s, source %v", end.Code, by, end.Source)
}

// Hints are asked for, stored, prepared, and only then used; and again after a rescale.
func TestPodsWaitForHints(t *testing.T) {
	state, observed := idling(roles(0))
	spec := roles(2)
	in := inputOf(state, spec)
	in.Observed, in.Asking.Hints = observed, true
	step := func(want string) lifecycle.Output {
		t.Helper()
		out := lifecycle.Step(in)
		if got := fmt.Sprint(out.Actions); got != want {
			t.Fatalf("it asks for %s, want %s", got, want)
		}
		in.Saved = out.State
		return out
	}
	answer := func(scale string) *v1.SchedulerHints {
		return &v1.SchedulerHints{Plugin: "hived", Scale: scale, Answer: json.RawMessage(`{}`)}
	}
	step("[ask hints r0=2]")
	in.Observed.Hints.Answer = answer("r0=1")
	step("[ask hints r0=2]")
	in.Observed.Hints.Answer = answer("r0=2")
	if out := step("[]"); !out.Requeue || len(out.RequeueTasks) != 2 {
		t.Errorf("after the answer Requeue is %v, for %v", out.Requeue, out.RequeueTasks)
	}
	if h := in.Saved.Framework().AttemptStatus.SchedulerHints; h == nil || h.Plugin != "hived" {
		t.Fatalf("stored: %v", h)
	}
	step("[prepare hints r0=2]")
	in.Observed.Hints.Prepared = "r0=2"
	step("[create pod r0-0 attempt=0 create pod r0-1 attempt=0]")
	in.Framework.Spec, in.Framework.Generation = roles(3), in.Framework.Generation+1
	step("[ask hints r0=3]")
}

// A retried Task gets the hints of its attempt; they are not asked for again.
func TestRetriesKeepTheirHints(t *testing.T) {
	before, observed := running(t, retrying(2))
	status := before.Status()
	status.AttemptStatus.SchedulerHints = &v1.SchedulerHints{Plugin: "hived", Scale: "r0=2", Answer: json.RawMessage(`{}`)}
	state, err := lifecycle.Load(status)
	require.NoError(t, err)
	in := inputOf(state, retrying(2))
	in.Observed, in.Asking.Hints = observed, true
	in.Observed.Hints.Prepared = "r0=2"
	in.Observed.Pods[lifecycle.TaskRef{Role: "r0"}] = lifecycle.PodView{Gone: "r0-0"}
	if got := settled(&in); got != "[create pod r0-0 attempt=1]" {
		t.Errorf("it asks for %s", got)
	}
	if h := in.Saved.Framework().AttemptStatus.SchedulerHints; h == nil || h.Plugin != "hived" || h.Scale != "r0=2" {
		t.Errorf("stored: %v", h)
	}
}

// An attempt that had Pods before a plugin for hints was configured continues without hints, its retries and additional Tasks
// included.
func TestAttemptBeginsWithoutHints(t *testing.T) {
	first := lifecycle.TaskRef{Role: "r0"}
	for name, test := range map[string]struct {
		tasks, rescaled int32
		retried         bool
		want            string
	}{
		"one of two is retried": {2, 2, true, "[create pod r0-0 attempt=1]"},
		"the only one":          {1, 1, true, "[create pod r0-0 attempt=1]"},
		"scaled up":             {1, 2, false, "[create pod r0-1 attempt=0]"},
		"both":                  {1, 2, true, "[create pod r0-0 attempt=1 create pod r0-1 attempt=0]"},
	} {
		t.Run(name, func(t *testing.T) {
			state, observed := running(t, retrying(test.tasks))
			in := inputOf(state, retrying(test.rescaled))
			in.Observed, in.Asking.Hints = observed, true
			if test.retried {
				in.Observed.Pods[first] = lifecycle.PodView{Gone: "r0-0"}
			}
			if got := settled(&in); got != test.want {
				t.Errorf("it asks for %s, want %s", got, test.want)
			}
		})
	}
}

func retrying(tasks int32) *v1.FrameworkSpec {
	spec := roles(tasks)
	spec.TaskRoles[0].Task.RetryPolicy.MaxRetryCount = v1.RetryAlways
	return spec
}

// settled takes steps until nothing changes by itself, and returns the actions requested then.
func settled(in *lifecycle.Input) string {
	for {
		out := lifecycle.Step(*in)
		if out.State == in.Saved {
			return fmt.Sprint(out.Actions)
		}
		in.Saved = out.State
	}
}

// A Pod that was created just before the controller crashed, so that its UID is not stored, is a begin without hints, too.
func TestAttemptBeginsWithoutHintsAndACrash(t *testing.T) {
	state, observed := idling(roles(2))
	in := inputOf(state, roles(2))
	in.Observed, in.Asking.Hints = observed, true
	second := lifecycle.TaskRef{Role: "r0", Index: 1}
	in.Observed.Pods = map[lifecycle.TaskRef]lifecycle.PodView{second: {Pod: &lifecycle.Pod{
		UID: "p", Cached: true, ConfigMapUID: "cm", TaskUID: state.Task(second).InstanceUID, Phase: lifecycle.PodRunning,
	}}}
	if got, want := fmt.Sprint(lifecycle.Step(in).Actions), "[create pod r0-0 attempt=0]"; got != want {
		t.Errorf("it asks for %s, want %s", got, want)
	}
}

// A Task that is removed before it had a Pod is no begin: the others still wait for their hints.
func TestRescaledBeforeItHasHints(t *testing.T) {
	state, observed := idling(roles(1, 1))
	in := inputOf(state, roles(1, 1))
	in.Observed, in.Asking.Hints = observed, true
	if got, want := settled(&in), "[ask hints r0=1,r1=1]"; got != want {
		t.Fatalf("it asks for %s, want %s", got, want)
	}
	in.Observed.Pods = map[lifecycle.TaskRef]lifecycle.PodView{{Role: "r0"}: {Asked: true}}
	in.Framework.Spec = roles(0, 1)
	for range 5 {
		out := lifecycle.Step(in)
		if got, want := fmt.Sprint(out.Actions), "[ask hints r0=0,r1=1]"; got != want {
			t.Errorf("it asks for %s, want %s", got, want)
		}
		in.Saved = out.State
	}
}

package controller

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// onePolicy is a host with one completion policy, named "policy".
type onePolicy struct {
	consult.Host
	failurePolicy pluginhost.FailurePolicy
	decide        func(*pluginpb.DecideRequest) (*pluginpb.DecideResponse, error)
}

func (h onePolicy) Plugins(kind plugin.Kind) []string {
	if kind == plugin.KindCompletionPolicy {
		return []string{"policy"}
	}
	return nil
}

func (h onePolicy) Config(name string) (pluginhost.Config, bool) {
	return pluginhost.Config{Name: "policy", Kind: plugin.KindCompletionPolicy, FailurePolicy: h.failurePolicy}, name == "policy"
}

// FrameworkParameters allows any parameters in Frameworks.
func (h onePolicy) FrameworkParameters(context.Context, string) ([]string, error) { return nil, nil }

func (h onePolicy) Decide(_ context.Context, _ string, q *pluginpb.DecideRequest) (*pluginpb.DecideResponse, pluginhost.Source, error) {
	a, err := h.decide(q)
	return a, pluginhost.Source{Plugin: "policy"}, err
}

// choosing makes the Framework name the policy, and sets thresholds that would end the attempt at once.
func choosing(parameters string) func(*v1.FrameworkSpec) {
	return func(s *v1.FrameworkSpec) {
		s.TaskRoles[0].FrameworkAttemptCompletionPolicy.MinFailedTaskCount = 1
		s.Plugins = []v1.PluginUse{{Name: "policy", Parameters: []byte(parameters)}}
	}
}

// unlessRight refuses parameters that are not right, and otherwise ends the attempt.
func unlessRight(q *pluginpb.DecideRequest) (*pluginpb.DecideResponse, error) {
	if q.GetParameters().GetFields()["right"].GetBoolValue() {
		return &pluginpb.DecideResponse{Decision: pluginpb.DecideResponse_SUCCEEDED, Digest: q.GetDigest()}, nil
	}
	return &pluginpb.DecideResponse{Refusal: "parameter right: is missing"}, nil
}

// A policy that does not answer, or refuses, keeps the attempt running. This is reported once: not again with each completed
// Task, nor with each repeated question. Then its blocker is removed.
func TestPolicyThatIsWaitedFor(t *testing.T) {
	t.Parallel()
	silent := func(*pluginpb.DecideRequest) (*pluginpb.DecideResponse, error) {
		return nil, errors.New("it is broken")
	}
	tests := map[string]func(*pluginpb.DecideRequest) (*pluginpb.DecideResponse, error){
		"PluginRefused": unlessRight, "PluginUnavailable": silent,
	}
	for reason, decide := range tests {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			asked := make(chan struct{}, 1000)
			w.startWith(onePolicy{decide: func(q *pluginpb.DecideRequest) (*pluginpb.DecideResponse, error) {
				asked <- struct{}{}
				return decide(q)
			}})
			w.running("a", tasks(3), choosing(`{}`))
			for i := range 2 {
				w.EndPod(fmt.Sprintf("a-w-%d", i), 1) // the thresholds would end the attempt now
				w.taskReaches("a", "w", i, v1.Completed)
				w.conditionBecomes("a", v1.ConditionWaiting, "True because "+reason)
			}
			w.eventually("it is asked again and again", func() bool { return len(asked) > 3 })
			w.warnedOnce("a", reason)
			changes := 0
			for _, o := range w.History(apitest.Frameworks, "a") {
				if text := waitingIn(o); text == "False" {
					changes++
				}
			}
			if changes > 0 || w.state("a") != v1.AttemptRunning {
				t.Errorf("it waits no more in %d versions; the state is %s", changes, w.state("a"))
			}
			w.Edit(apitest.Frameworks, "a", func(o *unstructured.Unstructured) {
				plugins := []any{map[string]any{"name": "policy", "parameters": map[string]any{"right": true}}}
				if reason == "PluginUnavailable" {
					plugins = []any{map[string]any{"name": "policy", "disabled": true}}
				}
				_ = unstructured.SetNestedSlice(o.Object, plugins, "spec", "plugins")
				o.SetGeneration(o.GetGeneration() + 1)
			})
			w.reaches("a", v1.Completed)
			w.conditionBecomes("a", v1.ConditionWaiting, "False because NothingInTheWay")
		})
	}
}

// waitingIn returns the status of the condition Waiting in one version of a Framework; empty if there is none.
func waitingIn(o *unstructured.Unstructured) string {
	if o == nil {
		return ""
	}
	conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, c := range conditions {
		if c := c.(map[string]any); c["type"] == v1.ConditionWaiting {
			return c["status"].(string)
		}
	}
	return ""
}

// With the failure policy Fallback the built-in rule decides, and an event names the policy that refused.
func TestPolicyThatRefusesAndIsLeftOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.startWith(onePolicy{failurePolicy: pluginhost.Fallback, decide: unlessRight})
	w.running("a", tasks(2), choosing(`{}`))
	w.EndPod("a-w-0", 1)
	w.reaches("a", v1.Completed)
	w.warnedOnce("a", "PluginSkipped")
	for _, o := range w.List(apitest.Events) {
		if reason, _, _ := unstructured.NestedString(o.Object, "reason"); reason == "PluginSkipped" {
			message, _, _ := unstructured.NestedString(o.Object, "message")
			if want := "whether the attempt ends was decided without plugin policy, which refuses: parameter right: is missing"; message != want {
				t.Errorf("the event says %q, want %q", message, want)
			}
		}
	}
}

// A policy is not asked about a Framework whose parameters for it are too large. Its author is notified once, with the field.
func TestParametersThatAreTooLarge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	asked := make(chan struct{}, 100)
	w.startWith(onePolicy{failurePolicy: pluginhost.Fallback, decide: func(q *pluginpb.DecideRequest) (*pluginpb.DecideResponse, error) {
		asked <- struct{}{}
		return unlessRight(q)
	}})
	w.running("a", tasks(2), choosing(`{"right":true,"more":"`+strings.Repeat("x", consult.MaxParameters)+`"}`))
	w.EndPod("a-w-0", 1)
	w.reaches("a", v1.Completed)
	w.warnedOnce("a", "PluginSkipped")
	for _, o := range w.List(apitest.Events) {
		message, _, _ := unstructured.NestedString(o.Object, "message")
		want := "which refuses: spec.plugins[0].parameters: has 65560 bytes of JSON, more than the 65536 that are allowed"
		if reason, _, _ := unstructured.NestedString(o.Object, "reason"); reason == "PluginSkipped" && !strings.HasSuffix(message, want) {
			t.Errorf("the event says %q, want %q", message, want)
		}
	}
	if len(asked) > 0 {
		t.Error("it was asked all the same")
	}
}

// If a policy does not answer, the built-in rule decides. This is reported, and again when the policy is no longer asked because
// of this Framework's questions, but not with each question.
func TestPolicyIsHeldBackFromAFramework(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	asked := make(chan struct{}, 1000)
	w.startWith(onePolicy{failurePolicy: pluginhost.Fallback, decide: func(*pluginpb.DecideRequest) (*pluginpb.DecideResponse, error) {
		asked <- struct{}{}
		f := &pluginhost.Fault{Plugin: "policy", Kind: pluginhost.Crashed, Message: "the process ended"}
		if len(asked) > 1 {
			f = &pluginhost.Fault{Plugin: "policy", Kind: pluginhost.CircuitOpened, Message: "is not asked about this Framework for a while"}
		}
		return nil, f
	}})
	w.running("a", tasks(5))
	for i := range 3 {
		w.EndPod(fmt.Sprintf("a-w-%d", i), 0)
		w.taskReaches("a", "w", i, v1.Completed)
	}
	w.eventually("it is asked several times", func() bool { return len(asked) > 3 })
	var told map[string]int
	w.eventually("both are told", func() bool { told = w.skipped(); return len(told) >= 2 })
	if told["the process ended"] != 1 || told["is not asked about this Framework for a while"] != 1 {
		t.Errorf("told %v", told)
	}
}

// skipped counts the events about skipped plugins, by the ends of their messages.
func (w *world) skipped() map[string]int {
	told := map[string]int{}
	for _, o := range w.List(apitest.Events) {
		if reason, _, _ := unstructured.NestedString(o.Object, "reason"); reason == "PluginSkipped" {
			message, _, _ := unstructured.NestedString(o.Object, "message")
			told[message[strings.LastIndex(message, ": ")+2:]]++
		}
	}
	return told
}

var invalid = apitest.Refuse(http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "we do not like it")

// Consecutive refusals delay the next creation longer and longer, until one succeeds.
func TestRefusalsInARow(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	var s refusals
	refusedAgain := func(want ...float64) {
		t.Helper()
		for i, seconds := range want {
			s.record(result{err: &refusedError{}}, now)
			if got := max(s.backoff.Until().Sub(now).Seconds(), 0); got != seconds {
				t.Errorf("refusal %d: the next one waits for %v s, want %v", i, got, seconds)
			}
		}
	}
	refusedAgain(0, 0.5, 1, 2, 4, 5, 5)
	s.record(result{err: errNameTaken}, now)
	refusedAgain(5)
	s.record(result{}, now)
	refusedAgain(0, 0.5)
}

// A permanently refused Pod that is retried without limit is retried at once, as the policy says, but the Pod of the retry is not
// always sent at once. An edit of the spec ends the wait.
func TestRefusedAndRetriedForEver(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		edit    func(*v1.FrameworkSpec)
		retries func(w *world) int32
	}{
		"Task":      {taskRetries(v1.RetryOnFailure), func(w *world) int32 { return w.task("a", "w", 0).RetryPolicyStatus.TotalRetriedCount }},
		"Framework": {frameworkRetries(v1.RetryAlways), func(w *world) int32 { return w.status("a").RetryPolicyStatus.TotalRetriedCount }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(w *world) {
				w.start()
				undo := w.Inject("create pods", apitest.Always, invalid)
				w.create("a", test.edit)
				tries := w.requested("create pods", 5)
				for i, wait := range []time.Duration{flowcontrol.FirstDelay, 2 * flowcontrol.FirstDelay, 4 * flowcontrol.FirstDelay} {
					if gap := tries[i+2].At.Sub(tries[i+1].At); gap < wait {
						w.t.Errorf("try %d came %v after the one before, want at least %v", i+2, gap, wait)
					}
				}
				w.eventually("the next attempt", func() bool { return test.retries(w) == 5 })
				w.requireRequests("create pods", 5) // by the time attempt 5 begins
				undo()
				w.Edit(apitest.Frameworks, "a", func(o *unstructured.Unstructured) {
					_ = unstructured.SetNestedField(o.Object, int64(7), "spec", "retryPolicy", "maxRetryCount")
				})
				w.runs("a")
			})
		})
	}
}

// A refused Pod may be accepted with a different spec.
func TestAnotherSpecForgetsRefusals(t *testing.T) {
	t.Parallel()
	c := atRest(t)
	r := c.queue.records.get(cache.NewObjectName("default", "many"))
	r.reset("1", false)
	spec := &v1.FrameworkSpec{TaskRoles: []v1.TaskRoleSpec{role("w", 1)}}
	f := r.dependents.pod("many-w-0")
	for generation, want := range map[int64]bool{1: true, 2: false} {
		r.setSpec(&metav1.ObjectMeta{Name: "many", Generation: 1}, spec)
		f.creation.refusals.add(c.now())
		f.creation.refusals.add(c.now())
		r.setSpec(&metav1.ObjectMeta{Name: "many", Generation: generation}, spec)
		if f.creation.refusals.any != want {
			t.Errorf("generation %d: refusals are known: %t", generation, f.creation.refusals.any)
		}
	}
}

// The API server's answers about many Tasks are neither kept nor logged whole, and the Framework ends.
func TestLongRefusals(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{"whole": 100 << 10, "cut while it is read": 1 << 20} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := startWorld(t)
			w.Inject("create pods", apitest.Always, apitest.Refuse(http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "wrong: "+strings.Repeat("x", size)))
			w.create("a", tasks(20), func(s *v1.FrameworkSpec) { s.TaskRoles[0].FrameworkAttemptCompletionPolicy.MinFailedTaskCount = 20 })
			w.reaches("a", v1.Completed)
			own, task := w.status("a").AttemptStatus.CompletionStatus, w.task("a", "w", 7).AttemptStatus.CompletionStatus
			for _, s := range []v1.CompletionStatus{own.CompletionStatus, task.CompletionStatus} {
				if s.Code != -200 || len(s.Diagnostics) > 4<<10+100 || !strings.Contains(s.Diagnostics, "wrong: xxx") || !strings.Contains(s.Diagnostics, "more") {
					t.Errorf("code %d, %d bytes: %.200s", s.Code, len(s.Diagnostics), s.Diagnostics)
				}
			}
			w.warnedOnce("a", "PodRefused")
			w.stop()
			for line := range strings.Lines(w.log.String()) {
				if len(line) > 2*longestLogged {
					t.Errorf("a line of the log has %d bytes: %.200s", len(line), line)
				}
			}
		})
	}
}

package controller

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// An object whose creation succeeded without an answer becomes the attempt's own. The watch shows it, or the next creation finds
// its name taken.
func TestLostCreationAnswer(t *testing.T) {
	t.Parallel()
	for _, held := range []bool{false, true} {
		t.Run(fmt.Sprintf("held=%v", held), func(t *testing.T) {
			t.Parallel()
			w := startWorld(t)
			w.Inject("create configmaps", 1, apitest.LoseAnswer)
			w.Inject("create pods", 1, apitest.LoseAnswer)
			if held {
				w.Hold(apitest.ConfigMaps)
				w.Hold(apitest.Pods)
			}
			w.create("a")
			w.eventually("the ConfigMap is recorded", func() bool { return w.status("a").AttemptStatus.ConfigMapUID != nil })
			w.Release(apitest.ConfigMaps)
			w.eventually("the Pod is recorded", func() bool { return w.task("a", "w", 0).AttemptStatus.PodUID != nil })
			w.Release(apitest.Pods)
			w.runs("a")
			w.EndPod("a-w-0", 0)
			w.reaches("a", v1.Completed)
			if n, m := w.made(apitest.ConfigMaps, "a-attempt"), w.made(apitest.Pods, "a-w-0"); n != 1 || m != 1 {
				t.Errorf("there were %d ConfigMaps and %d Pods", n, m)
			}
			w.requireNeverRefused("a")
		})
	}
}

// requireNeverRefused: the Framework did not count its own objects as somebody else's.
func (w *world) requireNeverRefused(name string) {
	w.t.Helper()
	if c := w.condition(name, v1.ConditionWaiting); strings.Contains(c, "NameConflict") {
		w.t.Errorf("waiting was %s", c)
	}
}

// The answer to a creation is lost twice, and somebody deletes the first of the two Pods. The watch lags and still shows the
// first, but only the second exists.
func TestLostCreationAnswersAndALaggingWatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.start()
	w.Hold(apitest.Pods)
	w.Inject("create pods", 2, apitest.LoseAnswer)
	w.create("a", tasks(1))
	w.eventually("the first Pod is there", func() bool { return w.Get(apitest.Pods, "a-w-0") != nil })
	first := w.Get(apitest.Pods, "a-w-0")
	w.Vanish(apitest.Pods, "a-w-0")
	w.eventually("the second Pod is there", func() bool {
		pod := w.Get(apitest.Pods, "a-w-0")
		return pod != nil && pod.GetUID() != first.GetUID()
	})
	second := w.Get(apitest.Pods, "a-w-0")
	seen, err := strconv.ParseInt(first.GetResourceVersion(), 10, 64)
	require.NoError(t, err)
	w.HoldAt(apitest.Pods, seen)
	w.eventually("a Pod is recorded", func() bool { return w.task("a", "w", 0).AttemptStatus.PodUID != nil })
	w.Release(apitest.Pods)
	w.runs("a")
	if task := w.task("a", "w", 0); *task.AttemptStatus.PodUID != second.GetUID() || task.AttemptStatus.ID != 0 {
		t.Errorf("recorded is %s of attempt %d, and the Pods were %s and %s",
			*task.AttemptStatus.PodUID, task.AttemptStatus.ID, first.GetUID(), second.GetUID())
	}
}

// A Pod of an earlier attempt of the Task, created late, is removed for the Pod of the current attempt.
func TestLatePodOfAnotherAttempt(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", taskRetries(1))
	late := w.Get(apitest.Pods, "a-w-0").DeepCopy()
	undo := w.Inject("create pods", apitest.Always, apitest.DropConnection)
	w.EndPod("a-w-0", 1)
	w.requested("create pods", 2)

	w.Create(apitest.Pods, late)
	undo()
	w.eventually("the second attempt has a Pod", func() bool {
		return w.task("a", "w", 0).AttemptStatus.PodUID != nil && w.task("a", "w", 0).AttemptStatus.ID == 1
	})
	w.requireRules("Pod left over")
	recorded := *w.task("a", "w", 0).AttemptStatus.PodUID
	if pod := w.Get(apitest.Pods, "a-w-0"); pod.GetUID() != recorded || pod.GetAnnotations()[v1.KeyTaskAttemptID] != "1" {
		t.Errorf("the Task's Pod is %s of attempt %s", pod.GetUID(), pod.GetAnnotations()[v1.KeyTaskAttemptID])
	}
}

// Foreign objects are not touched. The Framework reports that it waits for the name, and continues when the name is free.
func TestForeignObjects(t *testing.T) {
	t.Parallel()
	for resource, name := range map[string]string{apitest.ConfigMaps: "a-attempt", apitest.Pods: "a-w-0"} {
		t.Run(resource, func(t *testing.T) {
			t.Parallel()
			w := startWorld(t)
			foreign := w.Create(resource, foreign(resource, name))
			w.create("a")
			w.conditionBecomes("a", v1.ConditionWaiting, "True because NameConflict")
			w.warnedOnce("a", "NameConflict")
			if found := w.Get(resource, name); found.GetResourceVersion() != foreign.GetResourceVersion() {
				t.Error("the foreign object was changed")
			}
			w.Delete(resource, name)
			w.runs("a")
			w.conditionBecomes("a", v1.ConditionWaiting, "False because NothingInTheWay")
			w.requireRequests("delete "+resource, 0)
		})
	}
}

// A quota slows down the creations of its own Framework, and nothing else.
func TestQuota(t *testing.T) {
	inBubble(t, func(w *world) {
		w.start()
		w.create("a", roles(role("w", 1), role("q", 1)))
		undo := w.Inject("create pods a-q-0", apitest.Always, apitest.Quota())
		w.runs("a")
		w.conditionBecomes("a", v1.ConditionWaiting, "True because Forbidden")
		w.requested("create pods a-q-0", 2)

		w.EndPod("a-w-0", 0)
		w.running("b")
		w.taskReaches("a", "w", 0, v1.Completed)
		tries := w.requested("create pods a-q-0", 3)
		for i := range tries[1:] {
			if gap := tries[i+1].At.Sub(tries[i].At); gap < 500*time.Millisecond {
				w.t.Errorf("try %d came %v after the one before", i+1, gap)
			}
		}
		w.warnedOnce("a", "Forbidden")
		undo()
		w.taskReaches("a", "q", 0, v1.AttemptPreparing)
		w.conditionBecomes("a", v1.ConditionWaiting, "False because NothingInTheWay")
	})
}

// Once a creation has failed, the queued ones are not sent one by one to fail as well.
func TestQuotaWithManyTasks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.options.RequestsInFlight = 2
	w.Inject("create pods", apitest.Always, apitest.Quota())
	w.start()
	w.create("a", tasks(50))
	w.conditionBecomes("a", v1.ConditionWaiting, "True because Forbidden")
	if n := len(w.Requests("create pods")); n > 2 {
		t.Errorf("there were %d tries at once", n)
	}
}

// Tasks whose Pods a quota refuses do not keep the others behind them from their turn. Yet each failure delays the Pods that have
// not been sent by then.
func TestQuotaDoesNotStarveOtherTasks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.options.RequestsInFlight = 2
	for i := range 3 {
		w.Inject(fmt.Sprintf("create pods a-q-%d", i), apitest.Always, apitest.Quota())
	}
	w.start()
	retried := role("w", 1)
	retried.Task.RetryPolicy.MaxRetryCount = 1
	w.create("a", roles(role("q", 3), retried))
	w.runs("a")
	w.EndPod("a-w-0", 1)
	w.eventually("the second attempt has a Pod", func() bool {
		return w.task("a", "w", 0).AttemptStatus.ID == 1 && w.task("a", "w", 0).AttemptStatus.PodUID != nil
	})
	w.requested("create pods a-q-2", 2) // each queued one gets its turn, too
}

// A Pod that the API server refuses permanently ends its Task. Users are notified once, however many Tasks are affected.
func TestRefusedPods(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		code   int32
		reason metav1.StatusReason
		says   string
		want   int32
	}{
		"bad request": {http.StatusBadRequest, metav1.StatusReasonBadRequest, "we do not like it", -310},
		"unreadable": {http.StatusBadRequest, metav1.StatusReasonBadRequest,
			`Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal number into Go struct field EnvVar.spec.containers.env.value of type string`, -200},
		"forbidden": {http.StatusForbidden, metav1.StatusReasonForbidden, "we do not like it", -310},
		"too large": {http.StatusRequestEntityTooLarge, metav1.StatusReasonRequestEntityTooLarge, "we do not like it", -200},
		"invalid":   {http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "we do not like it", -200},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := startWorld(t)
			w.Inject("create pods", apitest.Always, apitest.Refuse(test.code, test.reason, test.says))
			w.create("a", tasks(3), func(s *v1.FrameworkSpec) { s.TaskRoles[0].FrameworkAttemptCompletionPolicy.MinFailedTaskCount = 3 })
			w.reaches("a", v1.Completed)
			for i := range 3 {
				s := w.task("a", "w", i).AttemptStatus.CompletionStatus
				if s.Code != test.want || !strings.Contains(diagnosed(t, s.Diagnostics), test.says) {
					t.Errorf("task %d: code %d, diagnostics %q", i, s.Code, s.Diagnostics)
				}
			}
			w.requireRequests("create pods", 3)
			w.warnedOnce("a", "PodRefused")
		})
	}
}

// diagnosed returns the message of the API server's answer in the diagnostics of a refusal.
func diagnosed(t *testing.T, diagnostics string) string {
	t.Helper()
	var answer metav1.Status
	_, body, _ := strings.Cut(diagnostics, "{")
	require.NoError(t, json.Unmarshal([]byte("{"+body), &answer))
	return answer.Message
}

// A refusal for lack of any permission to create Pods shows nothing about the Pod.
func TestNoPermissionToCreatePods(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.Deny("create pods")
	w.create("a")
	w.conditionBecomes("a", v1.ConditionWaiting, "True because Forbidden")
	w.Permit("create pods")
	w.runs("a")
	w.conditionBecomes("a", v1.ConditionWaiting, "False because NothingInTheWay")
}

// A field unknown to the API server is no error. Users are notified once.
func TestUnknownField(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("a", tasks(3), template(`{"spec": {"privileged": true, "containers": [{"name": "main", "image": "none"}]}}`))
	w.taskReaches("a", "w", 2, v1.AttemptPreparing)
	w.warnedOnce("a", "PodWarning")
	if _, found := w.Requests("create pods")[0].Body["spec"].(map[string]any)["privileged"]; !found {
		t.Error("the field was not sent")
	}
}

// A misspelt field may be a missing one. The API server's warning about it is reported with the refusal.
func TestMisspeltFieldThatIsMissed(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("a", tasks(2), template(`{"spec": {"conatiners": [{"name": "main", "image": "none"}]}}`))
	w.reaches("a", v1.Completed)
	w.warnedOnce("a", "PodRefused")
	w.warnedOnce("a", "PodWarning")
	for _, o := range w.List(apitest.Events) {
		reason, _, _ := unstructured.NestedString(o.Object, "reason")
		message, _, _ := unstructured.NestedString(o.Object, "message")
		if reason == "PodWarning" && !strings.Contains(message, `unknown field "spec.conatiners"`) {
			t.Errorf("the warning is %q", message)
		}
	}
}

// A refusal is reported once for all Tasks, and again when the Framework is retried, as others may look then.
func TestRefusalsOfEachAttempt(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.Inject("create pods", apitest.Always, apitest.Refuse(http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "we do not like it"))
	w.create("a", tasks(2), frameworkRetries(1))
	w.reaches("a", v1.Completed)
	w.eventually("two refusals are told", func() bool { return w.warnings("a")["PodRefused"] == 2 })
	w.never("a third one", func() bool { return w.warnings("a")["PodRefused"] > 2 })
	for _, e := range w.eventsOf("a", "PodRefused") {
		if task := reason.FactsOf(e.Annotations).Task(); task != "w-0" && task != "w-1" {
			t.Errorf("the refusal is about Task %q", task)
		}
	}
}

// A template from which no Pod can be built fails like one that the API server refuses.
func TestUnusableTemplate(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("a", template(`{"spec": {"containers": ["main"]}}`))
	w.reaches("a", v1.Completed)
	w.requireTaskCode("a", -200)
	w.requireRequests("create pods", 0)
}

// A refused ConfigMap is never a failure of the application: the Framework waits until it can be created.
func TestRefusedConfigMapsAreTriedAgain(t *testing.T) {
	t.Parallel()
	for code, reason := range map[int32]metav1.StatusReason{
		http.StatusBadRequest:            metav1.StatusReasonBadRequest,
		http.StatusForbidden:             metav1.StatusReasonForbidden,
		http.StatusRequestEntityTooLarge: metav1.StatusReasonRequestEntityTooLarge,
		http.StatusUnprocessableEntity:   metav1.StatusReasonInvalid,
	} {
		t.Run(string(reason), func(t *testing.T) {
			inBubble(t, func(w *world) {
				w.start()
				undo := w.Inject("create configmaps", apitest.Always, apitest.Refuse(code, reason, "denied"))
				w.create("a")
				tries := w.requested("create configmaps", 3)
				if d := tries[1].At.Sub(tries[0].At); d != flowcontrol.FirstDelay {
					w.t.Errorf("tried again after %v", d)
				}
				w.eventually("the Framework waits", func() bool { return strings.HasPrefix(w.condition("a", v1.ConditionWaiting), "True") })
				if state := w.state("a"); state != v1.AttemptCreationPending && state != v1.AttemptCreationRequested {
					w.t.Errorf("the Framework is in %s", state)
				}
				undo()
				w.runs("a")
			})
		})
	}
}

// Webhooks may return reasons that are invalid as the reason of a condition, and very long messages.
func TestOddReason(t *testing.T) {
	t.Parallel()
	reasons := map[string]apitest.Fault{
		"a sentence": apitest.Refuse(http.StatusInternalServerError, "denied by policy: no!", "denied"),
		"long":       apitest.Refuse(http.StatusInternalServerError, metav1.StatusReason(strings.Repeat("x", 2000)), "denied"),
		"long text":  apitest.Refuse(http.StatusInternalServerError, "Denied", strings.Repeat("no ", 20000)),
		"none":       apitest.Refuse(http.StatusInternalServerError, "", "denied"),
	}
	for name, fault := range reasons {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := startWorld(t)
			undo := w.Inject("create configmaps", apitest.Always, fault)
			w.create("a")
			w.eventually("the Framework waits", func() bool { return strings.HasPrefix(w.condition("a", v1.ConditionWaiting), "True") })
			undo()
			w.runs("a")
			if n := w.warnings("a")["StatusRefused"]; n != 0 {
				t.Errorf("%d statuses were refused", n)
			}
		})
	}
}

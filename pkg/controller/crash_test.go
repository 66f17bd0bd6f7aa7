package controller

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// runPods ends each Pod as soon as it exists, with an exit code that depends on it, until the test ends.
func (w *world) runPods(code func(pod *unstructured.Unstructured) int64) {
	done := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		for {
			news := w.Changes()
			for _, pod := range w.List(apitest.Pods) {
				if phase, _, _ := unstructured.NestedString(pod.Object, "status", "phase"); phase == string(corev1.PodPending) {
					w.EndPod(pod.GetName(), code(pod))
				}
			}
			select {
			case <-news:
			case <-done:
				return
			}
		}
	})
	w.t.Cleanup(func() {
		close(done)
		running.Wait()
	})
}

// failFirstAttempt makes the Pods of a Framework's first attempt fail, and all others succeed.
func failFirstAttempt(pod *unstructured.Unstructured) int64 {
	if pod.GetAnnotations()[v1.KeyFrameworkAttemptID] == "0" {
		return 1
	}
	return 0
}

// requireSuccessOnRetry checks the end of a Framework whose first attempt failed, and the objects created on its way.
func (w *world) requireSuccessOnRetry(name string, tasks int) {
	w.t.Helper()
	status := w.status(name)
	if code := status.AttemptStatus.CompletionStatus.Code; code != 0 || status.RetryPolicyStatus.TotalRetriedCount != 1 {
		w.t.Errorf("%s: code %d after %d retries", name, code, status.RetryPolicyStatus.TotalRetriedCount)
	}
	if n := w.made(apitest.ConfigMaps, name+"-attempt"); n != 2 {
		w.t.Errorf("%s: there were %d ConfigMaps", name, n)
	}
	for i := range tasks {
		// A Task may have had none yet when another ended the first attempt.
		if n := w.made(apitest.Pods, fmt.Sprintf("%s-w-%d", name, i)); n > 2 || n == 0 {
			w.t.Errorf("%s: there were %d Pods of Task %d", name, n, i)
		}
	}
}

// chaos fails one in oneIn requests, each in one of the possible ways.
func chaos(random *rand.Rand, oneIn int) func(apitest.Request) apitest.Fault {
	var mu sync.Mutex
	faults := []apitest.Fault{
		apitest.DropConnection,
		apitest.LoseAnswer,
		apitest.Refuse(http.StatusInternalServerError, metav1.StatusReasonInternalError, "oh"),
		apitest.Refuse(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, "slow down"),
		apitest.Refuse(http.StatusConflict, metav1.StatusReasonConflict, "the object has been modified"),
	}
	return func(q apitest.Request) apitest.Fault {
		mu.Lock()
		defer mu.Unlock()
		if q.Verb == "get" || random.IntN(oneIn) != 0 { // client-go takes seconds to retry a get
			return apitest.Fault{}
		}
		return faults[random.IntN(len(faults))]
	}
}

// Whatever goes wrong for a while, and however the watches lag, every Framework reaches its proper end.
func TestChaos(t *testing.T) {
	t.Parallel()
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	w := startWorld(t)
	w.slow = true
	w.runPods(failFirstAttempt)
	w.Judge(chaos(rand.New(rand.NewPCG(uint64(seed), 1)), 10))
	for i := range 5 {
		w.create(fmt.Sprintf("a%d", i), tasks(2), frameworkRetries(1))
	}
	resources := []string{apitest.Frameworks, apitest.ConfigMaps, apitest.Pods}
	for range 30 {
		resource := resources[random.IntN(len(resources))]
		w.Hold(resource)
		time.Sleep(time.Duration(random.IntN(50)) * time.Millisecond)
		w.Release(resource)
	}
	w.Heal()
	for i := range 5 {
		w.reaches(fmt.Sprintf("a%d", i), v1.Completed)
		w.requireSuccessOnRetry(fmt.Sprintf("a%d", i), 2)
		if c := w.condition(fmt.Sprintf("a%d", i), v1.ConditionWaiting); strings.HasPrefix(c, "True") {
			t.Errorf("it still waits: %s", c)
		}
	}
}

// The outcome of an old Framework's action is ignored by a new Framework of the same name.
func TestAnswerForTheFrameworkBefore(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	first, second := make(chan struct{}), make(chan struct{})
	w.Inject("create pods", 1, apitest.Fault{Wait: first})
	w.Inject("create pods", 1, apitest.Fault{Wait: second})
	w.create("a")
	w.requested("create pods", 1)
	w.Delete(apitest.Frameworks, "a")
	w.create("a")
	w.requested("create pods", 2)
	close(first)
	w.eventually("the first has its answer", func() bool { return w.Requests("create pods")[0].Code != 0 })
	w.never("a third creation while the second is under way", func() bool { return len(w.Requests("create pods")) > 2 })
	close(second)
	w.runs("a")
}

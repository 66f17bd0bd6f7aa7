package barrier

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// minute is the shortest timeout that a barrier takes.
var minute = map[string]string{"BARRIER_CHECK_TIMEOUT_SEC": "60", "BARRIER_CHECK_INTERVAL_SEC": "5"}

// At the deadline, the log and the termination message name the late Tasks.
func TestTimeout(t *testing.T) {
	t.Parallel()
	w := shared
	w.create(t, framework("late", 2, 1))
	kubeconfig, _ := w.kubeconfigOf(t, "barrier")
	pod := w.pods(t, "late", 1, isWorker)[0]
	w.pods(t, "late", 3, isScheduled)
	b := w.run(t, environment(pod, kubeconfig, minute))
	b.requireExit(201)
	if b.took < time.Minute || b.took > 75*time.Second {
		t.Errorf("it took %s", b.took)
	}
	for _, where := range []string{"log", "termination-log"} {
		text := b.read(where)
		for _, want := range []string{"2 of 3 Tasks", "late-worker-0 (AttemptPreparing", "no address yet)"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q: %s", where, want, text)
			}
		}
		if strings.Contains(text, "late-server-") {
			t.Errorf("%s blames others: %s", where, text)
		}
	}
	w.requireRequests(t, "late", map[string]int{"list": 1, "watch": 1, "get": 1})
}

// An API server that cannot be reached all the time is another failure than a gang that is not complete.
func TestNoAPIServer(t *testing.T) {
	t.Parallel()
	env := about("nobody", map[string]string{"KUBE_APISERVER_ADDRESS": "http://127.0.0.1:1"})
	maps.Copy(env, minute)
	b := shared.run(t, env)
	b.requireExit(1)
	if b.took < time.Minute || !strings.Contains(b.read("termination-log"), "refused") {
		t.Errorf("it took %s, and the last words are %q", b.took, b.read("termination-log"))
	}
}

func TestNotThere(t *testing.T) {
	t.Parallel()
	for _, account := range []string{"barrier", "getter"} {
		kubeconfig, _ := shared.kubeconfigOf(t, account)
		b := shared.run(t, about("absent", map[string]string{"KUBECONFIG": kubeconfig}))
		b.requireExit(210)
		if b.took > 30*time.Second {
			t.Errorf("%s: it took %s", account, b.took)
		}
	}
}

func TestInvalid(t *testing.T) {
	t.Parallel()
	for want, env := range map[string]map[string]string{
		"BARRIER_CHECK_TIMEOUT_SEC":  about("x", map[string]string{"BARRIER_CHECK_TIMEOUT_SEC": "59"}),
		"BARRIER_CHECK_INTERVAL_SEC": about("x", map[string]string{"BARRIER_CHECK_INTERVAL_SEC": "1"}),
		"FC_FRAMEWORK_NAME":          about("", nil),
	} {
		b := shared.run(t, env)
		b.requireExit(210)
		if text := b.read("termination-log"); !strings.HasPrefix(text, want) {
			t.Errorf("the last words are %q, want those on %s", text, want)
		}
	}
}

func TestKubeconfigIsNotThere(t *testing.T) {
	t.Parallel()
	shared.run(t, about("x", map[string]string{"KUBECONFIG": "/nowhere"})).requireExit(1)
}

func TestTerminated(t *testing.T) {
	t.Parallel()
	w := shared
	w.create(t, framework("ended", 0, 1))
	kubeconfig, _ := w.kubeconfigOf(t, "barrier")
	b := w.run(t, environment(w.pods(t, "ended", 1, anyPod)[0], kubeconfig, nil))
	w.awaitWatches(t, "ended", 1)
	b.cmd.Process.Signal(syscall.SIGTERM)
	b.requireExit(143)
}

func (w *world) awaitWatches(t *testing.T, name string, n int) {
	t.Helper()
	w.awaitWatchesWithin(t, patience, name, n)
}

func (w *world) awaitWatchesWithin(t *testing.T, most time.Duration, name string, n int) {
	t.Helper()
	eventuallyWithin(t, most, func(context.Context) error {
		if got := w.requests(t, name)["watch"]; got < n {
			return fmt.Errorf("there are %d of %d watches", got, n)
		}
		return nil
	})
}

// All that the original needed is get. With no more than that, the barrier does as the original did.
func TestMayGetOnly(t *testing.T) {
	t.Parallel()
	w := shared
	w.create(t, framework("getonly", 1, 1))
	kubeconfig, _ := w.kubeconfigOf(t, "getter")
	often := map[string]string{"BARRIER_CHECK_INTERVAL_SEC": "5"} // and the deadline is later than the test's
	b := w.run(t, environment(w.pods(t, "getonly", 1, isWorker)[0], kubeconfig, often))
	b.awaitLog("polling")
	w.letGo(t, "getonly-worker-0")
	b.requireExit(0)
}

// A token that is not yet or no longer valid is read again from its file. Clients do so once a minute.
func TestTokenRotates(t *testing.T) {
	t.Parallel()
	w := shared
	w.create(t, framework("rotates", 1, 0))
	kubeconfig, tokenFile := w.kubeconfigOf(t, "barrier")
	writeFile(t, tokenFile, "expired")
	b := w.run(t, environment(w.pods(t, "rotates", 1, anyPod)[0], kubeconfig, nil))
	b.awaitLog("401")
	writeFile(t, tokenFile, w.token(t, "barrier"))
	b.requireExit(0)
}

// A Framework that is deleted meanwhile does not come back, but its Pods are deleted with it. A barrier that is left over, because it waits
// for a Framework that is not its own, notices the deletion when its watch is renewed, or at the deadline.
func TestDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	w := shared
	w.create(t, framework("leaves", 0, 1))
	kubeconfig, _ := w.kubeconfigOf(t, "barrier")
	b := w.run(t, environment(w.pods(t, "leaves", 1, anyPod)[0], kubeconfig, minute))
	w.awaitWatches(t, "leaves", 1)
	api := w.frameworks.FrameworkControllerV1().Frameworks(namespace)
	require.NoError(t, api.Delete(t.Context(), "leaves", metav1.DeleteOptions{}))
	b.requireExit(210)
}

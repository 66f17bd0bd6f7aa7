package collect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/kubeclient"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/logs"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/store"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// world is an API server with one Pod, and a collector.
type world struct {
	*Collector
	t     *testing.T
	store *store.Store

	mutex sync.Mutex
	pod   *corev1.Pod     // nil: it is gone
	hangs <-chan struct{} // no request is answered before it is closed; nil: all are
	// logs answer by container, "-previous" after it for the start before.
	logs  map[string]func(http.ResponseWriter, url.Values)
	asked map[string]int
}

// newWorld has a Pod with an init container and a container that have ended without a log.
func newWorld(t *testing.T) *world {
	w := &world{t: t, logs: map[string]func(http.ResponseWriter, url.Values){}, asked: map[string]int{}}
	w.pod = &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "prod", Name: "train-worker-0", UID: types.UID("pod-uid")},
		Spec: corev1.PodSpec{InitContainers: []corev1.Container{{Name: "init"}}, Containers: []corev1.Container{{Name: "main"}, {Name: "side"}}}}
	api := httptest.NewServer(http.HandlerFunc(w.answer))
	t.Cleanup(api.Close)
	client, err := kubeclient.New(&rest.Config{Host: api.URL, QPS: -1})
	require.NoError(t, err)
	w.store, err = store.Open(t.Context(), store.Options{Database: filepath.Join(t.TempDir(), "h.db"), Log: hclog.NewNullLogger()})
	require.NoError(t, err)
	t.Cleanup(func() { _ = w.store.Close() })
	config, err := logs.ParseConfig([]byte("redact: ['secret-[0-9]+']"))
	require.NoError(t, err)
	w.Collector = New(Options{Cluster: client, Store: w.store, Config: config, Log: hclog.NewNullLogger()})
	w.reopenAfter = 50 * time.Millisecond
	t.Cleanup(w.Close)
	return w
}

func (w *world) answer(out http.ResponseWriter, r *http.Request) {
	w.mutex.Lock()
	pod := w.pod.DeepCopy()
	key := r.URL.Query().Get("container")
	if r.URL.Query().Get("previous") == "true" {
		key += "-previous"
	}
	answer, hangs := w.logs[key], w.hangs
	isLog := strings.HasSuffix(r.URL.Path, "/log")
	if isLog {
		w.asked[key]++
	}
	w.mutex.Unlock()
	if hangs != nil {
		<-hangs
	}
	switch {
	case strings.HasSuffix(r.URL.Path, "/pods"):
		out.Header().Set("Content-Type", "application/json")
		list := corev1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}}
		if pod != nil {
			list.Items = []corev1.Pod{*pod}
		}
		_ = json.NewEncoder(out).Encode(list)
	case pod == nil:
		refuse(out, http.StatusNotFound, metav1.StatusReasonNotFound, "pods \"train-worker-0\" not found")
	case !isLog:
		out.Header().Set("Content-Type", "application/json")
		pod.APIVersion, pod.Kind = "v1", "Pod"
		if name := path.Base(r.URL.Path); name != pod.Name {
			pod.Name, pod.UID = name, types.UID("uid-of-"+name)
		}
		_ = json.NewEncoder(out).Encode(pod)
	case answer != nil:
		answer(out, r.URL.Query())
	}
}

func refuse(out http.ResponseWriter, code int, reason metav1.StatusReason, message string) {
	out.Header().Set("Content-Type", "application/json")
	out.WriteHeader(code)
	_ = json.NewEncoder(out).Encode(metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: "Failure",
		Code: int32(code), Reason: reason, Message: message})
}

// set changes the world.
func (w *world) set(change func()) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	change()
}

func (w *world) askedFor(key string) int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.asked[key]
}

// begun is the time of the first line of logs.
var begun = time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)

// line is a line of second i as the API server sends it.
func line(i int, text string) string {
	return begun.Add(time.Duration(i)*time.Second).Format(time.RFC3339Nano) + " " + text
}

func writes(lines ...string) func(http.ResponseWriter, url.Values) {
	return func(w http.ResponseWriter, _ url.Values) {
		for i, l := range lines {
			_, _ = io.WriteString(w, line(i, l))
		}
	}
}

func request(containers ...*pluginpb.LoggedContainer) *pluginpb.CollectLogsRequest {
	return &pluginpb.CollectLogsRequest{Framework: &pluginpb.Framework{Namespace: "prod", Name: "train", Uid: "fw-uid", AttemptId: 2},
		TaskRole: "worker", TaskIndex: 0, TaskAttemptId: 1, TaskUid: "task-uid", PodName: "train-worker-0", PodUid: "pod-uid",
		Containers: containers}
}

func ended(name string, restarts int32) *pluginpb.LoggedContainer {
	return &pluginpb.LoggedContainer{Name: name, Restarts: restarts}
}

var running = &pluginpb.LoggedContainer{Name: "main", Running: true}

func (w *world) collect(containers ...*pluginpb.LoggedContainer) time.Duration {
	w.t.Helper()
	begun := time.Now()
	require.NoError(w.t, w.Collect(w.t.Context(), "default", request(containers...)))
	return time.Since(begun)
}

// kept renders the logs that are stored: container, start, state, text and error.
func (w *world) kept() (all []string) {
	w.t.Helper()
	page, err := w.store.Logs(context.Background(), store.LogQuery{Namespace: "prod", Name: "train", Limit: 100})
	if err != nil {
		return nil // there is no Framework yet
	}
	for _, l := range page.Items {
		text := l.Error
		q := store.TaskLogQuery{Namespace: "prod", Name: "train", Role: "worker", Container: l.Container, Previous: l.Previous}
		if found, err := w.store.TaskLog(context.Background(), q); err == nil {
			var b strings.Builder
			require.NoError(w.t, logs.View{}.Write(&b, found.Text(context.Background())))
			text = b.String() + text
		}
		all = append(all, fmt.Sprintf("%s %d %s: %s", l.Container, l.Start, l.State, text))
	}
	return all
}

func (w *world) awaitKept(want ...string) {
	w.t.Helper()
	require.Eventually(w.t, func() bool { got := w.kept(); return fmt.Sprint(got) == fmt.Sprint(want) }, 20*time.Second, 20*time.Millisecond,
		"%q", want)
}

// The logs of ended containers are stored before the answer, and only once.
func TestEnded(t *testing.T) {
	w := newWorld(t)
	w.logs["main"] = writes("hello\n", "my secret-123\n", "\xff\x00\n", "no line feed")
	w.logs["main-previous"] = writes("first start\n")
	w.collect(ended("init", 0), ended("main", 3))
	want := []string{"init 0 complete: ", "main 2 complete: first start\n", "main 3 complete: hello\nmy [redacted]\n\xff\x00\nno line feed"}
	require.ElementsMatch(t, want, w.kept())
	w.logs["main"] = writes("another\n")
	w.collect(ended("init", 0), ended("main", 3))
	require.ElementsMatch(t, want, w.kept())
	require.Equal(t, 1, w.askedFor("main"))
	page, err := w.store.Logs(t.Context(), store.LogQuery{Namespace: "prod", Name: "train", Limit: 100})
	require.NoError(t, err)
	for _, l := range page.Items {
		require.Equal(t, l.Container == "init", l.Init)
		require.EqualValues(t, 2, l.FrameworkAttempt)
		require.EqualValues(t, 1, l.Attempt)
	}
}

// No log of a Pod that succeeded is requested.
func TestSucceeded(t *testing.T) {
	w := newWorld(t)
	r := request(ended("main", 0))
	r.Succeeded = true
	require.NoError(t, w.Collect(t.Context(), "default", r))
	require.Zero(t, w.askedFor("main"))
	require.Empty(t, w.kept())
}

// The answer is sent while a container runs, and its last lines are stored after its end.
func TestRunning(t *testing.T) {
	w := newWorld(t)
	w.saveEvery = 20 * time.Millisecond
	end := make(chan struct{})
	w.logs["main"] = func(out http.ResponseWriter, q url.Values) {
		require.Equal(t, "true", q.Get("follow"))
		_, _ = io.WriteString(out, line(0, "works\n"))
		out.(http.Flusher).Flush()
		<-end
		_, _ = io.WriteString(out, line(5, "got SIGTERM\n"))
	}
	w.collect(running)
	w.awaitKept("main 0 reading: works\n")
	w.set(func() { w.pod = nil }) // deleted
	close(end)
	w.awaitKept("main 0 complete: works\ngot SIGTERM\n")
}

// A container that writes nothing does not hold up its Pod, as the kubelet answers with the first line.
func TestSilent(t *testing.T) {
	w := newWorld(t)
	end := make(chan struct{})
	w.logs["main"] = func(_ http.ResponseWriter, _ url.Values) { <-end }
	require.Less(t, w.collect(running), 3*time.Second)
	close(end)
	w.awaitKept("main 0 complete: ")
}

// After a broken connection, reading continues after the last line.
func TestBrokenConnection(t *testing.T) {
	for name, container := range map[string]*pluginpb.LoggedContainer{"running": running, "ended": ended("main", 0)} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			tries := 0
			w.logs["main"] = func(out http.ResponseWriter, q url.Values) {
				lines := []string{line(0, "a\n"), line(1, "b\n"), line(2, "c\n"), line(3, "d\n")}
				from := 0
				if since := q.Get("sinceTime"); since != "" {
					for from < len(lines) && lines[from][:len(since)-1] < since[:len(since)-1] {
						from++
					}
				}
				if tries++; tries <= 2 {
					_, _ = io.WriteString(out, strings.Join(lines[from:tries+1], ""))
					out.(http.Flusher).Flush()
					panic(http.ErrAbortHandler)
				}
				_, _ = io.WriteString(out, strings.Join(lines[from:], ""))
			}
			w.collect(container)
			w.awaitKept("main 0 complete: a\nb\nc\nd\n")
			require.Equal(t, 3, tries)
		})
	}
}

// A stream that ends without an error while its container runs is opened again.
func TestHiddenBreak(t *testing.T) {
	w := newWorld(t)
	w.pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}
	tries := 0
	w.logs["main"] = func(out http.ResponseWriter, _ url.Values) {
		tries++
		if tries == 2 {
			w.set(func() { w.pod.Status.ContainerStatuses[0].State = corev1.ContainerState{} })
		}
		_, _ = io.WriteString(out, line(tries, fmt.Sprintf("part %d\n", tries)))
	}
	w.collect(running)
	w.awaitKept("main 0 complete: part 1\npart 2\n")
}

// The kubelet ends a stream with its container, and the last lines may be written after that. If the next Pod has the name by then, the log
// is as complete as it can be.
func TestLateLines(t *testing.T) {
	for next, want := range map[bool]string{false: "main 0 complete: early\nlate\n", true: "main 0 complete: early\n"} {
		w := newWorld(t)
		w.pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}
		tries := 0
		w.logs["main"] = func(out http.ResponseWriter, _ url.Values) {
			tries++
			_, _ = io.WriteString(out, line(0, "early\n"))
			switch {
			case tries == 1:
				w.set(func() {
					w.pod.Status.ContainerStatuses[0].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}
				})
			case next:
				w.set(func() { w.pod.UID = "another" })
				fallthrough
			default:
				_, _ = io.WriteString(out, line(1, "late\n"))
			}
		}
		w.collect(running)
		w.awaitKept(want)
	}
}

// A log that was opened by the name of the Pod, and may belong to another one, is not stored.
func TestAnotherPod(t *testing.T) {
	w := newWorld(t)
	w.logs["main"] = writes("of the next attempt\n")
	w.pod.UID = "another"
	w.collect(ended("main", 0))
	require.Equal(t, []string{"main 0 none: another Pod has its name already"}, w.kept())
}

// The same holds for a log that is opened late, and for one that is being read when the storage fails.
func TestAnotherPodLater(t *testing.T) {
	w := newWorld(t)
	w.answerWithin = 300 * time.Millisecond
	end := make(chan struct{})
	w.logs["main"] = func(out http.ResponseWriter, _ url.Values) {
		<-end
		_, _ = io.WriteString(out, line(0, "of the next attempt\n"))
	}
	w.collect(ended("main", 0))
	w.set(func() { w.pod.UID = "another" })
	close(end)
	w.awaitKept("main 0 none: another Pod has its name already")

	w = newWorld(t)
	w.pod.UID = "another"
	w.logs["main"] = writes("of the next attempt\n")
	w.Collector.Store = failingStore{w.store}
	require.ErrorIs(t, w.Collect(t.Context(), "default", request(ended("main", 0), ended("side", 0))), errBroken)
	w.awaitKept("main 0 none: another Pod has its name already")
}

// failingStore knows nothing about container side.
type failingStore struct{ *store.Store }

var errBroken = errors.New("broken")

func (s failingStore) LogComplete(ctx context.Context, key store.LogKey) (bool, error) {
	if key.Container == "side" {
		return false, errBroken
	}
	return s.Store.LogComplete(ctx, key)
}

// If there is no log, the reason is stored.
func TestRefused(t *testing.T) {
	for message, answer := range map[string]func(http.ResponseWriter, url.Values){
		"pods \"train-worker-0\" not found": func(w http.ResponseWriter, _ url.Values) {
			refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound, "pods \"train-worker-0\" not found")
		},
		"container \"main\" in pod \"train-worker-0\" is waiting to start": func(w http.ResponseWriter, _ url.Values) {
			refuse(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, "container \"main\" in pod \"train-worker-0\" is waiting to start")
		},
		"gone": func(w http.ResponseWriter, _ url.Values) { refuse(w, http.StatusGone, metav1.StatusReasonGone, "gone") },
		"the kubelet answered: unable to retrieve container logs for containerd://abc": func(w http.ResponseWriter, _ url.Values) {
			_, _ = io.WriteString(w, "unable to retrieve container logs for containerd://abc")
		},
	} {
		w := newWorld(t)
		w.logs["main"] = answer
		w.collect(ended("main", 0))
		require.Equal(t, []string{"main 0 none: " + message}, w.kept())
	}
}

// An API server that hangs delays the answer no longer than the limit, and lines that arrive later are stored.
func TestHanging(t *testing.T) {
	w := newWorld(t)
	w.answerWithin = 300 * time.Millisecond
	end := make(chan struct{})
	w.logs["main"] = func(out http.ResponseWriter, _ url.Values) {
		<-end
		_, _ = io.WriteString(out, line(0, "late\n"))
	}
	took := w.collect(ended("main", 0))
	require.Greater(t, took, 250*time.Millisecond)
	require.Less(t, took, 3*time.Second)
	close(end)
	w.awaitKept("main 0 complete: late\n")
}

// The deadline of the caller holds, too, where the API server answers nothing: neither the request for the log, nor the one for the Pod.
func TestDeadlineOfTheCaller(t *testing.T) {
	w := newWorld(t)
	hangs := make(chan struct{})
	w.hangs, w.logs["main"] = hangs, writes("late\n")
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	asked := time.Now()
	require.NoError(t, w.Collect(ctx, "default", request(ended("main", 0))))
	require.Less(t, time.Since(asked), verifyWithin/2)
	close(hangs)
	w.awaitKept("main 0 complete: late\n")
}

// Beyond the number of places, the answer does not wait for a log, which is read once there is a place.
func TestLatePlace(t *testing.T) {
	w := noPlace(t)
	w.logs["main"] = writes("late\n")
	w.collect(ended("main", 0))
	require.Empty(t, w.kept())
	<-w.readers
	w.awaitKept("main 0 complete: late\n")
}

// If the Pod is gone by then, or there is no place for long, the reason is stored.
func TestNoPlace(t *testing.T) {
	w := noPlace(t)
	w.collect(ended("main", 0))
	w.set(func() { w.pod = nil })
	<-w.readers
	w.awaitKept("main 0 none: " + errTooMany.Error())

	w = noPlace(t)
	w.placeWithin = w.answerWithin
	w.collect(ended("main", 0))
	w.awaitKept("main 0 none: " + errTooMany.Error())
}

// noPlace returns a world whose places are taken.
func noPlace(t *testing.T) *world {
	w := newWorld(t)
	w.answerWithin = 200 * time.Millisecond
	for range cap(w.readers) {
		w.readers <- struct{}{}
	}
	return w
}

// A stop of the server stores the part that was read.
func TestStop(t *testing.T) {
	w := newWorld(t)
	w.saveEvery = 20 * time.Millisecond
	end := make(chan struct{})
	defer close(end)
	w.logs["main"] = func(out http.ResponseWriter, _ url.Values) {
		_, _ = io.WriteString(out, line(0, "works\n"))
		out.(http.Flusher).Flush()
		<-end
	}
	w.collect(running)
	w.awaitKept("main 0 reading: works\n")
	w.Close()
	require.Equal(t, []string{"main 0 cut: works\n" + errStopped.Error()}, w.kept())
	require.ErrorContains(t, w.Collect(t.Context(), "default", request(ended("side", 0))), "stops")
}

// A container between two starts has one log, not two.
func TestBetweenStarts(t *testing.T) {
	w := newWorld(t)
	w.pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", RestartCount: 1,
		State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}}}
	w.logs["main"], w.logs["main-previous"] = writes("same\n"), writes("same\n")
	w.collect(ended("main", 1))
	require.Equal(t, []string{"main 1 complete: same\n"}, w.kept())
}

// A node that does not answer holds up the look for beginnings once, however many containers it has.
func TestHeadsOfNodeThatIsAway(t *testing.T) {
	w := newWorld(t)
	w.earlyWithin = 100 * time.Millisecond
	w.pod.Labels = map[string]string{"FC_TASKROLE_NAME": "worker"}
	end := make(chan struct{})
	defer close(end)
	for _, name := range []string{"main", "side"} {
		w.pod.Status.ContainerStatuses = append(w.pod.Status.ContainerStatuses, corev1.ContainerStatus{Name: name,
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(begun)}}})
		w.logs[name] = func(http.ResponseWriter, url.Values) { <-end }
	}
	require.NoError(t, w.lookForHeads(t.Context(), begun.Add(time.Minute)))
	require.Equal(t, 1, w.askedFor("main")+w.askedFor("side"))
}

// Many Pods at once are all stored.
func TestManyPods(t *testing.T) {
	w := newWorld(t)
	w.logs["main"] = writes(strings.Repeat(strings.Repeat("x", 99)+"\n", 100))
	var all sync.WaitGroup
	for i := range int32(200) {
		all.Go(func() {
			r := request(ended("main", 0))
			r.TaskIndex, r.PodName, r.PodUid = i, fmt.Sprint("pod-", i), fmt.Sprint("uid-of-pod-", i)
			if err := w.Collect(t.Context(), "default", r); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	// On a busy machine some are stored after the answer, which has a deadline.
	require.EventuallyWithT(t, func(t *assert.CollectT) {
		page, err := w.store.Logs(context.Background(), store.LogQuery{Namespace: "prod", Name: "train", Limit: 1000})
		require.NoError(t, err)
		require.Len(t, page.Items, 200)
		for _, l := range page.Items {
			require.Equal(t, historyapi.LogComplete, l.State, l.Error)
			require.EqualValues(t, 10_000, l.Bytes)
		}
	}, time.Minute, 20*time.Millisecond)
}

// The beginning of a log is kept if it was read before the kubelet rotated it away, and not stored before the Pod ends.
func TestRotated(t *testing.T) {
	w := newWorld(t)
	w.Config.Limits.Head = 12
	w.pod.Labels = map[string]string{"FC_TASKROLE_NAME": "worker"}
	w.pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main",
		State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(begun)}}}}
	look := func(age time.Duration) { require.NoError(t, w.lookForHeads(t.Context(), begun.Add(age))) }
	w.logs["main"] = writes("ranks: 8\n")
	look(59 * time.Second)
	require.Zero(t, w.askedFor("main"))
	look(time.Minute)
	look(3 * time.Minute)
	require.Equal(t, 1, w.askedFor("main"))
	w.logs["main"] = writes("ranks: 8\n", "secret-1\n", "step 1\n")
	look(4 * time.Minute)
	look(time.Hour)
	require.Equal(t, 2, w.askedFor("main"))
	require.Empty(t, w.kept())
	w.logs["main"] = func(out http.ResponseWriter, _ url.Values) {
		_, _ = io.WriteString(out, line(5000, "step 99\n")+line(5001, "died\n"))
	}
	w.collect(ended("main", 0))
	require.Equal(t, []string{"main 0 complete: ranks: 8\n... an unknown number of bytes not kept ...\nstep 99\ndied\n"}, w.kept())
	w.set(func() { w.pod = nil })
	look(2 * time.Hour)
	require.Empty(t, w.heads.all)
	require.Zero(t, w.heads.bytes)
}

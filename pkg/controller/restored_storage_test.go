package controller

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// A backup of the storage is restored while the controller runs, and versions go back. The controller soon ends, and the next one
// follows the stored state: edits by users count, although their versions are below known ones.
func TestStorageIsRestored(t *testing.T) {
	for name, change := range map[string]struct {
		do   func(*world)
		want v1.State
	}{
		"and a Framework is stopped": {func(w *world) { w.stopFramework("a") }, v1.Completed},
		"and a Framework is made anew": {func(w *world) {
			w.Delete(apitest.Frameworks, "a")
			w.eventually("it has gone", func() bool { return w.Get(apitest.Frameworks, "a") == nil })
			w.create("a")
		}, v1.AttemptPreparing},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(w *world) {
				ended := w.runUntilRestored()
				w.create("a")
				w.taskReaches("a", "w", 0, v1.AttemptPreparing)
				restore := w.Backup()
				w.RunPod("a-w-0")
				w.reaches("a", v1.AttemptRunning)
				for range 50 {
					w.Edit(apitest.Pods, "a-w-0", func(o *unstructured.Unstructured) { o.SetAnnotations(map[string]string{"now": time.Now().String()}) })
					time.Sleep(time.Second)
				}
				restore()
				restored := time.Now()
				change.do(w)
				requireRestored(t, ended)
				t.Logf("it has ended after %s", time.Since(restored))
				w.start() // as a supervisor does
				w.reaches("a", change.want)
			})
		})
	}
}

// runUntilRestored runs a controller that ends by itself.
func (w *world) runUntilRestored() (ended <-chan error) {
	w.tampered, w.errorsExpected = true, true
	w.options.ContactEvery = 5 * time.Second
	c := w.newController(time.Now)
	ctx, cancel := context.WithCancel(context.Background())
	w.t.Cleanup(cancel)
	result := make(chan error, 1)
	go func() { result <- c.Run(ctx) }()
	return result
}

func requireRestored(t *testing.T, ended <-chan error) {
	t.Helper()
	select {
	case err := <-ended:
		require.ErrorIs(t, err, apiserver.ErrRestored)
	case <-time.After(time.Minute):
		t.Fatal("it goes on")
	}
}

// A backup is restored while a Task waits for its retry, which is due before the controller checks the version of the storage. The
// controller's memory of the time since the backup does not overwrite the stored status.
func TestRestoredStatusIsNotWrittenOver(t *testing.T) {
	inBubble(t, func(w *world) {
		ended := w.runUntilRestored()
		w.running("a", taskRetries(1), taskDelay(1))
		restore, stored := w.Backup(), w.Get(apitest.Frameworks, "a")
		w.EndPod("a-w-0", 1)
		w.taskReaches("a", "w", 0, v1.AttemptCompleted)
		restore()
		requireRestored(t, ended)
		require.Equal(t, stored, w.Get(apitest.Frameworks, "a"))
	})
}

// A backup is restored while there is no leader, and a standby controller becomes the leader before it has checked the version of
// the storage. It writes nothing.
func TestStorageIsRestoredBeforeOneLeads(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tampered, w.errorsExpected = true, true
	w.start() // the first leader
	w.running("a", taskRetries(1))
	second := w.newController(time.Now)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	second.StandBy(ctx)
	w.eventually("the one that stands by is ready", func() bool { return failing(second.Readiness()) == "" })
	restore, stored := w.Backup(), w.Get(apitest.Frameworks, "a")
	w.EndPod("a-w-0", 1)
	w.eventually("the Task is retried", func() bool {
		pod := w.Get(apitest.Pods, "a-w-0")
		return pod != nil && pod.GetAnnotations()[v1.KeyTaskAttemptID] == "1"
	})
	w.stop()
	w.Deny("list pods") // so that its cache stays unchanged
	restore()
	ended := make(chan error, 1)
	go func() { ended <- second.Run(ctx) }()
	requireRestored(t, ended)
	require.Equal(t, stored, w.Get(apitest.Frameworks, "a"))
}

// Increasing versions, or a storage that does not answer, are no reason to end.
func TestStorageIsNotRestored(t *testing.T) {
	inBubble(t, func(w *world) {
		w.options.ContactEvery = 5 * time.Second
		w.start()
		w.create("a")
		w.taskReaches("a", "w", 0, v1.AttemptPreparing)
		time.Sleep(time.Minute)
		w.BreakWatches()
		w.Deny("list frameworks")
		time.Sleep(time.Minute)
		w.Permit("list frameworks")
		w.RunPod("a-w-0")
		w.reaches("a", v1.AttemptRunning)
	})
}

// The watch of Frameworks shows decreased versions when it has to list again, even if the storage is not asked.
func TestWatchShowsThatVersionsGoBack(t *testing.T) {
	t.Parallel()
	at := func(version string) *metav1.PartialObjectMetadata {
		return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: apitest.Namespace, Name: "a", ResourceVersion: version}}
	}
	server := apiserver.NewServer(nil, apiserver.ServerOptions{})
	l := &listener{othersChanged: func(cache.ObjectName) {}, enqueue: func(cache.ObjectName, event) {}, noteVersions: server.NoteVersions}
	l.frameworkEvent(nil, at("10"))
	l.frameworkEvent(at("10"), at("10"))
	l.frameworkEvent(at("10"), at("20"))
	l.frameworkEvent(at("20"), nil)
	require.NoError(t, server.WhyRestored())
	l.frameworkEvent(at("20"), at("15"))
	require.ErrorIs(t, server.WhyRestored(), apiserver.ErrRestored)
}

package e2e

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// recorder watches every Framework, and every Pod made for one, and remembers what changed in each namespace. It sees
// every single write, in the order in which the API server accepted them.
type recorder struct {
	mu          sync.Mutex
	byNamespace map[string]*history
	more        chan struct{} // closed, and replaced, whenever there is a new observation
	blind       error         // why a watch ended; nil while all go on
	deletions   deletions
}

// history is what happened in one namespace.
type history struct {
	observations []observation
	alive        map[string]bool // UIDs of the objects that are there
	pods         podCount
}

// podCount counts the Pods that were ever created, and those of them that are gone.
type podCount struct{ created, gone int }

// observation is one write: either of a Framework or of a Pod. Of a Pod, only creation and removal are noted, and that it is
// held: it runs nothing any more, and only a finalizer keeps it.
type observation struct {
	version   uint64 // the API server's, which orders the writes of all kinds of objects
	framework *frameworkSeen
	pod       *podSeen
	gone      bool
	held      bool
}

// frameworkSeen is what the checker needs of a Framework.
type frameworkSeen struct {
	name, uid, state, configMapUID string
	attempt                        int64
	decided                        bool // it has a completion status, with that code
	code                           completion.Code
	retries                        retriesSeen
	tasks                          map[string]taskSeen // by the name of the Pod
}

// taskSeen is what the checker needs of a Task.
type taskSeen struct {
	uid, podUID, state string
	attempt            int64
	deletionPending    bool
	decided            bool
	code               completion.Code
	retries            retriesSeen
}

type retriesSeen struct{ total, accountable int64 }

// podSeen is what the checker needs of a Pod.
type podSeen struct {
	name, uid                   string
	framework, frameworkUID     string
	configMapUID, task, attempt string
}

// startRecorder begins to watch now.
func startRecorder(ctx context.Context) (*recorder, error) {
	w := &recorder{
		byNamespace: map[string]*history{},
		more:        make(chan struct{}),
		deletions:   deletions{pods: map[types.UID]types.NamespacedName{}},
	}
	watches := []cache.WatchFuncWithContext{
		raw.Watch,
		func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.LabelSelector = v1.KeyFrameworkName
			return core.CoreV1().Pods(metav1.NamespaceAll).Watch(ctx, o)
		},
	}
	for _, start := range watches {
		version, err := watchableVersion(ctx, start)
		if err != nil {
			return nil, err
		}
		events, err := watchtools.NewRetryWatcherWithContext(ctx, version, &cache.ListWatch{WatchFuncWithContext: start})
		if err != nil {
			return nil, err
		}
		go w.follow(ctx, events)
	}
	return w, nil
}

// watchableVersion returns a resource version from which a watch can begin. That of a list need not be one: while the
// API server still fills its cache, it lists from the storage, and its cache may then begin at a later version.
func watchableVersion(ctx context.Context, start cache.WatchFuncWithContext) (string, error) {
	initially := true
	events, err := start(ctx, metav1.ListOptions{
		SendInitialEvents:    &initially,
		AllowWatchBookmarks:  true,
		ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
	})
	if err != nil {
		return "", err
	}
	defer events.Stop()
	for e := range events.ResultChan() {
		if o, ok := e.Object.(metav1.Object); ok && e.Type == watch.Bookmark {
			return o.GetResourceVersion(), nil
		}
	}
	return "", fmt.Errorf("the watch from which the recorder was to begin has ended")
}

func (w *recorder) follow(ctx context.Context, events watch.Interface) {
	var reason string
	for e := range events.ResultChan() {
		switch o := e.Object.(type) {
		case *metav1.Status:
			reason = o.Message
		case *unstructured.Unstructured:
			w.note(o, observation{framework: seeFramework(o), gone: e.Type == watch.Deleted})
		case *corev1.Pod:
			w.deletions.note(o, e.Type == watch.Deleted)
			held := e.Type == watch.Modified && isHeld(o)
			if (held || e.Type != watch.Modified) && o.Annotations[v1.KeyFrameworkUID] != "" {
				w.note(o, observation{pod: seePod(o), gone: e.Type == watch.Deleted, held: held})
			}
		}
	}
	if ctx.Err() == nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.blind = fmt.Errorf("the recorder has lost a watch, so its reports are incomplete: %s", reason)
	}
}

func (w *recorder) note(o metav1.Object, s observation) {
	s.version, _ = strconv.ParseUint(o.GetResourceVersion(), 10, 64)
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.of(o.GetNamespace())
	t.observations = append(t.observations, s)
	switch {
	case s.pod == nil || s.held:
	case s.gone:
		t.pods.gone++
	default:
		t.pods.created++
	}
	if s.gone {
		delete(t.alive, string(o.GetUID()))
	} else {
		t.alive[string(o.GetUID())] = true
	}
	close(w.more)
	w.more = make(chan struct{})
}

// of returns the history on a namespace. The caller holds the lock.
func (w *recorder) of(namespace string) *history {
	t := w.byNamespace[namespace]
	if t == nil {
		t = &history{alive: map[string]bool{}}
		w.byNamespace[namespace] = t
	}
	return t
}

// await returns once the history is as wanted.
func (w *recorder) await(ctx context.Context, namespace string, is func(*history) bool) error {
	for {
		w.mu.Lock()
		done, more, blind := is(w.of(namespace)), w.more, w.blind
		w.mu.Unlock()
		if done || blind != nil {
			return blind
		}
		select {
		case <-more:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// awaitNothing returns once all Frameworks and their Pods are gone.
func (w *recorder) awaitNothing(ctx context.Context, namespace string) error {
	if err := w.await(ctx, namespace, func(t *history) bool { return len(t.alive) == 0 }); err != nil {
		return fmt.Errorf("Frameworks, or Pods of theirs, are left: %w", err)
	}
	return nil
}

// awaitPods returns the counts of Pods once they are as wanted.
func (s *story) awaitPods(wanted string, is func(podCount) bool) podCount {
	s.t.Helper()
	ctx, cancel := s.patient()
	defer cancel()
	var last podCount
	err := seen.await(ctx, s.namespace, func(t *history) bool {
		last = t.pods
		return is(last)
	})
	if err != nil {
		s.t.Fatalf("number of Pods is not %s but %+v: %v", wanted, last, err)
	}
	return last
}

// observations returns what happened in a namespace, in order.
func (w *recorder) observations(namespace string) []observation {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := slices.Clone(w.of(namespace).observations)
	slices.SortStableFunc(out, func(a, b observation) int { return int(a.version) - int(b.version) })
	return out
}

package controller

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history"
)

// snapshotLine is the pattern that log collectors use.
var snapshotLine = regexp.MustCompile(`^\w\d{4} [^\s]*\s+\d+\s+[^ \]]+\] .*: (On\w+): ObjectSnapshot: (.+)$`)

// toldBuffer is a logBuffer that is written to by many, like stderr.
type toldBuffer struct{ logBuffer }

func (b *toldBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// startHistory starts a world whose controller writes a history, and returns both.
func startHistory(t *testing.T) (*world, *toldBuffer) {
	t.Helper()
	w, told := newWorld(t), &toldBuffer{}
	w.options.History = history.New(told, history.Switches{
		OnFrameworkRetry: true, OnFrameworkDeletion: true, OnTaskRetry: true, OnTaskDeletion: true, OnPodDeletion: true})
	w.start()
	return w, told
}

// snapshot holds the fields of a history object that these tests check.
type snapshot struct {
	Kind     string
	Metadata struct {
		Name, ResourceVersion string
		UID                   types.UID
	}
	Status struct {
		State         v1.State
		AttemptStatus struct{ ID int32 }
		Phase         string
	}
}

// snapshots returns the objects written with a trigger, in order.
func snapshots(t *testing.T, told *toldBuffer, trigger string) []snapshot {
	t.Helper()
	var out []snapshot
	for _, line := range told.lines("ObjectSnapshot") {
		parts := snapshotLine.FindStringSubmatch(line)
		if parts == nil {
			t.Fatalf("collectors cannot read %s", line)
		}
		var s snapshot
		require.NoError(t, json.Unmarshal([]byte(parts[2]), &s))
		if parts[1] == trigger {
			out = append(out, s)
		}
	}
	return out
}

// An attempt is written to the history as it was before its retry: after it has ended, before the counters change.
func TestHistoryOfRetries(t *testing.T) {
	t.Parallel()
	w, told := startHistory(t)
	w.create("a", frameworkRetries(1), taskRetries(2))
	w.failsTimes(6)

	tasks, frameworks := snapshots(t, told, "OnTaskRetry"), snapshots(t, told, "OnFrameworkRetry")
	if len(tasks) != 4 || len(frameworks) != 1 {
		t.Fatalf("told of %d Task retries and %d Framework retries", len(tasks), len(frameworks))
	}
	for i, s := range slices.Concat(tasks, frameworks) {
		if s.Status.State != v1.AttemptCompleted || s.Status.AttemptStatus.ID != []int32{0, 1, 0, 1, 0}[i] {
			t.Errorf("told of %+v", s)
		}
	}
	w.requireToldApart(append(tasks, frameworks...))
	for _, s := range tasks {
		w.requireStoredAs(s)
	}
	if pods := snapshots(t, told, "OnPodDeletion"); len(pods) != 6 || pods[0].Status.Phase != "Failed" {
		t.Errorf("told of Pods %+v", pods)
	}
}

// requireToldApart: collectors drop a snapshot with the UID and resourceVersion of an earlier one.
func (w *world) requireToldApart(told []snapshot) {
	w.t.Helper()
	seen := map[string]bool{}
	for _, s := range told {
		key := string(s.Metadata.UID) + " at " + s.Metadata.ResourceVersion
		if seen[key] {
			w.t.Errorf("%s is told twice", key)
		}
		seen[key] = true
	}
}

// requireStoredAs: a Task of Framework a was stored with this content in this very version of the Framework.
func (w *world) requireStoredAs(told snapshot) {
	w.t.Helper()
	role, index, _ := v1.ParsePodName("a", told.Metadata.Name)
	for _, o := range w.History(apitest.Frameworks, "a") {
		if o.GetResourceVersion() != told.Metadata.ResourceVersion {
			continue
		}
		stored := taskOfStatus(statusOf(o), role, int(index))
		if types.UID(stored.InstanceUID) != told.Metadata.UID || stored.State != told.Status.State || stored.AttemptStatus.ID != told.Status.AttemptStatus.ID {
			w.t.Errorf("told of %+v, stored was %+v", told, stored)
		}
		return
	}
	w.t.Errorf("the resourceVersion %q was never stored", told.Metadata.ResourceVersion)
}

// A deleted Framework is written to the history once, as it was stored.
func TestHistoryOfDeletion(t *testing.T) {
	t.Parallel()
	w, told := startHistory(t)
	w.running("a")
	w.EndPod("a-w-0", 0)
	w.reaches("a", v1.Completed)
	w.Vanish(apitest.Frameworks, "a")
	w.eventually("the deletion is told", func() bool { return len(snapshots(t, told, "OnFrameworkDeletion")) > 0 })
	if got := snapshots(t, told, "OnFrameworkDeletion"); len(got) != 1 || got[0].Status.State != v1.Completed || got[0].Metadata.Name != "a" {
		t.Errorf("told of %+v", got)
	}
}

// A Pod that the watch shows a while longer than its Framework is written to the history, too, and then nothing is remembered.
func TestHistoryOfPodThatGoesAfterItsFramework(t *testing.T) {
	t.Parallel()
	w, told := startHistory(t)
	w.running("a")
	w.Hold(apitest.Pods)
	w.Vanish(apitest.Frameworks, "a") // and the Pod with it
	w.eventually("the deletion is told", func() bool { return len(snapshots(t, told, "OnFrameworkDeletion")) > 0 })
	w.Release(apitest.Pods)
	w.eventually("the Pod is told", func() bool { return len(snapshots(t, told, "OnPodDeletion")) > 0 })
	w.eventually("the Framework is forgotten", func() bool { return len(w.c.queue.records.keys()) == 0 })
	if got := len(snapshots(t, told, "OnFrameworkDeletion")); got != 1 {
		t.Errorf("the deletion of the Framework is told %d times", got)
	}
}

// So is a Pod whose Framework's name belongs to another by the time the controller finds out.
func TestHistoryOfRecreation(t *testing.T) {
	t.Parallel()
	w, told := startHistory(t)
	w.running("a")
	uid := w.Get(apitest.Frameworks, "a").GetUID()
	w.Hold(apitest.Frameworks)
	w.Vanish(apitest.Frameworks, "a")
	w.create("a")
	w.eventually("the new Framework is read", func() bool { return w.state("a") != "" })
	w.Release(apitest.Frameworks)
	w.eventually("the deletion is told", func() bool { return len(snapshots(t, told, "OnFrameworkDeletion")) > 0 })
	if got := snapshots(t, told, "OnFrameworkDeletion"); len(got) != 1 || got[0].Metadata.UID != uid {
		t.Errorf("told of %+v", got)
	}
}

// A Task removed by a scale-down is written to the history when it is dropped, as completed.
func TestHistoryOfScaleDown(t *testing.T) {
	t.Parallel()
	w, told := startHistory(t)
	w.running("a", tasks(2))
	w.respec("a", tasks(1))
	w.eventually("one Task is left", func() bool { return len(w.status("a").AttemptStatus.TaskRoleStatuses[0].TaskStatuses) == 1 })
	got := snapshots(t, told, "OnTaskDeletion")
	if len(got) != 1 || got[0].Metadata.Name != "a-w-1" || got[0].Status.State != v1.Completed {
		t.Fatalf("told of %+v", got)
	}
	w.requireStoredAs(got[0])
}

// A Pod that vanishes before its Framework could be read is written to the history once the Framework is read, and only once.
func TestHistoryOfPodBeforeTheFirstRound(t *testing.T) {
	t.Parallel()
	w, told := startHistory(t)
	w.running("a")
	w.stop()
	heal := w.Inject("get frameworks", apitest.Always, apitest.Refuse(http.StatusInternalServerError, metav1.StatusReasonInternalError, "oh"))
	w.start()
	w.eventually("the cache shows the Pod", func() bool { return w.c.watches.pod(apitest.Namespace, "a-w-0") != nil })
	reads := len(w.requested("get frameworks", len(w.Requests("get frameworks"))+1))
	w.Vanish(apitest.Pods, "a-w-0")
	w.eventually("the cache shows it no more", func() bool { return w.c.watches.pod(apitest.Namespace, "a-w-0") == nil })
	w.requested("get frameworks", reads+3)
	heal()
	w.reaches("a", v1.Completed)
	if pods := snapshots(t, told, "OnPodDeletion"); len(pods) != 1 || pods[0].Metadata.Name != "a-w-0" || pods[0].Status.Phase != "Running" {
		t.Errorf("told of Pods %+v", pods)
	}
}

// The same for a Pod that vanishes before the controller knows its Framework. Only the API server can confirm that it is gone,
// and has not just lost its label.
func TestHistoryOfPodThatVanishesBeforeTheFirstRound(t *testing.T) {
	t.Parallel()
	w, told := startHistory(t)
	w.create("b", func(s *v1.FrameworkSpec) { s.ExecutionType = v1.ExecutionCreate })
	w.reaches("b", v1.AttemptCreationPending)
	before, err := strconv.ParseInt(w.Get(apitest.Frameworks, "b").GetResourceVersion(), 10, 64)
	require.NoError(t, err)
	w.running("a")
	w.stop()
	w.HoldAt(apitest.Frameworks, before)
	held := make(chan struct{})
	w.Inject("get frameworks b", 1, apitest.Fault{Wait: held})
	reads := len(w.Requests("get frameworks b"))
	w.options.Workers = 1 // b occupies it
	w.start()
	w.requested("get frameworks b", reads+1)
	w.Vanish(apitest.Pods, "a-w-0")
	w.eventually("the event is there", func() bool {
		mailbox := &w.c.queue.records.get(w.key("a")).mailbox
		mailbox.mu.Lock()
		defer mailbox.mu.Unlock()
		return slices.ContainsFunc(mailbox.events, func(n event) bool {
			o, ok := n.(objectChanged)
			return ok && o.unwatched != nil
		})
	})
	w.Release(apitest.Frameworks)
	w.eventually("the cache shows the Framework", func() bool { return w.c.watches.framework(w.key("a")) != nil })
	close(held)
	w.reaches("a", v1.Completed)
	if pods := snapshots(t, told, "OnPodDeletion"); len(pods) != 1 || pods[0].Metadata.Name != "a-w-0" || pods[0].Status.Phase != "Running" {
		t.Errorf("told of Pods %+v", pods)
	}
}

package controller

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/counts"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// auditCounts recounts, one by one, the incremental counts of the stopped controller. Nothing may be left of the work that it
// knew to be under way.
func (w *world) auditCounts() {
	w.t.Helper()
	if w.c == nil {
		return
	}
	if l := w.c.Load(); l.Rounds != 0 || l.Actions != 0 {
		w.t.Errorf("the controller has stopped, and believes to be doing %+v", l)
	}
	again := counts.New(reason.Waitings())
	for _, key := range w.c.queue.records.keys() { // informers may still enter one
		was := w.c.queue.records.get(key).reported.counted
		again.Add(was)
		if s := was.State(); s != nil {
			var now counts.Counted
			counts.New(reason.Waitings()).Apply(&now, lifecycle.Output{State: s}, reasonToWait(s), true)
			if now != was {
				w.t.Errorf("Framework %s: counted as %v, but it is %v", key, was, now)
			}
		}
	}
	if found, want := w.c.Waiting(), again.Waiting(); !slices.Equal(found, want) {
		w.t.Errorf("counted are %v, and the records have %v", found, want)
	}
	if found, want := w.c.StateCounts(), again.States(); !slices.Equal(found, want) {
		w.t.Errorf("counted are %v, and the records have %v", found, want)
	}
}

// waitingFor lists the waiting reasons with their numbers of Frameworks, without zeros.
func (w *world) waitingFor() string {
	var found []string
	for _, p := range w.c.Waiting() {
		if p.Frameworks != 0 {
			found = append(found, fmt.Sprintf("%s %d", p.Reason, p.Frameworks))
		}
	}
	return fmt.Sprint(found)
}

func (w *world) waitFor(want string) {
	w.t.Helper()
	w.eventually("Frameworks wait for "+want+" and nothing else", func() bool { return w.waitingFor() == want })
}

// population lists the counts of Frameworks and Tasks by state, without zeros.
func (w *world) population() string {
	var found []string
	for _, p := range w.c.StateCounts() {
		if p.Frameworks != 0 || p.Tasks != 0 {
			found = append(found, fmt.Sprintf("%s %d %d", p.State, p.Frameworks, p.Tasks))
		}
	}
	return fmt.Sprint(found)
}

func (w *world) counts(want string) {
	w.t.Helper()
	w.eventually("there are "+want+" and not other numbers", func() bool { return w.population() == want })
}

// The counts follow a Framework from its beginning to its end.
func TestStateCounts(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("a", tasks(3), taskRetries(1))
	for _, pod := range []string{"a-w-0", "a-w-1", "a-w-2"} {
		w.eventually(pod, func() bool { return w.Get(apitest.Pods, pod) != nil })
		w.RunPod(pod)
	}
	w.counts("[AttemptRunning 1 3]")
	w.finalize(apitest.Pods, "a-w-0")
	w.Delete(apitest.Pods, "a-w-0")
	w.counts("[AttemptRunning 1 2 AttemptDeleting 0 1]")
	w.respec("a", tasks(5))
	w.counts("[AttemptPreparing 0 2 AttemptRunning 1 2 AttemptDeleting 0 1]")
	w.restart()
	w.counts("[AttemptPreparing 0 2 AttemptRunning 1 2 AttemptDeleting 0 1]")
	w.Edit(apitest.Pods, "a-w-0", func(o *unstructured.Unstructured) { o.SetFinalizers(nil) })
	w.stopFramework("a")
	w.reaches("a", v1.Completed)
	w.counts("[Completed 1 5]")
	w.Delete(apitest.Frameworks, "a")
	w.counts("[]")
}

// An invalid Framework is counted as invalid, and by its state once it is mended.
func TestCountsOfInvalid(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	f := framework(t, "a")
	good := f.Object["spec"].(map[string]any)["taskRoles"]
	f.Object["spec"].(map[string]any)["taskRoles"] = "none"
	w.Create(apitest.Frameworks, f)
	w.counts("[Invalid 1 0]")
	w.Edit(apitest.Frameworks, "a", func(o *unstructured.Unstructured) {
		o.Object["spec"].(map[string]any)["taskRoles"] = good
	})
	w.counts("[AttemptPreparing 1 1]")
}

// Frameworks are counted by waiting reason until they no longer wait.
func TestCountsOfWaiting(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.Create(apitest.ConfigMaps, foreign(apitest.ConfigMaps, "a-attempt"))
	undo := w.Inject("create configmaps b-attempt", apitest.Always, apitest.Refuse(http.StatusInternalServerError, "OfSomeWebhook", "no"))
	w.create("a")
	w.create("b")
	w.create("c")
	w.runs("c")
	w.waitFor("[NameConflict 1 other 1]")
	w.restart()
	w.waitFor("[NameConflict 1 other 1]")
	undo()
	w.waitFor("[NameConflict 1]")
	w.Delete(apitest.Frameworks, "a")
	w.waitFor("[]")
}

// BenchmarkReportCounts measures the counting in a round of a Framework with ten thousand Tasks, one of which has changed.
func BenchmarkReportCounts(b *testing.B) {
	spec := &v1.FrameworkSpec{ExecutionType: v1.ExecutionStart, TaskRoles: []v1.TaskRoleSpec{{Name: "w", TaskNumber: 10_000}}}
	in := lifecycle.Input{Framework: lifecycle.Framework{Name: "a", UID: "a", Spec: spec}, Now: time.Now()}
	saved := [2]*lifecycle.State{lifecycle.Step(in).State, lifecycle.Step(in).State}
	rep := &reporter{observer: unobserved{}, counts: counts.New(reason.Waitings())}
	ref := lifecycle.TaskRef{Role: "w", Index: 7}
	there := []lifecycle.Move{{Task: &ref, Row: "T3", From: v1.AttemptCreationPending, To: v1.AttemptCreationRequested}}
	back := []lifecycle.Move{{Task: &ref, Row: "T3", From: v1.AttemptCreationRequested, To: v1.AttemptCreationPending}}
	outputs := [2]lifecycle.Output{{State: saved[0], Moves: back}, {State: saved[1], Moves: there}}
	was := &counts.Counted{}
	rep.counts.Apply(was, outputs[0], "", true)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		out := outputs[(i+1)%2]
		rep.recordMetrics(out)
		rep.counts.Apply(was, out, reasonToWait(out.State), false)
	}
}

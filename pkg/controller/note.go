package controller

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/podview"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/waiting"
)

// dropOutdatedAnswers drops answers of the API server with which the caches have caught up, for the objects of this round.
func (w *watches) dropOutdatedAnswers(r *record) {
	d := &r.dependents
	if f := &d.configMap; f.live != nil && f.isOutdatedBy(w.configMap(r.key.Namespace, v1.ConfigMapName(r.key.Name))) {
		f.live = nil
	}
	if r.schedule.full {
		for name, f := range d.pods {
			w.dropOutdatedPod(r, name, f)
			if !w.needed(r, name, f) {
				delete(d.pods, name)
			}
		}
		r.questions.forgetTasks(r.status.hasTask)
		r.archive.forgetTasks(r.status.hasTask)
		r.logs.forgetTasks(r.status.hasTask)
		return
	}
	for ref := range r.schedule.changed {
		name := r.podName(ref)
		w.dropOutdatedPod(r, name, d.pods[name])
	}
}

// needed reports whether a later round may need the facts about a Pod's name: it belongs to a Task, or to an object that exists
// or may still be created.
func (w *watches) needed(r *record, name string, f *facts) bool {
	role, index, ok := v1.ParsePodName(r.key.Name, name)
	if ok && r.status.hasTask(lifecycle.TaskRef{Role: role, Index: index}) {
		return true
	}
	return f.inFlight || f.live != nil || !f.creation.pendingUntil.IsZero() || w.pod(r.key.Namespace, name) != nil
}

func (w *watches) dropOutdatedPod(r *record, name string, f *facts) {
	if f != nil && f.live != nil && f.isOutdatedBy(w.pod(r.key.Namespace, name)) {
		f.live = nil
	}
}

// note remembers the parts of an observation that later rounds need, as they may not look at everything.
func (r *record) note(seen lifecycle.Observed, again, now time.Time) {
	r.schedule.retryNotAfter(again)
	if !seen.Partial {
		r.dependents.stalls = map[lifecycle.TaskRef]waiting.Stall{}
	}
	for ref, view := range seen.Pods {
		r.noteStall(ref, r.believed(ref, view), now)
	}
}

// believed returns the view with the Pod that is being looked up: uncertainty about it does not end its wait.
func (r *record) believed(ref lifecycle.TaskRef, view lifecycle.PodView) lifecycle.PodView {
	if view.Pod != nil || view.Asked {
		return view
	}
	f := r.dependents.pods[r.podName(ref)]
	if f == nil {
		return view
	}
	switch p := f.refetching.(type) {
	case *podview.CachedPod:
		view.Pod = podview.PodOf(&p.Pod, false)
	case *corev1.Pod:
		view.Pod = podview.PodOf(p, false)
	}
	return view
}

// startLook is the interval of looks for Pods that take too long to start. Pods start at different times, and there may be
// many.
const startLook = 10 * time.Second

// noteStall remembers stalled Pods for the rounds that do not look at them. Every Pod takes a while to be scheduled and to start,
// so only Pods that have taken too long are remembered: a full round finds them.
func (r *record) noteStall(ref lifecycle.TaskRef, view lifecycle.PodView, now time.Time) {
	stall, stalls := view.Stall()
	if stalls && stall.Usual() && now.Before(stall.Until) {
		r.schedule.retryNotAfter(stall.Until.Truncate(startLook).Add(startLook))
		stalls = false
	}
	if stalls {
		r.dependents.stalls[ref] = stall
	} else {
		delete(r.dependents.stalls, ref)
	}
}

package controller

import (
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/podview"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// observe collects the input of the next step: the contents of the caches, and newer answers of the API server. It only reads.
// Again is when to look again without an event; zero for never.
func (w *watches) observe(r *record, now time.Time) (seen lifecycle.Observed, again time.Time) {
	seen = lifecycle.Observed{
		Pods:     w.observePods(r),
		Partial:  !r.schedule.full,
		Decision: r.questions.decision,
		Hints:    r.questions.hintsView(r.status.saved),
		Archived: r.archive.done,
		Items:    r.observeItems(),
		Claims:   r.dependents.claims.observe(now),
		Blockers: r.blockedBy(),

		LogsCollected: r.logs.collected,
	}
	seen.ConfigMap, again = w.observeConfigMap(r, now)
	var due time.Time
	seen.Companions, due = w.observeCompanions(r, now)
	return seen, earlier(again, due)
}

func (w *watches) observeConfigMap(r *record, now time.Time) (view lifecycle.ConfigMapView, again time.Time) {
	f := &r.dependents.configMap
	view = lifecycle.ConfigMapView{Gone: f.deletedUID, DeleteRequested: f.deleteRequested, Asked: f.confirmed}
	if o, cached := f.newest(w.configMap(r.key.Namespace, v1.ConfigMapName(r.key.Name))); o != nil {
		view.ConfigMap = podview.ConfigMapOf(o, cached)
	}
	recorded := r.status.configMapUID()
	if !lost(view, recorded) {
		return view, time.Time{}
	}
	awaits, again := r.dependents.awaitPods(now)
	if awaits || w.hasPodsOf(r, recorded) {
		// One of its Pods was created after the garbage collector had looked. The attempt goes on until that Pod is gone, too.
		view.Gone = ""
		view.ConfigMap = &lifecycle.ConfigMap{
			UID:              recorded,
			Cached:           true,
			Deleting:         true,
			TerminationStart: now,
			FrameworkUID:     r.uid,
			AttemptID:        r.status.saved.Framework().AttemptStatus.ID,
		}
	}
	return view, again
}

// lost reports whether the recorded ConfigMap, if there is one, is certainly gone.
func lost(v lifecycle.ConfigMapView, recorded types.UID) bool {
	return recorded != "" && (v.Gone == recorded || v.Asked && (v.ConfigMap == nil || v.ConfigMap.UID != recorded))
}

// hasPodsOf reports whether a Pod of a ConfigMap may still run something: it is not known to be gone, or to be held only by
// finalizers. The cache may lag behind an answer.
func (w *watches) hasPodsOf(r *record, configMap types.UID) bool {
	names := slices.AppendSeq(w.podNames(r.key), maps.Keys(r.dependents.pods))
	return slices.ContainsFunc(names, func(name string) bool {
		f := r.dependents.pods[name]
		if f == nil {
			f = &facts{}
		}
		pod, _ := f.newest(w.pod(r.key.Namespace, name))
		if pod == nil || f.deletedUID == pod.GetUID() || podview.Held(pod) {
			return false
		}
		owner := metav1.GetControllerOfNoCopy(pod)
		return owner != nil && owner.UID == configMap
	})
}

func (w *watches) observePods(r *record) map[lifecycle.TaskRef]lifecycle.PodView {
	views := make(map[lifecycle.TaskRef]lifecycle.PodView, len(r.schedule.changed))
	if !r.schedule.full {
		for ref := range r.schedule.changed {
			views[ref] = w.observePod(r, ref)
		}
		return views
	}
	add := func(name string) {
		if role, index, ok := v1.ParsePodName(r.key.Name, name); ok {
			ref := lifecycle.TaskRef{Role: role, Index: index}
			views[ref] = w.observePod(r, ref)
		}
	}
	for _, name := range w.podNames(r.key) {
		add(name)
	}
	for name := range r.dependents.pods {
		add(name)
	}
	return views
}

func (w *watches) observePod(r *record, ref lifecycle.TaskRef) lifecycle.PodView {
	name := r.podName(ref)
	f := r.dependents.pods[name]
	if f == nil {
		f = &facts{}
	}
	view := lifecycle.PodView{
		Gone:            f.deletedUID,
		DeleteRequested: f.deleteRequested,
		Asked:           f.confirmed,
		Refusal:         f.creation.refusal,
		Verdict:         r.questions.verdicts[ref],
		StartVerdict:    r.questions.startVerdicts[ref],
		Unsure:          f.creation.underWay || !f.creation.pendingUntil.IsZero(),
		Disruption:      f.disruption,
	}
	if o, cached := f.newest(w.pod(r.key.Namespace, name)); o != nil {
		pod := o.(*corev1.Pod)
		view.Pod = podview.PodOf(pod, cached)
		if d := podview.DisruptionOf(pod); d != nil {
			view.Disruption = d
		}
	}
	return view
}

// newest returns the object under a name: the cached one, or the one from an answer while that is newer.
func (f *facts) newest(cached metav1.Object) (o metav1.Object, fromCache bool) {
	if f.live == nil || f.isOutdatedBy(cached) {
		return cached, true
	}
	return f.live, cached != nil && cached.GetUID() == f.live.GetUID()
}

// isOutdatedBy reports whether the cache has caught up with the answer in live.
func (f *facts) isOutdatedBy(cached metav1.Object) bool {
	return cached != nil && !newer(f.live, cached)
}

// newer compares two objects of one kind. If their versions are not comparable, the first wins: it comes from an answer, and
// the watch will correct it.
func newer(a, b metav1.Object) bool {
	order, err := resourceversion.CompareResourceVersion(a.GetResourceVersion(), b.GetResourceVersion())
	return err != nil || order > 0
}

// showsHeld reports whether the cache shows that a Pod is held. That can no longer change.
func (w *watches) showsHeld(p *metav1.ObjectMeta) bool {
	shown := w.pod(p.Namespace, p.Name)
	return shown != nil && shown.GetUID() == p.UID && podview.Held(shown)
}

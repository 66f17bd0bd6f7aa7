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
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// observe puts together what the next step is to know: what the caches show, and what answers of the API server
// have said since.
func (c *Controller) observe(r *record) lifecycle.Observed {
	pods := c.observePods(r) // which sees to r.dependents.stays
	return lifecycle.Observed{
		ConfigMap: c.observeConfigMap(r),
		Pods:      pods,
		Partial:   !r.schedule.full,
		Stays:     r.dependents.stays,
		Decision:  r.questions.decision,
		Hints:     r.hintsView(),
		Obstacles: r.obstaclesInTheWay(),
	}
}

func (c *Controller) observeConfigMap(r *record) lifecycle.ConfigMapView {
	f := &r.dependents.configMap
	view := lifecycle.ConfigMapView{Gone: f.gone, DeleteRequested: f.deleteRequested, Asked: f.asked}
	if o, cached := f.newest(c.watches.configMap(r.key.Namespace, v1.ConfigMapName(r.key.Name))); o != nil {
		view.ConfigMap = configMapOf(o, cached)
	}
	if uid := r.configMapUID(); lost(view, uid) && (c.awaitPods(r) || c.hasPodsOf(r, uid)) {
		// One of its Pods was created after the garbage collector had looked. The attempt goes on until that is gone, too.
		view.Gone = ""
		view.ConfigMap = &lifecycle.ConfigMap{
			UID:              uid,
			Cached:           true,
			Deleting:         true,
			TerminationStart: c.now(),
			FrameworkUID:     r.uid,
			AttemptID:        r.status.saved.Framework().AttemptStatus.ID,
		}
	}
	return view
}

// awaitPods reports whether Pods may still come into being. It sees to it that the question comes up again.
func (c *Controller) awaitPods(r *record) bool {
	awaits, until := r.dependents.awaitPods(c.now())
	r.schedule.retryNotAfter(until)
	return awaits
}

// lost reports whether the recorded ConfigMap, if there is one, no longer exists for certain.
func lost(v lifecycle.ConfigMapView, recorded types.UID) bool {
	return recorded != "" && (v.Gone == recorded || v.Asked && (v.ConfigMap == nil || v.ConfigMap.UID != recorded))
}

// hasPodsOf reports whether there are Pods of a ConfigMap that are not known to be gone, nor to run nothing any more. The
// cache may not show yet what an answer has shown.
func (c *Controller) hasPodsOf(r *record, configMap types.UID) bool {
	names := slices.AppendSeq(c.watches.podNames(r.key), maps.Keys(r.dependents.pods))
	return slices.ContainsFunc(names, func(name string) bool {
		f := r.dependents.pods[name]
		if f == nil {
			f = &facts{}
		}
		pod, _ := f.newest(c.watches.pod(r.key.Namespace, name))
		if pod == nil || f.gone == pod.GetUID() || held(pod) {
			return false
		}
		owner := metav1.GetControllerOfNoCopy(pod)
		return owner != nil && owner.UID == configMap
	})
}

func (c *Controller) observePods(r *record) map[lifecycle.TaskRef]lifecycle.PodView {
	views := make(map[lifecycle.TaskRef]lifecycle.PodView, len(r.schedule.changed))
	if !r.schedule.full {
		for ref := range r.schedule.changed {
			views[ref] = c.observePod(r, ref)
		}
		return views
	}
	r.dependents.stays = map[lifecycle.TaskRef]lifecycle.Stay{}
	add := func(name string) {
		if role, index, ok := v1.ParsePodName(r.key.Name, name); ok {
			ref := lifecycle.TaskRef{Role: role, Index: index}
			views[ref] = c.observePod(r, ref)
		}
	}
	for _, name := range c.watches.podNames(r.key) {
		add(name)
	}
	for name := range r.dependents.pods {
		add(name)
	}
	return views
}

func (c *Controller) observePod(r *record, ref lifecycle.TaskRef) lifecycle.PodView {
	name := r.podName(ref)
	f := r.dependents.pods[name]
	if f == nil {
		f = &facts{}
	}
	view := lifecycle.PodView{Gone: f.gone, DeleteRequested: f.deleteRequested, Asked: f.asked, Refusal: f.creation.refusal, Verdict: r.questions.verdicts[ref]}
	view.Unsure = f.creation.underWay || !f.creation.mayAppear.IsZero()
	view.Disruption = f.disruption
	if o, cached := f.newest(c.watches.pod(r.key.Namespace, name)); o != nil {
		pod := o.(*corev1.Pod)
		view.Pod = podOf(pod, cached)
		if d := disruptionOf(pod); d != nil {
			view.Disruption = d
		}
	}
	r.noteStay(ref, f.believed(view), c.now())
	return view
}

// believed is the view with the Pod that is being asked for: what it waits for is not over by that it is in doubt.
func (f *facts) believed(view lifecycle.PodView) lifecycle.PodView {
	if view.Pod != nil || view.Asked {
		return view
	}
	switch p := f.doubted.(type) {
	case *cachedPod:
		view.Pod = podOf(&p.Pod, false)
	case *corev1.Pod:
		view.Pod = podOf(p, false)
	}
	return view
}

// startLook is how often a Framework is looked at for Pods that have taken too long to start. Pods start at different
// times, and there may be many.
const startLook = 10 * time.Second

// noteStay remembers what stays where it is, for the rounds that do not look at it. Every Pod takes a while to get a node
// and to start, so that is remembered of those only that have taken too long: a full round will find them.
func (r *record) noteStay(ref lifecycle.TaskRef, view lifecycle.PodView, now time.Time) {
	stay, stays := view.Stay()
	if stays && stay.Usual() && now.Before(stay.Until) {
		r.schedule.retryNotAfter(stay.Until.Truncate(startLook).Add(startLook))
		stays = false
	}
	if stays {
		r.dependents.stays[ref] = stay
	} else {
		delete(r.dependents.stays, ref)
	}
}

// newest returns the object under a name: the cached one, or the one from an answer as long as that is newer.
func (f *facts) newest(cached metav1.Object) (o metav1.Object, fromCache bool) {
	if f.live == nil {
		return cached, true
	}
	if cached == nil || newer(f.live, cached) {
		return f.live, cached != nil && cached.GetUID() == f.live.GetUID()
	}
	f.live = nil
	return cached, true
}

// newer compares two objects of one kind. Versions that cannot be compared let the first one win: it comes from
// an answer, and the watch will tell.
func newer(a, b metav1.Object) bool {
	order, err := resourceversion.CompareResourceVersion(a.GetResourceVersion(), b.GetResourceVersion())
	return err != nil || order > 0
}

func configMapOf(o metav1.Object, cached bool) *lifecycle.ConfigMap {
	cm := &lifecycle.ConfigMap{UID: o.GetUID(), Cached: cached, Deleting: o.GetDeletionTimestamp() != nil, AttemptID: -1}
	cm.AwaitsCollector = slices.Contains(o.GetFinalizers(), v1.AttemptConfigMapFinalizer)
	if id, ok := objects.Identify(o); ok && id.ControllerKind == objects.KindFramework {
		cm.FrameworkUID, cm.AttemptID = id.ControllerUID, id.FrameworkAttemptID
	}
	if cm.Deleting {
		cm.TerminationStart = o.GetDeletionTimestamp().Time
	}
	return cm
}

func podOf(p *corev1.Pod, cached bool) *lifecycle.Pod {
	out := &lifecycle.Pod{
		UID:           p.UID,
		Cached:        cached,
		TaskAttemptID: -1,
		Phase:         lifecycle.PodPhase(p.Status.Phase),
		NodeName:      p.Spec.NodeName,
		IP:            p.Status.PodIP,
		HostIP:        p.Status.HostIP,
	}
	if id, ok := objects.Identify(p); ok && id.ControllerKind == objects.KindConfigMap {
		out.ConfigMapUID, out.TaskUID, out.TaskAttemptID = id.ControllerUID, id.TaskUID, id.TaskAttemptID
	}
	out.Deleting, out.TerminationStart, out.TerminationEnd = termination(p)
	out.Finalizers = finalizersOf(p)
	if ended(p.Status.Phase) {
		out.Outcome = outcomeOf(p)
	} else {
		out.Delay = delayOf(p)
	}
	return out
}

// termination says since when a Pod terminates, and when its grace period is over, by which its deletionTimestamp
// lies in the future.
func termination(p *corev1.Pod) (deleting bool, since, until time.Time) {
	if p.DeletionTimestamp == nil {
		return false, time.Time{}, time.Time{}
	}
	grace := int64(0)
	if p.DeletionGracePeriodSeconds != nil {
		grace = *p.DeletionGracePeriodSeconds
	}
	return true, p.DeletionTimestamp.Add(-time.Duration(grace) * time.Second), p.DeletionTimestamp.Time
}

func ended(phase corev1.PodPhase) bool {
	return phase == corev1.PodSucceeded || phase == corev1.PodFailed
}

func outcomeOf(p *corev1.Pod) completion.Pod {
	out := completion.Pod{Name: p.Name, Reason: p.Status.Reason, Message: p.Status.Message}
	sidecars := restartableInits(p)
	for _, s := range p.Status.InitContainerStatuses {
		c := containerOf(s)
		c.Init, c.Restartable = true, sidecars[s.Name]
		out.Containers = append(out.Containers, c)
	}
	for _, s := range p.Status.ContainerStatuses {
		out.Containers = append(out.Containers, containerOf(s))
	}
	return out
}

func restartableInits(p *corev1.Pod) map[string]bool {
	names := map[string]bool{}
	for _, c := range p.Spec.InitContainers {
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			names[c.Name] = true
		}
	}
	return names
}

func containerOf(s corev1.ContainerStatus) completion.Container {
	c := completion.Container{Name: s.Name}
	if t := s.State.Terminated; t != nil {
		c.Terminated = true
		c.Code, c.Signal, c.Reason, c.Message, c.FinishedAt = t.ExitCode, t.Signal, t.Reason, t.Message, t.FinishedAt.Time
	}
	return c
}

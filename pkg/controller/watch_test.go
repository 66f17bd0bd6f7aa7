package controller

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/podview"
)

// Most updates of a Pod do not change the fields that are read, and are no events.
func TestTellsMore(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(p *corev1.Pod)
		want   bool
	}{
		"nothing": {func(p *corev1.Pod) {}, false},
		"version": {func(p *corev1.Pod) { p.ResourceVersion = "8" }, false},
		"label":   {func(p *corev1.Pod) { p.Labels = map[string]string{"a": "b"} }, false},
		"condition": {func(p *corev1.Pod) {
			p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: corev1.PodReady})
		}, false},
		"node found":  {func(p *corev1.Pod) { p.Status.Conditions = nil }, true},
		"node":        {func(p *corev1.Pod) { p.Spec.NodeName = "node" }, true},
		"address":     {func(p *corev1.Pod) { p.Status.PodIP = "10.0.0.1" }, true},
		"phase":       {func(p *corev1.Pod) { p.Status.Phase = corev1.PodRunning }, true},
		"termination": {func(p *corev1.Pod) { p.DeletionTimestamp = &metav1.Time{} }, true},
		"image that is not pulled": {func(p *corev1.Pod) {
			p.Spec.NodeName, p.Status.Conditions = "node", nil
			p.Status.ContainerStatuses[0].State.Waiting = &corev1.ContainerStateWaiting{Reason: "ErrImagePull"}
		}, true},
		"words about the node": {func(p *corev1.Pod) { p.Status.Conditions[0].Message = "0/9 nodes are available" }, false},
		"result": {func(p *corev1.Pod) {
			p.Status.Phase = corev1.PodFailed
			p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main"}}
		}, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a-w-0", ResourceVersion: "7"}, Status: corev1.PodStatus{
				Phase: corev1.PodPending, StartTime: &metav1.Time{Time: time.Unix(1, 0)},
				Conditions:        []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable}},
				ContainerStatuses: []corev1.ContainerStatus{{Name: "main"}},
			}}
			after := before.DeepCopy()
			test.change(after)
			if got := podview.Changed(&podview.CachedPod{Pod: before}, &podview.CachedPod{Pod: *after}); got != test.want {
				t.Errorf("tellsMore is %v, want %v", got, test.want)
			}
		})
	}
}

// The end of a Pod's grace period is shown just before the Pod is gone.
func TestEndOfGraceTellsNothing(t *testing.T) {
	t.Parallel()
	terminating := func(grace int64, phase corev1.PodPhase, finalizers ...string) *podview.CachedPod {
		m := metav1.ObjectMeta{DeletionTimestamp: &metav1.Time{Time: time.Unix(grace, 0)}, DeletionGracePeriodSeconds: &grace, Finalizers: finalizers}
		return &podview.CachedPod{Pod: corev1.Pod{ObjectMeta: m, Status: corev1.PodStatus{Phase: phase}}}
	}
	running := &podview.CachedPod{Pod: corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodRunning}}}
	for name, test := range map[string]struct {
		before, after *podview.CachedPod
		want          bool
	}{
		"it is over":                   {terminating(30, corev1.PodRunning), terminating(0, corev1.PodRunning), false},
		"it is shorter":                {terminating(30, corev1.PodRunning), terminating(5, corev1.PodRunning), true},
		"there was none":               {running, terminating(0, corev1.PodRunning), true},
		"it is over, and the Pod ends": {terminating(30, corev1.PodRunning), terminating(0, corev1.PodFailed), true},
		"a finalizer keeps the Pod":    {terminating(30, corev1.PodRunning, "a/b"), terminating(0, corev1.PodRunning, "a/b"), true},
	} {
		if got := podview.Changed(test.before, test.after); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A Pod missing from the watch is looked up, unless its existence no longer matters: nothing runs in a Pod that has ended, and a
// Pod without grace period is deleted, so that the end of an attempt costs no request per Pod.
func TestGoneForCertain(t *testing.T) {
	t.Parallel()
	terminating := metav1.ObjectMeta{DeletionTimestamp: &metav1.Time{}, DeletionGracePeriodSeconds: new(int64(30))}
	graceless := metav1.ObjectMeta{DeletionTimestamp: &metav1.Time{}, DeletionGracePeriodSeconds: new(int64)}
	kept := *graceless.DeepCopy()
	kept.Finalizers = []string{"example.com/keeps"}
	pod := func(m metav1.ObjectMeta, phase corev1.PodPhase) metav1.Object {
		return &podview.CachedPod{Pod: corev1.Pod{ObjectMeta: m, Status: corev1.PodStatus{Phase: phase}}}
	}
	for name, test := range map[string]struct {
		left metav1.Object
		want bool
	}{
		"Pod that runs":             {pod(metav1.ObjectMeta{}, corev1.PodRunning), false},
		"Pod that terminates":       {pod(terminating, corev1.PodRunning), false},
		"Pod whose grace is over":   {pod(graceless, corev1.PodRunning), true},
		"Pod kept by a finalizer":   {pod(kept, corev1.PodRunning), false},
		"Pod that has ended":        {pod(metav1.ObjectMeta{}, corev1.PodSucceeded), true},
		"Pod that ended by its end": {pod(terminating, corev1.PodFailed), true},
		"ConfigMap":                 {&corev1.ConfigMap{}, false},
		"ConfigMap that terminates": {&corev1.ConfigMap{ObjectMeta: terminating}, true},
	} {
		if got := goneForCertain(test.left); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Labelled objects whose names merely begin with the Framework's name cause no rounds: the attempt has one ConfigMap, and its
// Pods have the names of Tasks.
func TestStrangersAreNoNews(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a")
	w.rests()
	looked := w.looking()
	for resource, name := range map[string]string{apitest.ConfigMaps: "a-data", apitest.Pods: "a-data"} {
		o := foreign(resource, name)
		o.SetLabels(map[string]string{v1.KeyFrameworkName: "a"})
		shown := func() bool {
			if resource == apitest.Pods {
				return w.c.watches.pod(apitest.Namespace, name) != nil
			}
			return w.c.watches.configMap(apitest.Namespace, name) != nil
		}
		w.Create(resource, o)
		w.eventually("it is shown", shown)
		w.Vanish(resource, name)
		w.eventually("it is not shown any more", func() bool { return !shown() })
	}
	w.never("a round of the Framework", looked)
	w.stop()
	if f := w.c.queue.records.get(w.key("a")).dependents.configMap; f.deletedUID != "" || f.unwatched != nil {
		t.Errorf("its ConfigMap is taken for gone: %+v", f)
	}
}

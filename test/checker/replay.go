package checker

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// replay is the world as the history proceeds. While rules look at a change, it is in the state just before.
type replay struct {
	version    uint64 // version of the change
	past       bool   // it is only known, not watched
	frameworks map[types.NamespacedName]*framework
	configMaps map[types.NamespacedName]*corev1.ConfigMap
	pods       map[types.NamespacedName]*pod

	byFramework map[types.NamespacedName]map[types.UID]*pod // our own Pods

	audit       *audit
	gaps        []Gap
	settled     bool
	undisturbed bool
	shadowWords []string
	report      Report
}

// step is the change of an object. Before is nil if it did not exist, after if it is gone.
type step[T any] struct{ before, after *T }

// change is one step of one object.
type change struct {
	name      types.NamespacedName
	framework *step[framework]
	configMap *step[corev1.ConfigMap]
	pod       *step[pod]
}

func newReplay(h History, o Options) *replay {
	return &replay{
		frameworks: map[types.NamespacedName]*framework{},
		configMaps: map[types.NamespacedName]*corev1.ConfigMap{},
		pods:       map[types.NamespacedName]*pod{},

		byFramework: map[types.NamespacedName]map[types.UID]*pod{},

		audit:       newAudit(h.Requests, o.Controller),
		gaps:        h.Gaps,
		settled:     o.Settled,
		undisturbed: o.Undisturbed,
		shadowWords: o.ShadowWords,
		report:      Report{Checks: map[Guarantee]int{}},
	}
}

// changes turns an observation into steps. If an object replaces another one of its name, there are two steps.
func (t *replay) changes(s Observation) []change {
	t.version = s.Version
	name := nameOf(s.object())
	switch {
	case s.Framework != nil:
		all := steps(t.frameworks[name], newFramework(s.Framework), s.Gone)
		return collect(name, all, func(c *change, s *step[framework]) { c.framework = s })
	case s.ConfigMap != nil:
		all := steps(t.configMaps[name], s.ConfigMap, s.Gone)
		return collect(name, all, func(c *change, s *step[corev1.ConfigMap]) { c.configMap = s })
	case s.Pod != nil:
		return collect(name, steps(t.pods[name], newPod(s.Pod), s.Gone), func(c *change, s *step[pod]) { c.pod = s })
	}
	return nil
}

// identified objects have a UID, which is never reused.
type identified interface{ GetUID() types.UID }

func steps[T any, P interface {
	*T
	identified
}](before, after *T, gone bool) []*step[T] {
	same := before != nil && P(before).GetUID() == P(after).GetUID()
	switch {
	case gone && same:
		return []*step[T]{{before, nil}}
	case gone:
		return nil // an earlier object of that name, or one that was never seen
	case same || before == nil:
		return []*step[T]{{before, after}}
	}
	return []*step[T]{{before, nil}, {nil, after}}
}

func collect[T any](name types.NamespacedName, all []*step[T], set func(*change, *step[T])) []change {
	out := make([]change, len(all))
	for i, s := range all {
		out[i].name = name
		set(&out[i], s)
	}
	return out
}

func (t *replay) apply(c change) {
	switch {
	case c.framework != nil:
		put(t.frameworks, c.name, c.framework.after)
	case c.configMap != nil:
		put(t.configMaps, c.name, c.configMap.after)
	case c.pod != nil:
		put(t.pods, c.name, c.pod.after)
		t.applyToFramework(c.name.Namespace, c.pod)
	}
}

func (t *replay) applyToFramework(namespace string, s *step[pod]) {
	if s.before != nil {
		delete(t.byFramework[types.NamespacedName{Namespace: namespace, Name: s.before.made.framework}], s.before.UID)
	}
	if s.after == nil || !s.after.made.ours() || s.after.held() {
		return
	}
	name := types.NamespacedName{Namespace: namespace, Name: s.after.made.framework}
	if t.byFramework[name] == nil {
		t.byFramework[name] = map[types.UID]*pod{}
	}
	t.byFramework[name][s.after.UID] = s.after
}

// podsOf returns the existing Pods that may run, of a Framework of that name with any UID.
func (t *replay) podsOf(namespace, framework string) map[types.UID]*pod {
	return t.byFramework[types.NamespacedName{Namespace: namespace, Name: framework}]
}

func put[T any](in map[types.NamespacedName]*T, name types.NamespacedName, o *T) {
	if o == nil {
		delete(in, name)
	} else {
		in[name] = o
	}
}

// frameworkOf returns the stored Framework for which a Pod or ConfigMap was made, or nil.
func (t *replay) frameworkOf(namespace, name string, uid types.UID) *framework {
	f := t.frameworks[types.NamespacedName{Namespace: namespace, Name: name}]
	if f == nil || f.UID != uid {
		return nil
	}
	return f
}

// subject names the object of a violation.
type subject struct {
	kind string
	name types.NamespacedName
	part string // the Task, for a Framework
}

func (s subject) String() string {
	if s.part != "" {
		return fmt.Sprintf("Task %s of %s %s", s.part, s.kind, s.name)
	}
	return fmt.Sprintf("%s %s", s.kind, s.name)
}

// task is the subject of a change of a Framework that is about one Task.
func (c change) task(p place) subject { return subject{v1.FrameworkKind, c.name, p.String()} }

func (c change) subject() subject {
	switch {
	case c.framework != nil:
		return subject{kind: v1.FrameworkKind, name: c.name}
	case c.configMap != nil:
		return subject{kind: "ConfigMap", name: c.name}
	}
	return subject{kind: "Pod", name: c.name}
}

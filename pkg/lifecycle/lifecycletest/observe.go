package lifecycletest

import (
	"slices"
	"strings"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/waiting"
)

// observe collects what is known: of everything, or of what is dirty.
func (c *controller) observe() lifecycle.Observed {
	o := lifecycle.Observed{
		ConfigMap: c.viewConfigMap(),
		Pods:      map[lifecycle.TaskRef]lifecycle.PodView{},
		Partial:   !c.full,
		Stalls:    map[lifecycle.TaskRef]waiting.Stall{},
		Decision:  c.questions.decided,
		Hints:     c.viewHints(),
		Archived:  c.questions.archive.done,
		Claims:    c.viewClaims(),
		Blockers:  c.blockers(),
		Items:     c.viewItems(),

		LogsCollected: c.questions.logs.collected,
		Others:        c.viewOthers(),
		OthersCircle:  c.server.others.circle,
	}
	c.everyPod(func(ref lifecycle.TaskRef) {
		if stall, stalls := c.viewPod(ref).Stall(); stalls {
			o.Stalls[ref] = stall
		}
	})
	if c.full {
		c.everyPod(func(ref lifecycle.TaskRef) { o.Pods[ref] = c.viewPod(ref) })
		return o
	}
	for ref := range c.dirty {
		o.Pods[ref] = c.viewPod(ref)
	}
	return o
}

func (c *controller) everyPod(visit func(lifecycle.TaskRef)) {
	for n := range c.cache.objects {
		if n.kind == pods {
			visit(n.ref)
		}
	}
	for n := range c.notes {
		if n.kind == pods {
			visit(n.ref)
		}
	}
}

func (c *controller) viewConfigMap() lifecycle.ConfigMapView {
	note := c.note(theConfigMap)
	o, cached := c.known(theConfigMap)
	return lifecycle.ConfigMapView{
		ConfigMap: o.viewConfigMap(cached), Gone: note.gone, DeleteRequested: note.deleteRequested, Asked: note.asked,
	}
}

func (c *controller) viewPod(ref lifecycle.TaskRef) lifecycle.PodView {
	note := c.note(podOf(ref))
	o, cached := c.known(podOf(ref))
	view := lifecycle.PodView{
		Pod: o.viewPod(cached), Gone: note.gone, DeleteRequested: note.deleteRequested, Asked: note.asked, Refusal: note.refusal,
		Disruption: note.disruption, StartVerdict: c.questions.judged[ref],
	}
	if d := o.viewDisruption(); d != nil {
		view.Disruption = d
	}
	view.Verdict = c.verdict(ref, view.Pod)
	return view
}

// known returns what bears the name now, as far as known, and whether the cache shows it.
func (c *controller) known(n name) (o *object, cached bool) {
	note, shown := c.note(n), c.cache.objects[n]
	o = newer(shown, note.answer)
	if o == nil || o.uid == note.gone {
		return nil, false
	}
	return o, shown != nil && shown.uid == o.uid
}

func (c *controller) blockers() []waiting.Fact {
	var out []waiting.Fact
	for _, note := range c.notes {
		if note.blocker != nil {
			out = append(out, *note.blocker)
		}
	}
	slices.SortFunc(out, func(a, b waiting.Fact) int {
		return strings.Compare(a.Sentence(), b.Sentence())
	})
	return out
}

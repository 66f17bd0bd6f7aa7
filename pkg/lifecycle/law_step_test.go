package lifecycle_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// lawDeterministic: the same input gives the same output, and is never changed. A state that an earlier round has returned must not have
// changed since then either.
func (c *checker) lawDeterministic(in lifecycle.Input, out lifecycle.Output) {
	before := render(in, c.stateText(in.Saved))
	again := lifecycle.Step(in)
	if !reflect.DeepEqual(out, again) {
		c.violationf("same input, same output", "%+v\n%+v", out, again)
	}
	if after := render(in, stateText(in.Saved)); before != after {
		c.violationf("input unchanged", "%s\n%s", before, after)
	}
}

// render writes down all of an input, so that a change anywhere in it shows. The text of the saved state is given.
func render(in lifecycle.Input, saved string) string {
	var refs []string
	for ref, view := range in.Observed.Pods {
		refs = append(refs, fmt.Sprintf("%s %s", ref, text(view)))
	}
	slices.Sort(refs)
	return fmt.Sprint(text(in.Framework), saved, text(in.Observed.ConfigMap), refs, text(in.Observed.Blockers))
}

// stateText returns the text of a state as it was when the checker first met it. Most laws only compare states, and encoding them is most
// of the work of a schedule.
func (c *checker) stateText(state *lifecycle.State) string {
	if met, ok := c.texts[state]; ok {
		return met
	}
	c.texts[state] = stateText(state)
	return c.texts[state]
}

// forgetTexts keeps the texts of only those states that the next round can be about.
func (c *checker) forgetTexts(next ...*lifecycle.State) {
	maps.DeleteFunc(c.texts, func(met *lifecycle.State, _ string) bool { return !slices.Contains(next, met) })
}

func stateText(state *lifecycle.State) string {
	if state == nil {
		return "null"
	}
	return text(state.Status())
}

func text(value any) string {
	b, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// lawDeclared: the tables know every move, moves lead from the saved state to the next without a gap, and
// nothing else changes a state.
func (c *checker) lawDeclared(in lifecycle.Input, out lifecycle.Output) {
	for _, fault := range out.Faults {
		c.violationf("declared transitions", "%s", fault)
	}
	at := states(in.Saved)
	for _, move := range out.Moves {
		who := "framework"
		if move.Task != nil {
			who = move.Task.String()
		}
		if at[who] == "" && move.Task != nil {
			at[who] = v1.AttemptCreationPending // a new Task
		}
		if at[who] != move.From {
			c.violationf("declared transitions", "%s starts in %q, but row %s in %q", who, at[who], move.Row, move.From)
		}
		at[who] = move.To
		if move.Row == "F16" {
			at = map[string]v1.State{who: move.To} // the new attempt has new Tasks
		}
	}
	for who, state := range states(out.State) {
		if at[who] == "" && state == v1.AttemptCreationPending {
			continue // a new Task
		}
		if at[who] != state {
			c.violationf("declared transitions", "%s is in %q, but its moves end in %q", who, state, at[who])
		}
	}
}

func states(state *lifecycle.State) map[string]v1.State {
	at := map[string]v1.State{}
	if state == nil {
		return at
	}
	at["framework"] = state.Framework().State
	eachTask(state, func(ref lifecycle.TaskRef, task *v1.TaskStatus) { at[ref.String()] = task.State })
	return at
}

// lawConsistent: a new state differs from the saved one, and a wake-up lies in the future.
func (c *checker) lawConsistent(in lifecycle.Input, out lifecycle.Output) {
	if out.State != in.Saved && in.Saved != nil && c.stateText(out.State) == c.stateText(in.Saved) {
		c.violationf("state equals saved if nothing changed", "%s", text(out.State.Status()))
	}
	if !out.WakeAt.IsZero() && !out.WakeAt.After(in.Now) {
		c.violationf("wake up in the future", "%s at %s", out.WakeAt, in.Now)
	}
	if out.Requeue && out.State == in.Saved {
		c.violationf("again only after a change", "%+v", out)
	}
	if len(out.RequeueTasks) > 0 && !out.Requeue {
		c.violationf("requeued Tasks imply a requeue", "%v", out.RequeueTasks)
	}
}

// lawLoadable: a stored state is loaded as the same state, with the same counts beside it.
func (c *checker) lawLoadable(state *lifecycle.State) {
	loaded, err := lifecycle.Load(state.Status())
	if err != nil {
		c.violationf("a stored state can be loaded", "%v", err)
	} else if !reflect.DeepEqual(loaded, state) {
		c.violationf("load is the inverse of status, and counts are right", "%s\n%s", text(loaded.Status()), text(state.Status()))
	}
}

// lawPartial: a round that looks only at changed Pods decides the same as one that looks at everything.
func (c *checker) lawPartial(in lifecycle.Input, out lifecycle.Output) {
	if !in.Observed.Partial {
		return
	}
	looked := in.Observed.Pods
	in.Observed = c.story.Everything()
	for ref, view := range in.Observed.Pods {
		if _, found := looked[ref]; !found && view.Pod == nil && c.story.UnderWay(ref) {
			return // the answer has the Task looked at
		}
	}
	full := lifecycle.Step(in)
	if got, want := c.stateText(out.State), c.stateText(full.State); got != want && !putBack(in) {
		c.violationf("partial equals full", "%s\n%s", got, want)
	}
	for _, action := range out.Actions {
		if !slices.Contains(full.Actions, action) {
			c.violationf("partial equals full", "only the partial round asks to %s", action)
		}
	}
}

// putBack reports whether the clock is behind a stored time. A Task then gets another time when it is looked at.
func putBack(in lifecycle.Input) (found bool) {
	eachTask(in.Saved, func(_ lifecycle.TaskRef, t *v1.TaskStatus) {
		if p := t.AttemptStatus.PendingSince; p != nil {
			for _, since := range []*metav1.Time{p.Unscheduled, p.ImagePull, p.ContainerCreate, p.NotRunning} {
				found = found || since != nil && since.After(in.Now)
			}
		}
	})
	return found
}

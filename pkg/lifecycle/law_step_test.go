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
	saved, spec, before := c.asMet(in.Saved), in.Framework.Spec.DeepCopy(), render(in)
	again := lifecycle.Step(in)
	if !reflect.DeepEqual(out, again) {
		c.violationf("same input, same output", "%+v\n%+v", out, again)
	}
	if after := render(in); before != after {
		c.violationf("input unchanged", "%s\n%s", before, after)
	}
	if !reflect.DeepEqual(spec, in.Framework.Spec) {
		c.violationf("input unchanged", "%s\n%s", text(spec), text(in.Framework.Spec))
	}
	if in.Saved != nil && !reflect.DeepEqual(saved, in.Saved.Status()) {
		c.violationf("input unchanged", "%s\n%s", text(saved), text(in.Saved.Status()))
	}
}

// render writes down an input, but for spec and state, so that a change anywhere in it shows.
func render(in lifecycle.Input) string {
	in.Framework.Spec = nil
	var refs []string
	for ref, view := range in.Observed.Pods {
		refs = append(refs, fmt.Sprintf("%s %s", ref, text(view)))
	}
	slices.Sort(refs)
	return fmt.Sprint(text(in.Framework), text(in.Observed.ConfigMap), refs, text(in.Observed.Blockers))
}

// asMet returns a copy of a state's status from when the checker first met the state; nil for nil.
func (c *checker) asMet(state *lifecycle.State) *v1.FrameworkStatus {
	if state == nil {
		return nil
	}
	if c.met[state] == nil {
		c.met[state] = state.Status().DeepCopy()
	}
	return c.met[state]
}

// meet keeps copies of only the states of this round.
func (c *checker) meet(in lifecycle.Input, out lifecycle.Output) {
	maps.DeleteFunc(c.met, func(s *lifecycle.State, _ *v1.FrameworkStatus) bool { return s != in.Saved })
	c.asMet(out.State)
}

// sameText reports whether two states are the same when they are stored. Only those Tasks are encoded that the states do not share.
func sameText(a, b *lifecycle.State) bool {
	if a == b {
		return true
	}
	if !slices.Equal(a.Roles(), b.Roles()) || taskNumber(a) != taskNumber(b) {
		return false
	}
	for ref, task := range a.Tasks {
		if other := b.Task(ref); other == nil || other != task && text(other) != text(task) {
			return false
		}
	}
	for _, role := range a.Roles() {
		one, _ := a.Role(role)
		other, _ := b.Role(role)
		if text(one) != text(other) {
			return false
		}
	}
	return text(a.Framework()) == text(b.Framework())
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
	if out.State != in.Saved && in.Saved != nil && sameText(out.State, in.Saved) {
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
	if !sameText(out.State, full.State) && !putBack(in) {
		c.violationf("partial equals full", "%s\n%s", text(out.State.Status()), text(full.State.Status()))
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

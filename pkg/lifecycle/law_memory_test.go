package lifecycle_test

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// memory is the content of a history sink, whatever controllers know about it, and what it must contain in the end: the outcomes of
// attempts by their identities.
type memory struct {
	held, ended map[string]string
	wanted      bool // there is a sink, in the last round
	stopping    bool // in the last round
}

func newMemory() memory { return memory{held: map[string]string{}, ended: map[string]string{}} }

func (c *checker) noteArchiving(in lifecycle.Input) {
	c.memory.wanted = in.Asking.Archive
	c.memory.stopping = in.Framework.Spec.ExecutionType == v1.ExecutionStop
}

// noteEnded: an attempt that is stored as ended may be archived from now on.
func (c *checker) noteEnded(framework types.UID, state *lifecycle.State) {
	eachEnded(framework, state, func(key, outcome string) { c.memory.ended[key] = outcome })
}

// archived: only an attempt stored as ended is archived, and if it is archived again, its outcome is the same.
func (c *checker) archived(framework types.UID, question lifecycle.Action, state *lifecycle.State) {
	whole, held := false, map[string]string{}
	eachEnded(framework, state, func(key, outcome string) { held[key] = outcome })
	switch q := question.(type) {
	case lifecycle.ArchiveTask:
		key := taskKey(framework, state, q.Task)
		held = map[string]string{key: held[key]}
	case lifecycle.ArchiveAttempt:
		whole = true
	}
	if key := wholeKey(framework, state); whole && held[key] == "" {
		c.violationf("what is archived has ended", "%s: %s", question, text(state.Framework()))
	}
	for key, outcome := range held {
		if before, again := c.memory.held[key]; again && before != outcome {
			c.violationf("what is archived again is the same", "%s: %s -> %s", key, before, outcome)
		}
		if stored := c.memory.ended[key]; stored != outcome || outcome == "" {
			c.violationf("only what is stored as over is archived", "%s: %s -> %s", key, stored, outcome)
		}
		c.memory.held[key] = outcome
	}
}

// lawHeld: whatever a status drops is in the sink by then, whichever controllers have died in between. A stop does not wait.
func (c *checker) lawHeld(before, after *lifecycle.State) {
	if !c.memory.wanted {
		return
	}
	kept := map[string]bool{}
	eachEnded(c.framework, after, func(key, _ string) { kept[key] = true })
	again := after.Framework().AttemptStatus.ID != before.Framework().AttemptStatus.ID
	eachEnded(c.framework, before, func(key, outcome string) {
		if !kept[key] && c.memory.held[key] == "" && !(again && c.memory.stopping) {
			c.violationf("the sink holds what is dropped", "%s: %s", key, outcome)
		}
	})
}

// lawRemembered: the sink holds in the end all of a Framework that has completed.
func (c *checker) lawRemembered(state *lifecycle.State) {
	if !c.memory.wanted || state.Framework().State != v1.Completed {
		return
	}
	eachEnded(c.framework, state, func(key, outcome string) {
		if c.memory.held[key] != outcome {
			c.violationf("the sink holds what has ended", "%s: %s, and not %s", key, c.memory.held[key], outcome)
		}
	})
}

// eachEnded visits the ended attempts in a state: the Framework's own with all its Tasks, if it has ended, otherwise the ended
// ones of its Tasks.
func eachEnded(framework types.UID, state *lifecycle.State, visit func(key, outcome string)) {
	if state == nil {
		return
	}
	f := state.Framework()
	if how := f.AttemptStatus.CompletionStatus; ended(f.State) && how != nil {
		visit(wholeKey(framework, state), fmt.Sprint("ended with ", how.Code))
	}
	eachTask(state, func(ref lifecycle.TaskRef, t *v1.TaskStatus) {
		if how := t.AttemptStatus.CompletionStatus; ended(t.State) && how != nil {
			visit(taskKey(framework, state, ref), fmt.Sprint("ended with ", how.Code))
		}
	})
}

func wholeKey(framework types.UID, state *lifecycle.State) string {
	return fmt.Sprintf("%s/%d", framework, state.Framework().AttemptStatus.ID)
}

func taskKey(framework types.UID, state *lifecycle.State, ref lifecycle.TaskRef) string {
	t := state.Task(ref)
	return fmt.Sprintf("%s %s %s/%d", wholeKey(framework, state), ref, t.InstanceUID, t.AttemptStatus.ID)
}

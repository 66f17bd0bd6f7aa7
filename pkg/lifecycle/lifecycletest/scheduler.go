package lifecycletest

import (
	"encoding/json"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// admittable is an attempt that a scheduler may let have Pods.
type admittable struct {
	framework types.UID
	id        int32
}

// Admitted reports whether the scheduler has ever let an attempt of the Framework have Pods.
func (s *Story) Admitted(framework types.UID, attempt int32) bool {
	return s.controller.admitted[admittable{framework, attempt}]
}

// admit: "admit [follow] [start]": a scheduler agrees to the open question, as "answer hints" and "answer admitted" do. Without a
// question, or if it is about an attempt that is over, nothing happens.
func (s *Story) admit(args []string, _ string) error {
	for _, arg := range args {
		if arg != "follow" && arg != "start" {
			return fmt.Errorf("admit does not know %q", arg)
		}
	}
	s.controller.admit(slices.Contains(args, "follow"), slices.Contains(args, "start"))
	return nil
}

func (c *controller) admit(followTasks, followStart bool) {
	if c.latest == nil || !c.asksScheduler() { // a Framework that is gone, as far as the controller knows, is not admitted
		return
	}
	view := c.viewHints()
	switch a := c.questions.hints.(type) {
	case lifecycle.AskHints:
		answer := fmt.Appendf(nil, `{"followTasks":%t,"followStart":%t}`, followTasks, followStart)
		view.Answer = &v1.SchedulerHints{Plugin: "scheduler", Scale: a.Scale, Answer: answer, SchedulingDigest: c.schedulingDigest()}
	case lifecycle.PrepareHints:
		c.prepared(&view, a.Scale, []byte(`{"yes":true}`))
		view.Eviction = nil
	}
	c.hear(view)
	c.questions.hints = nil
}

// prepared records that a scheduler lets the attempt have Pods, unless it was asked with a scheduling that has changed since.
func (c *controller) prepared(view *lifecycle.HintsView, scale string, admission []byte) {
	view.Changed = false
	if view.Prepared == "" && c.latest != nil && c.saved.HintsOutdated(c.latest.framework.spec) {
		return
	}
	view.Prepared, view.Admission = scale, admission
	c.admitted[c.questions.hintsOf] = true
}

// withhold: "withhold": a scheduler that is asked whether Pods may be created answers not yet. Without that question, nothing
// happens.
func (s *Story) withhold(_ []string, _ string) error {
	c := s.controller
	if _, asked := c.questions.hints.(lifecycle.PrepareHints); asked && c.asksScheduler() {
		view := c.viewHints()
		view.Prepared, view.Changed = "", false
		c.hear(view)
		c.questions.hints = nil
	}
	return nil
}

// evict: "evict [grace=5]": a scheduler takes back the attempt that it has admitted. Without a known admission, nothing happens.
func (s *Story) evict(args []string, _ string) error {
	eviction := &lifecycle.Eviction{Reason: "preempted by another gang"}
	err := parseArgs(args, map[string]parser{"grace": func(value string) (err error) {
		eviction.GraceSeconds, err = parseInt32(value)
		return err
	}})
	c := s.controller
	if err != nil || c.saved == nil {
		return err
	}
	if hints := c.saved.Framework().AttemptStatus.SchedulerHints; hints != nil && len(hints.Admission) > 0 {
		view := c.viewHints()
		view.Prepared, view.Eviction = "", eviction
		c.hear(view)
	}
	return nil
}

// reconsider: "reconsider": a scheduler may have changed its mind.
func (s *Story) reconsider(_ []string, _ string) error {
	if c := s.controller; c.saved != nil {
		view := c.viewHints()
		view.Changed = true
		c.hear(view)
	}
	return nil
}

// schedulingDigest returns the digest of the spec as the controller knows it.
func (c *controller) schedulingDigest() string {
	return lifecycle.SchedulingDigest(c.latest.framework.spec)
}

// asksScheduler reports whether the scheduler is asked about the present attempt.
func (c *controller) asksScheduler() bool {
	return c.questions.hints != nil && c.saved != nil && c.questions.hintsOf == c.attempt()
}

// hear stores the scheduler's answer about the current attempt.
func (c *controller) hear(view lifecycle.HintsView) {
	c.questions.view, c.questions.viewOf = view, c.saved.Framework().AttemptStatus.ID
	c.full = true
}

// attempt returns the current attempt.
func (c *controller) attempt() admittable {
	return admittable{c.of, c.saved.Framework().AttemptStatus.ID}
}

// follows reports whether stored hints are renewed as Tasks complete, and once all run.
func follows(h *v1.SchedulerHints) (tasks, start bool) {
	if h == nil {
		return false, false
	}
	var answer struct{ FollowTasks, FollowStart bool }
	if err := json.Unmarshal(h.Answer, &answer); err != nil {
		panic(err) // it was encoded here
	}
	return answer.FollowTasks, answer.FollowStart
}

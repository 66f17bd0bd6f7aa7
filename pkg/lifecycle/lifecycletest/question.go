package lifecycletest

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/deadline"
)

// questions holds the open questions to plugins, and their answers.
type questions struct {
	decision *lifecycle.DecideCompletion // nil if there is no question; one at a time
	hints    lifecycle.Action            // AskHints or PrepareHints; nil if it is not asked
	decided  *lifecycle.Decision
	view     lifecycle.HintsView
	viewOf   int32      // the attempt that view is about
	hintsOf  admittable // the attempt that hints is about

	starts map[lifecycle.TaskRef]deadline.Verdict  // the open questions
	judged map[lifecycle.TaskRef]*deadline.Verdict // the last of each

	failures map[lifecycle.TaskRef]types.UID // the Pods that are asked about
	verdicts map[lifecycle.TaskRef]*lifecycle.Verdict

	archive archive
	logs    logs
}

// ask starts a question, unless it is open. It reports whether the action is a question.
func (c *controller) ask(action lifecycle.Action) bool {
	var changed bool
	switch a := action.(type) {
	case lifecycle.ClassifyPod:
		changed = c.questions.blames(a)
	case lifecycle.ArchiveTask, lifecycle.ArchiveAttempt:
		changed = c.questions.archive.ask(action, c.saved)
	case lifecycle.CollectLogs:
		changed = c.questions.logs.ask(a)
	case lifecycle.DecideCompletion:
		if changed = c.questions.decision == nil; changed {
			c.questions.decision = &a
		}
	case lifecycle.AskHints, lifecycle.PrepareHints:
		if c.pondering && c.asksScheduler() {
			return true // the answer causes a round, which asks the next question
		}
		changed = c.questions.hints != a
		c.questions.hints, c.questions.hintsOf = a, c.attempt()
	case lifecycle.JudgeStart:
		_, asked := c.questions.starts[a.Task]
		changed = !asked
		c.askAboutStart(a)
	default:
		return false
	}
	if changed {
		c.hooks.started(action)
		c.hooks.performed(action, nil)
	}
	if c.willing {
		c.admit(false, false)
		c.archiveAll()
		c.collectAllLogs()
	}
	return true
}

// askAboutStart stores a question, with its stored start time.
func (c *controller) askAboutStart(a lifecycle.JudgeStart) {
	q := &c.questions
	if q.starts == nil {
		q.starts, q.judged = map[lifecycle.TaskRef]deadline.Verdict{}, map[lifecycle.TaskRef]*deadline.Verdict{}
	}
	if pending, ok := deadline.PendingOf(c.latest.framework.spec, a.Task.Role, c.saved.Task(a.Task)); ok {
		q.starts[a.Task] = deadline.Verdict{PodUID: a.UID, Kind: pending.Kind, Since: pending.Since}
	}
}

// judge: "judge a-0 <code>|<wait>|no [avoid=Require/3600 bad GPU]": a classifier's answer about a Pod that does not start, and
// about its node, if there is a question: it has failed, it gets so much time, or no opinion.
func (s *Story) judge(args []string, _ string) error {
	if len(args) < 2 {
		return fmt.Errorf("judge wants a Pod and a verdict")
	}
	n, err := parsePod(args[0])
	q := &s.controller.questions
	v, asked := q.starts[n.ref]
	if err != nil || !asked {
		return err
	}
	if v.AvoidNode, err = parseAvoidNode(args[2:]); err != nil {
		return err
	}
	wait, isWait := time.ParseDuration(args[1])
	code, isCode := parseInt32(args[1])
	switch {
	case isCode == nil:
		v.Status = &v1.CompletionStatus{Code: code, Phrase: "Judged", Type: v1.CompletionType{Name: v1.CompletionFailed},
			Source: &v1.CompletionSource{Plugin: "classifier"}}
	case isWait == nil:
		v.Until = s.server.now.Add(wait)
	}
	delete(q.starts, n.ref)
	q.judged[n.ref] = &v
	s.controller.dirty[n.ref] = true
	return nil
}

func (c *controller) viewHints() (view lifecycle.HintsView) {
	if c.saved == nil {
		return view
	}
	attempt := c.saved.Framework().AttemptStatus
	if attempt.ID == c.questions.viewOf {
		view = c.questions.view
	}
	view.FollowTasks, view.FollowStart = follows(attempt.SchedulerHints)
	return view
}

var decisions = map[string]lifecycle.DecisionKind{"builtin": lifecycle.DecideBuiltIn, "continue": lifecycle.DecideContinue, "succeeded": lifecycle.DecideSucceeded}

// answer: "answer builtin|continue|succeeded": a completion policy's answer to the open question. "answer hints", "answer
// prepared": the hints, and that their objects exist. "answer hints follow": the hints change as Tasks complete; "answer hints
// follow start": and once all run. "answer admitted": as prepared, with an admission that is stored. "answer changed", "answer
// evicted": the scheduler may have changed its mind, and takes the attempt back; "answer evicted grace=5": within that number of
// seconds.
func (s *Story) answer(args []string, _ string) error {
	c, what := s.controller, strings.Join(args, " ")
	q := &c.questions
	c.full = true
	kind, decides := decisions[what]
	asked, ofHints := q.hints.(lifecycle.AskHints)
	toPrepare, ofObjects := q.hints.(lifecycle.PrepareHints)
	view := c.viewHints()
	switch {
	case decides && q.decision != nil:
		q.decided, q.decision = &lifecycle.Decision{Digest: q.decision.Digest, Kind: kind, Source: v1.CompletionSource{Plugin: "policy"}}, nil
		return nil
	case what == "hints" && ofHints:
		view.Answer = &v1.SchedulerHints{Plugin: "scheduler", Scale: asked.Scale, Answer: json.RawMessage("{}"), SchedulingDigest: c.schedulingDigest()}
	case what == "hints follow" && ofHints:
		view.Answer = &v1.SchedulerHints{Plugin: "scheduler", Scale: asked.Scale, Answer: json.RawMessage(`{"followTasks":true}`), SchedulingDigest: c.schedulingDigest()}
	case what == "hints follow start" && ofHints:
		view.Answer = &v1.SchedulerHints{Plugin: "scheduler", Scale: asked.Scale, Answer: json.RawMessage(`{"followStart":true}`), SchedulingDigest: c.schedulingDigest()}
	case what == "prepared" && ofObjects:
		c.prepared(&view, toPrepare.Scale, view.Admission)
	case what == "admitted" && ofObjects:
		c.prepared(&view, toPrepare.Scale, []byte(`{"yes":true}`))
	case what == "changed":
		view.Changed = true
	case strings.HasPrefix(what, "evicted"):
		view.Eviction = &lifecycle.Eviction{Reason: "preempted by another gang"}
		if _, err := fmt.Sscanf(what, "evicted grace=%d", &view.Eviction.GraceSeconds); what != "evicted" && err != nil {
			return err
		}
	default:
		return fmt.Errorf("nobody is asked for %q", what)
	}
	q.view, q.viewOf, q.hints = view, c.saved.Framework().AttemptStatus.ID, nil
	return nil
}

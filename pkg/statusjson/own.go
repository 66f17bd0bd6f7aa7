package statusjson

import (
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// ownText is the length that the Framework's own messages may keep, however short the messages of its many Tasks are: they are
// few, and its users read them.
const ownText = 4 << 10

// own returns the status with the Framework's own messages cut, or the status itself if they are short enough. It ignores the
// roles.
func (c Cutting) own(status *v1.FrameworkStatus) *v1.FrameworkStatus {
	if !c.on || longestOwn(status) <= c.ownMost() {
		return status
	}
	short := *status
	if s := status.AttemptStatus.CompletionStatus; s != nil {
		short.AttemptStatus.CompletionStatus = c.ownCompletion(s)
	}
	short.AvoidedNodes = c.ownAvoided(status.AvoidedNodes)
	short.Conditions = slices.Clone(status.Conditions)
	for i := range short.Conditions {
		short.Conditions[i].Message = completion.Cut(short.Conditions[i].Message, c.ownMost())
		short.Conditions[i].Reason = completion.CutName(short.Conditions[i].Reason, c.ownMost())
	}
	short.Waiting = c.ownWaiting(status.Waiting)
	return &short
}

// ownWaiting keeps the subject of the wait.
func (c Cutting) ownWaiting(w *v1.WaitingStatus) *v1.WaitingStatus {
	if w == nil {
		return nil
	}
	short := *w
	short.Message = completion.Cut(w.Message, c.ownMost())
	return &short
}

// ownAvoided keeps the source of a request to avoid a node, as a cut name would be another source.
func (c Cutting) ownAvoided(list []v1.AvoidedNode) []v1.AvoidedNode {
	list = slices.Clone(list)
	for i := range list {
		n := &list[i]
		n.Reason = completion.Cut(n.Reason, c.ownMost())
		if n.Source != nil {
			source := *n.Source
			source.Version, source.Rule = completion.Cut(source.Version, c.ownMost()), completion.Cut(source.Rule, c.ownMost())
			n.Source = &source
		}
	}
	return list
}

func (c Cutting) ownCompletion(s *v1.FrameworkAttemptCompletionStatus) *v1.FrameworkAttemptCompletionStatus {
	out := &v1.FrameworkAttemptCompletionStatus{CompletionStatus: completion.ShortenStatus(s.CompletionStatus, c.ownMost()), Trigger: s.Trigger, Retries: s.Retries}
	if s.Trigger != nil {
		trigger := *s.Trigger
		trigger.Message = completion.Cut(trigger.Message, c.ownMost())
		out.Trigger = &trigger
	}
	return out
}

// ownMost is the last limit to become zero.
func (c Cutting) ownMost() int {
	if c.all {
		return 0
	}
	return max(c.most, ownText)
}

// longestOwn returns the length of the Framework's longest own text.
func longestOwn(status *v1.FrameworkStatus) int {
	most := 0
	for i := range status.Conditions {
		most = max(most, len(status.Conditions[i].Message), len(status.Conditions[i].Reason))
	}
	if w := status.Waiting; w != nil {
		most = max(most, len(w.Message))
	}
	for _, n := range status.AvoidedNodes {
		most = max(most, len(n.Reason))
		if n.Source != nil {
			most = max(most, len(n.Source.Version), len(n.Source.Rule))
		}
	}
	s := status.AttemptStatus.CompletionStatus
	if s == nil {
		return most
	}
	if s.Trigger != nil {
		most = max(most, len(s.Trigger.Message))
	}
	return max(most, longestText(&s.CompletionStatus))
}

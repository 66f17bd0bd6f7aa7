package statusjson

import (
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// ownText is how long what a Framework itself says may stay however short the messages of its many Tasks are: it is little,
// and what its users look at.
const ownText = 4 << 10

// own returns the status with what the Framework itself says cut, or the status itself if it is short enough. It does not
// look at the roles.
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
	return &short
}

// ownAvoided leaves who wants a node to be avoided, as it would be somebody else otherwise.
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
	out := &v1.FrameworkAttemptCompletionStatus{CompletionStatus: completion.ShortenStatus(s.CompletionStatus, c.ownMost()), Trigger: s.Trigger}
	if s.Trigger != nil {
		trigger := *s.Trigger
		trigger.Message = completion.Cut(trigger.Message, c.ownMost())
		out.Trigger = &trigger
	}
	return out
}

// ownMost is the last to become nothing.
func (c Cutting) ownMost() int {
	if c.all {
		return 0
	}
	return max(c.most, ownText)
}

// longestOwn returns how long the longest text is that the Framework itself says.
func longestOwn(status *v1.FrameworkStatus) int {
	most := 0
	for i := range status.Conditions {
		most = max(most, len(status.Conditions[i].Message), len(status.Conditions[i].Reason))
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

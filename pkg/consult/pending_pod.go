package consult

import (
	"slices"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/deadline"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
)

// leastWait is the minimum extension that a plugin gives a Pod that does not get to run: it is asked again then.
const leastWait = 10 * time.Second

// WithPending returns the question whether a Pod that does not get to run may take longer.
func (p FailedPod) WithPending(pending deadline.Pending) FailedPod {
	q := proto.CloneOf(p.Question)
	q.Pending = &pluginpb.PendingPod{
		Kind: pending.Kind, Since: timestamppb.New(pending.Since.Time), Now: timestamppb.New(pending.Now),
		Reason: podverdict.Text(pending.Reason), Message: podverdict.Text(pending.Message), Container: podverdict.Text(pending.Container),
	}
	if !pending.Deadline.IsZero() {
		q.Pending.Deadline = timestamppb.New(pending.Deadline)
	}
	p.Question = q
	return p
}

func (p FailedPod) pending() bool { return p.Question.GetPending() != nil }

// asked separates the Pods about which a plugin is asked from the others: not every plugin judges Pods that have not failed.
func (p *Panel) asked(m member, pods []FailedPod) (asked, others []FailedPod) {
	judges := p.host.JudgesPending(m.config.Name)
	for _, pod := range pods {
		if judges || !pod.pending() {
			asked = append(asked, pod)
		} else {
			others = append(others, pod)
		}
	}
	return asked, others
}

// JudgePending reports whether any plugin may be asked about Pods that do not get to run. A nil Panel has none.
func (p *Panel) JudgePending() bool {
	return p != nil && slices.ContainsFunc(p.host.Plugins(plugin.KindFailureClassifier), p.host.JudgesPending)
}

// judgesStart reports whether one of the plugins judges Pods that do not get to run.
func (p *Panel) judgesStart(members []member) bool {
	return slices.ContainsFunc(members, func(m member) bool { return p.host.JudgesPending(m.config.Name) })
}

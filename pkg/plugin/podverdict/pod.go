package podverdict

import (
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// disruptionTarget is the condition of a Pod that Kubernetes disrupts, and isTrue the status in which it has that.
const disruptionTarget, isTrue = "DisruptionTarget", "True"

// Question returns what a Pod's facts say in a question: its name, reason, message, disruption and containers. The rest of the
// question is left to the caller, with all other conditions, and of containers the image, restart count, waiting state and start.
func Question(p completion.Pod) *pluginpb.FailedPod {
	q := &pluginpb.FailedPod{Name: Text(p.Name), Reason: Text(p.Reason), Message: Text(p.Message)}
	if d := p.Disruption; d != nil {
		q.Conditions = []*pluginpb.PodCondition{{Type: disruptionTarget, Status: isTrue, Reason: Text(d.Reason), Message: Text(d.Message)}}
	}
	for _, c := range p.Containers {
		q.Containers = append(q.Containers, container(c))
	}
	return q
}

func container(c completion.Container) *pluginpb.Container {
	out := &pluginpb.Container{Name: Text(c.Name), Init: c.Init, Sidecar: c.Restartable}
	if c.Terminated {
		out.Terminated = &pluginpb.Terminated{
			ExitCode: c.Code, Signal: c.Signal, Reason: Text(c.Reason), Message: Text(c.Message), FinishedAt: timestamp(c.FinishedAt),
		}
	}
	return out
}

// Pod returns the facts in a question that package completion goes by.
func Pod(q *pluginpb.FailedPod) completion.Pod {
	p := completion.Pod{Name: q.GetName(), Reason: q.GetReason(), Message: q.GetMessage()}
	for _, c := range q.GetConditions() {
		if c.GetType() == disruptionTarget && c.GetStatus() == isTrue {
			p.Disruption = &completion.Disruption{Reason: c.GetReason(), Message: c.GetMessage()}
			break
		}
	}
	for _, c := range q.GetContainers() {
		p.Containers = append(p.Containers, facts(c))
	}
	return p
}

func facts(c *pluginpb.Container) completion.Container {
	out := completion.Container{Name: c.GetName(), Init: c.GetInit(), Restartable: c.GetSidecar()}
	if t := c.GetTerminated(); t != nil {
		out.Terminated = true
		out.Code, out.Signal, out.Reason, out.Message = t.GetExitCode(), t.GetSignal(), t.GetReason(), t.GetMessage()
		out.FinishedAt = moment(t.GetFinishedAt())
	}
	return out
}

// timestamp and moment take no time for absent, and the other way round.
func timestamp(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}

func moment(t *timestamppb.Timestamp) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.AsTime()
}

// Text makes a text fit for a message. One that is not UTF-8 would spoil the whole question, and those that go with
// it. Each bad byte becomes what expressions and JSON take it for anyway.
func Text(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

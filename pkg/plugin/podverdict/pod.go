package podverdict

import (
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// disruptionTarget is the condition of a Pod that Kubernetes disrupts, and isTrue its status then.
const disruptionTarget, isTrue = "DisruptionTarget", "True"

// Question returns a question with a Pod's facts: its name, reason, message, disruption and containers. The caller adds
// the rest of the question: all other conditions, and the image, restart count, waiting state and start of containers.
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

// Pod returns the facts of a question that package completion uses.
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

// timestamp and moment convert the zero time to an absent one, and back.
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

// Text makes a text valid UTF-8 for a message. An invalid one would spoil the whole question, with all its Pods. Each
// bad byte becomes the character as which expressions and JSON read it anyway.
func Text(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

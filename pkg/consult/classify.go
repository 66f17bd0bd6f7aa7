package consult

import (
	"context"
	"time"

	"google.golang.org/protobuf/proto"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/avoid"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// Judgment is the meaning of a failure, or, in Err, why it is not known yet: a *Waiting or a *Refusal.
type Judgment struct {
	Status v1.CompletionStatus
	// Advice about the retry; nil if there is none.
	Advice *v1.RetryAdvice
	// AvoidNode is what the plugin says about the Pod's node; nil if it says nothing.
	AvoidNode *avoid.Advice
	// MemoryFactor is the factor by which the plugin wants memory to be raised; 0 if it stays.
	MemoryFactor float64
	// Answer is the verdict as the plugin gave it; nil if the rules decided. Nobody changes it.
	Answer *pluginpb.Verdict
	Err    error
	// For a Pod that does not get to run, in place of Status: its new time limit from now on, or true if no plugin has an opinion.
	Wait      time.Duration
	NoOpinion bool
}

// Decides reports whether it ends the attempt of the Pod.
func (j Judgment) Decides() bool { return j.Err == nil && j.Wait == 0 && !j.NoOpinion }

// Classify judges Pods of one Framework; the answer has an entry for each Pod, by UID.
func (p *Panel) Classify(ctx context.Context, uses []v1.PluginUse, pods []FailedPod, skipped Skipped) map[string]Judgment {
	out := make(map[string]Judgment, len(pods))
	open := pods
	for _, m := range p.members(plugin.KindFailureClassifier, uses) {
		if len(open) == 0 {
			break
		}
		open = p.classifyBy(ctx, m, open, out, skipped)
	}
	for _, pod := range open {
		if pod.pending() {
			out[pod.Question.GetUid()] = Judgment{NoOpinion: true}
		} else {
			out[pod.Question.GetUid()] = Judgment{Status: p.rules.Classify(pod.Outcome)}
		}
	}
	return out
}

// classifyBy adds the verdicts of one plugin, and returns the Pods on which it has no opinion.
func (p *Panel) classifyBy(ctx context.Context, m member, pods []FailedPod, out map[string]Judgment, skipped Skipped) (open []FailedPod) {
	if pods, open = p.asked(m, pods); len(pods) == 0 {
		return open
	}
	if err := p.unfit(ctx, m); err != nil {
		return append(open, m.leftOut(err, pods, out, skipped)...)
	}
	questions := make([]*pluginpb.FailedPod, len(pods))
	for i, pod := range pods {
		questions[i] = proto.CloneOf(pod.Question)
		questions[i].Parameters = m.parameters
	}
	if p.host.WantsEvents(m.config.Name) {
		addEvents(ctx, pods, questions)
	}
	verdicts, from, _ := p.host.Classify(ctx, m.config.Name, questions)
	for _, pod := range pods {
		uid := pod.Question.GetUid()
		v, fault := verdicts.Given[uid], verdicts.Faults[uid]
		switch refusal := m.refusal(v.GetRefusal()); {
		case refusal != nil && m.waits():
			out[uid] = Judgment{Err: refusal}
			continue
		case refusal != nil:
			skipped(m.config.Name, refusal)
		case v.GetWaitSeconds() > 0:
			out[uid] = Judgment{Wait: max(time.Duration(v.GetWaitSeconds())*time.Second, leastWait)}
			continue
		case v != nil:
			out[uid] = Judgment{Status: statusOf(v, from), Advice: podverdict.Advice(v), AvoidNode: avoidNodeOf(v),
				MemoryFactor: v.GetResourceFactor(), Answer: v}
			continue
		case fault != nil && m.waits():
			out[uid] = Judgment{Err: m.waiting(fault)}
			continue
		case fault != nil:
			skipped(m.config.Name, fault)
		}
		open = append(open, pod)
	}
	return open
}

// leftOut proceeds without a plugin that is not asked about a Framework, or waits for it. It returns the Pods that others have
// to judge.
func (m member) leftOut(why error, pods []FailedPod, out map[string]Judgment, skipped Skipped) (open []FailedPod) {
	if !m.waits() {
		skipped(m.config.Name, why)
		return pods
	}
	for _, pod := range pods {
		out[pod.Question.GetUid()] = Judgment{Err: m.blocked(why)}
	}
	return nil
}

func avoidNodeOf(v *pluginpb.Verdict) *avoid.Advice {
	a := v.GetAvoidNode()
	if a == nil {
		return nil
	}
	mode := v1.AvoidPrefer
	if a.GetMode() == pluginpb.AvoidNode_REQUIRE {
		mode = v1.AvoidRequire
	}
	return &avoid.Advice{Mode: mode, Seconds: a.GetSeconds(), Reason: a.GetReason()}
}

func statusOf(v *pluginpb.Verdict, from pluginhost.Source) v1.CompletionStatus {
	s, by := podverdict.Status(v), source(from, v.GetRule())
	s.Source = &by
	return s
}

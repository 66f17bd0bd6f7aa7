package nodefault

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
)

// Version is recorded with every verdict.
const Version = "1.0.0"

// Codes and phrases of the verdicts.
const (
	CodeNodeAtFault   = -1300
	CodeNodeSuspected = -1301

	PhraseNodeAtFault   = "NodeAtFault"
	PhraseNodeSuspected = "NodeSuspected"
)

// New returns the plugin. Once it is configured, it calls start to watch the cluster's nodes.
func New(start Start) plugin.Plugin {
	c := &classifier{start: start}
	return plugin.Plugin{Version: Version, Configure: c.configure, FailureClassifier: c}
}

type classifier struct {
	start      Start
	parameters *structpb.Struct
	spec       spec
	cluster    Cluster
	suspicions suspicions
}

func (c *classifier) configure(_ string, s *structpb.Struct) (err error) {
	if c.spec, err = read(s); err != nil {
		return err
	}
	c.parameters = s
	if c.cluster, err = c.start(c.spec.Kubeconfig); err != nil {
		return fmt.Errorf("kubeconfig: %w", err)
	}
	return nil
}

// Classify implements plugin.FailureClassifier. If the parameters of a Framework are wrong, it uses the configuration's, and the verdict
// reports it.
func (c *classifier) Classify(ctx context.Context, pod *pluginpb.FailedPod) (*pluginpb.Verdict, error) {
	if c.cluster == nil {
		return nil, errors.New("it was not configured")
	}
	if pod.GetNode() == "" || pod.GetPending() != nil {
		return nil, nil
	}
	s, mistake := c.spec.overlaid(c.parameters, pod.GetParameters())
	v, err := c.judge(ctx, s, pod)
	if v != nil && mistake != nil {
		v.Rule += "; the parameters of the Framework were ignored: " + mistake.Error()
	}
	if v != nil {
		v.Rule = completion.Cut(v.Rule, podverdict.MaxRule)
	}
	return v, err
}

func (c *classifier) judge(ctx context.Context, s spec, pod *pluginpb.FailedPod) (*pluginpb.Verdict, error) {
	node, err := c.cluster.Node(ctx, pod.GetNode())
	if err != nil || node == nil {
		return nil, err
	}
	rule, why := s.fault(node, lifeOf(pod))
	suspects := c.suspect(s, pod, rule != "")
	switch {
	case excused(pod) >= s.TimesPerTask:
		return nil, nil // the Task has been excused often enough
	case rule != "":
		return verdict(s, pod, CodeNodeAtFault, PhraseNodeAtFault, rule, why), nil
	case suspects > 0:
		return verdict(s, pod, CodeNodeSuspected, PhraseNodeSuspected, "suspicion",
			fmt.Sprintf("%d Frameworks have failed there in the same way within %d s", suspects, s.Suspicion.WithinSec)), nil
	}
	return nil, nil
}

// suspect records an unexplained failure, and returns the number of Frameworks that failed like this on its node; 0 if
// the node is not suspected.
func (c *classifier) suspect(s spec, pod *pluginpb.FailedPod, explained bool) int {
	ended := lifeOf(pod).ended
	if s.Suspicion == nil || explained || ended.IsZero() || pod.GetFramework().GetUid() == "" {
		return 0
	}
	namespace := pod.GetFramework().GetNamespace()
	f := failure{
		framework: namespace + "/" + pod.GetFramework().GetUid(), node: pod.GetNode(), symptom: symptomOf(pod), pod: pod.GetUid(), at: ended,
	}
	c.suspicions.note(namespace, f)
	n, _ := c.suspicions.suspects(*s.Suspicion, f)
	return n
}

// symptomOf describes how a Pod failed.
func symptomOf(pod *pluginpb.FailedPod) string {
	t := plugin.LastFailed(pod).GetTerminated()
	return fmt.Sprintf("%s %d %d %s", completion.Cut(pod.GetReason(), 64), t.GetExitCode(), t.GetSignal(), completion.Cut(t.GetReason(), 64))
}

// excused is the number of the Task's attempts that were excused, according to the question.
func excused(pod *pluginpb.FailedPod) int {
	n := 0
	for _, e := range pod.GetEarlier() {
		if e.GetPhrase() == PhraseNodeAtFault || e.GetPhrase() == PhraseNodeSuspected {
			n++
		}
	}
	return n
}

// lifeOf is the time from the start of the first container to the end of the last.
func lifeOf(pod *pluginpb.FailedPod) life {
	var l life
	for _, c := range pod.GetContainers() {
		if began := timeOf(c.GetTerminated().GetStartedAt()); !began.IsZero() && (l.began.IsZero() || began.Before(l.began)) {
			l.began = began
		}
		if ended := timeOf(c.GetTerminated().GetFinishedAt()); ended.After(l.ended) {
			l.ended = ended
		}
	}
	return l
}

func timeOf(t *timestamppb.Timestamp) time.Time {
	if t == nil || !t.IsValid() {
		return time.Time{}
	}
	return t.AsTime()
}

func verdict(s spec, pod *pluginpb.FailedPod, code int32, phrase, rule, why string) *pluginpb.Verdict {
	v := plugin.Verdict(code, phrase, plugin.Transient)
	v.Uid, v.Rule = pod.GetUid(), rule
	v.Diagnostics = completion.Cut(fmt.Sprintf("node %s: %s", pod.GetNode(), why), podverdict.MaxDiagnostics)
	v.AvoidNode = s.Avoid.avoidNode(completion.Cut(why, maxReason))
	return v
}

// maxReason is the maximum length of a reason in a status.
const maxReason = 256

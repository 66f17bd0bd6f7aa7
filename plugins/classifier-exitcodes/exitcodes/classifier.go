package exitcodes

import (
	"context"
	"fmt"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/parameters"
)

// Version is recorded with every verdict.
const Version = "1.0.0"

// New returns the plugin. Without its own parameters, it uses the parameters of each Framework.
func New() plugin.Plugin {
	c := &classifier{policy: &policy{}}
	return plugin.Plugin{Version: Version, Configure: c.configure, FailureClassifier: c}
}

type classifier struct {
	parameters *structpb.Struct
	policy     *policy // compiled from the parameters
}

func (c *classifier) configure(_ string, s *structpb.Struct) error {
	p, err := compile(s)
	if err != nil {
		return err
	}
	c.parameters, c.policy = s, p
	return nil
}

// Classify implements plugin.FailureClassifier. If the parameters of a Framework are wrong, it uses the configuration's, and its verdict
// reports the mistake; if the configuration has no matching rule either, it refuses, because a rule of the Framework might have been meant
// to match.
func (c *classifier) Classify(_ context.Context, pod *pluginpb.FailedPod) (*pluginpb.Verdict, error) {
	p, mistake := c.policyFor(pod.GetParameters())
	v := p.judge(pod)
	if v == nil && mistake != nil {
		return plugin.RefuseVerdict(fmt.Errorf("the parameters of the Framework are wrong: %w", mistake)), nil
	}
	if v == nil {
		return nil, nil
	}
	if mistake != nil {
		v.Rule += "; the parameters of the Framework were ignored: " + mistake.Error()
	}
	v.Uid = pod.GetUid()
	v.Diagnostics = completion.Cut(v.Diagnostics, podverdict.MaxDiagnostics)
	v.Rule = completion.Cut(v.Rule, podverdict.MaxRule)
	return v, nil
}

// policyFor returns the policy for a Pod, and the mistake in the parameters of its Framework, or nil.
func (c *classifier) policyFor(own *structpb.Struct) (*policy, error) {
	if len(own.GetFields()) == 0 {
		return c.policy, nil
	}
	p, err := compile(parameters.Overlay(c.parameters, own))
	if err != nil {
		return c.policy, err
	}
	return p, nil
}

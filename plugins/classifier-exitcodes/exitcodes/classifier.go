package exitcodes

import (
	"context"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/parameters"
)

// Version is recorded with every verdict.
const Version = "1.0.0"

// New returns the plugin. Without parameters of its own it goes by those of each Framework.
func New() plugin.Plugin {
	c := &classifier{policy: &policy{}}
	return plugin.Plugin{Version: Version, Configure: c.configure, FailureClassifier: c}
}

type classifier struct {
	parameters *structpb.Struct
	policy     *policy // what the parameters say
}

func (c *classifier) configure(_ string, s *structpb.Struct) error {
	p, err := compile(s)
	if err != nil {
		return err
	}
	c.parameters, c.policy = s, p
	return nil
}

// Classify implements plugin.FailureClassifier. Wrong parameters of a Framework are ignored, and its verdicts say so.
func (c *classifier) Classify(_ context.Context, pod *pluginpb.FailedPod) (*pluginpb.Verdict, error) {
	p, ignored := c.policyFor(pod.GetParameters())
	v := p.judge(pod)
	if v == nil {
		return nil, nil
	}
	v.Uid = pod.GetUid()
	v.Diagnostics = podverdict.Cut(v.Diagnostics, podverdict.MaxDiagnostics)
	v.Rule = podverdict.Cut(v.Rule+ignored, podverdict.MaxRule)
	return v, nil
}

func (c *classifier) policyFor(own *structpb.Struct) (p *policy, ignored string) {
	if len(own.GetFields()) == 0 {
		return c.policy, ""
	}
	p, err := compile(parameters.Overlay(c.parameters, own))
	if err != nil {
		return c.policy, "; the parameters of the Framework were ignored: " + err.Error()
	}
	return p, ""
}

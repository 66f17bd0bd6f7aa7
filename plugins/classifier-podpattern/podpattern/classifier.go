package podpattern

import (
	"context"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
)

// Version is recorded with every verdict.
const Version = "1.0.0"

// New returns the plugin. Until it is configured it knows only the predefined rules.
func New() plugin.Plugin {
	c := &classifier{}
	return plugin.Plugin{Version: Version, Configure: c.configure, FailureClassifier: c}
}

// classifier keeps its configuration and, as a cache, compiled parameters of Frameworks.
type classifier struct {
	configured ruleSet
	compiled   memo
}

func (c *classifier) configure(_ string, parameters *structpb.Struct) (err error) {
	c.configured, err = compile(parameters)
	return err
}

// Classify implements plugin.FailureClassifier.
func (c *classifier) Classify(_ context.Context, q *pluginpb.FailedPod) (*pluginpb.Verdict, error) {
	var own *ruleSet
	var mistake error
	if len(q.GetParameters().GetFields()) > 0 {
		own, mistake = c.compiled.rules(q.GetParameters())
	}
	status, rule := judge(podverdict.Pod(q), own, &c.configured)
	v, ok := podverdict.Verdict(q.GetUid(), status)
	if !ok {
		return nil, nil
	}
	if mistake != nil {
		rule += "; the parameters of the Framework were ignored: " + mistake.Error()
	}
	v.Rule = completion.Cut(rule, podverdict.MaxRule)
	return v, nil
}

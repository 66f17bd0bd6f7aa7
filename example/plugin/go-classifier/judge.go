package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// classifier judges by one exit code.
type classifier struct {
	// From the parameters of the configuration.
	ExitCode int32 `json:"exitCode"`
	// Seconds before the retry; nil leaves them to the retry policy.
	DelaySeconds *int32 `json:"delaySeconds"`
	// Which Tasks start again together: Task, Role or Framework; empty leaves it to the retry policy.
	Restart string `json:"restart"`
	// For how many seconds later Pods are to prefer other nodes; 0 if they are not.
	AvoidNodeSeconds int32 `json:"avoidNodeSeconds"`
}

var scopes = map[string]pluginpb.RestartScope{
	"":          pluginpb.RestartScope_RESTART_SCOPE_UNSPECIFIED,
	"Task":      pluginpb.RestartScope_RESTART_SCOPE_TASK,
	"Role":      pluginpb.RestartScope_RESTART_SCOPE_ROLE,
	"Framework": pluginpb.RestartScope_RESTART_SCOPE_FRAMEWORK,
}

func newPlugin() plugin.Plugin {
	c := &classifier{ExitCode: 42}
	return plugin.Plugin{Version: "1.2.0", Configure: c.configure, FailureClassifier: c, PendingJudge: c}
}

// configure is called once, before any question. What it returns is shown to who runs the controller.
func (c *classifier) configure(_ string, parameters *structpb.Struct) error {
	if err := plugin.Decode(parameters, c); err != nil {
		return err
	}
	if c.ExitCode < 1 || c.ExitCode > 199 {
		return fmt.Errorf("exitCode: has to be from 1 to 199, but is %d", c.ExitCode)
	}
	if d := c.DelaySeconds; d != nil && (*d < 0 || *d > 86400) {
		return fmt.Errorf("delaySeconds: has to be from 0 to 86400, but is %d", *d)
	}
	if _, known := scopes[c.Restart]; !known {
		return fmt.Errorf("restart: has to be Task, Role or Framework, but is %q", c.Restart)
	}
	if c.AvoidNodeSeconds < 0 || c.AvoidNodeSeconds > 7*24*60*60 {
		return fmt.Errorf("avoidNodeSeconds: has to be from 0 to a week, but is %d", c.AvoidNodeSeconds)
	}
	return nil
}

// Classify implements plugin.FailureClassifier.
func (c *classifier) Classify(_ context.Context, pod *pluginpb.FailedPod) (*pluginpb.Verdict, error) {
	if plugin.ExitCode(pod) != c.ExitCode {
		return nil, nil // no opinion: the next plugin is asked, finally the built-in rules
	}
	verdict := plugin.Verdict(c.ExitCode, "LicenseServerBusy", plugin.Transient)
	verdict.Diagnostics = fmt.Sprintf("the container that failed last ended with exit code %d", c.ExitCode)
	verdict.DelaySeconds, verdict.Restart = c.DelaySeconds, scopes[c.Restart] // in place of both there is GiveUpAttempt
	verdict.Rule = fmt.Sprintf("exit code %d", c.ExitCode)
	if c.AvoidNodeSeconds > 0 {
		verdict.AvoidNode = plugin.AvoidNode(time.Duration(c.AvoidNodeSeconds)*time.Second, "the license server was busy there")
	}
	return verdict, nil
}

// JudgePending implements plugin.PendingJudge: Pods of Frameworks with a startDeadline that do not get to run.
func (c *classifier) JudgePending(_ context.Context, pod *pluginpb.FailedPod) (*pluginpb.Verdict, error) {
	words := pod.GetPending().GetMessage()
	switch {
	case pod.GetPending().GetKind() != plugin.ImagePull:
		return nil, nil // the deadline decides
	case strings.Contains(words, "not found"):
		verdict := plugin.Verdict(1000, "ImageNotFound", plugin.Permanent)
		verdict.Diagnostics, verdict.Rule = words, "image not found"
		return verdict, nil
	case strings.Contains(words, "toomanyrequests") && plugin.PendingFor(pod) < time.Hour:
		return plugin.Wait(5 * time.Minute), nil // the registry lets us in again, whatever the deadline says
	}
	return nil, nil
}

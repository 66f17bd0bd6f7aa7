package main

import (
	"os"

	"github.com/hashicorp/go-hclog"
	"k8s.io/client-go/rest"

	"github.com/frameworkcontroller/frameworkcontroller/deploy/crd"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/config"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/metrics"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/version"
)

func newLog(flags config.Flags) hclog.Logger {
	return hclog.New(&hclog.LoggerOptions{
		Name:   "frameworkcontroller",
		Level:  hclog.LevelFromString(flags.LogLevel()),
		Output: history.WithoutMarker(os.Stderr),
	})
}

func newMetrics(c *config.Config) *metrics.Set {
	var codes []int32
	for _, rule := range c.PodFailureSpec {
		if rule.Code != nil && !rule.Shadow {
			codes = append(codes, *rule.Code)
		}
	}
	m := metrics.New(metrics.Options{Version: version.Number(), Codes: codes})
	m.FollowClients()
	return m
}

// newHistory writes to stderr, like the log: both write whole lines.
func newHistory(s config.LogObjectSnapshot, m *metrics.Set) *history.Log {
	return history.New(m.History(os.Stderr), history.Switches{
		OnFrameworkRetry:    s.Framework.OnFrameworkRetry,
		OnFrameworkDeletion: s.Framework.OnFrameworkDeletion,
		OnTaskRetry:         s.Task.OnTaskRetry,
		OnTaskDeletion:      s.Task.OnTaskDeletion,
		OnPodDeletion:       s.Pod.OnPodDeletion,
	})
}

func connect(c *config.Config, log hclog.Logger) (*rest.Config, error) {
	connection, err := c.Connection(config.Environment{Getenv: os.Getenv, Exists: config.FileExists})
	if err != nil {
		return nil, err
	}
	log.Info("connecting", "api_server", connection.String())
	rc, err := c.RESTConfig(connection)
	if err != nil {
		return nil, err
	}
	rc.UserAgent, rc.Dial = "frameworkcontroller/"+version.Number(), apiserver.Dial
	return rc, nil
}

func options(c *config.Config, host *pluginhost.Host, m *metrics.Set, log hclog.Logger) controller.Options {
	return controller.Options{
		Workers:            c.WorkerNumber,
		CompressEarly:      c.LargeFrameworkCompression,
		AvoidByHostname:    c.AvoidNodesByHostname,
		History:            newHistory(c.LogObjectSnapshot, m),
		HistoryEnvironment: c.HistoryEnvironmentValues,
		Lifecycle: lifecycle.Config{
			CreationTimeout:          c.ObjectLocalCacheCreationTimeoutSec.Duration(),
			CompletedRetention:       c.FrameworkCompletedRetainSec.Duration(),
			ConflictRetryDelayMinSec: int64(c.FrameworkMinRetryDelaySecForTransientConflictFailed),
			ConflictRetryDelayMaxSec: int64(c.FrameworkMaxRetryDelaySecForTransientConflictFailed),
			Rules:                    c.Rules(),
		},
		Plugins:   consult.New(host, c.Rules()),
		EtcdQuota: int64(c.EtcdQuota),
		Memory:    flowcontrol.MemoryLimits{Framework: int64(c.FrameworkMemoryLimit), Namespace: int64(c.NamespaceMemoryLimit)},
		CRD: apiserver.CRDOptions{
			Manifest:      crd.Manifest,
			CheckInterval: c.CRDEstablishedCheckIntervalSec.Duration(),
			CheckTimeout:  c.CRDEstablishedCheckTimeoutSec.Duration(),
		},
		Log:          log,
		Observer:     m,
		QueueMetrics: m.Queue(),
		ContactEvery: contactEvery,
	}
}

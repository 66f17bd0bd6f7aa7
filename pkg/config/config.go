package config

import "github.com/frameworkcontroller/frameworkcontroller/pkg/completion"

// Config is the configuration file with defaults filled in (contract 9.1). Only Load and Parse make valid
// ones; nobody changes them afterwards.
type Config struct {
	// http[s]://host:port. Nil: the environment decides. An empty text also counts as set and means none.
	KubeAPIServerAddress *string `yaml:"kubeApiServerAddress,omitempty"`
	// Nil: the environment decides. An empty text also counts as set and means none.
	KubeConfigFilePath *string `yaml:"kubeConfigFilePath,omitempty"`

	// Limits of the client's requests to the API server, per second and in a burst. Both nil: no limit. If the file
	// sets only one of them, the other has the default of the original, 80 and 120.
	KubeClientQPS   *float32 `yaml:"kubeClientQps,omitempty"`
	KubeClientBurst *int     `yaml:"kubeClientBurst,omitempty"`

	// Number of Frameworks synced at the same time. From 1 to 10000.
	WorkerNumber int `yaml:"workerNumber"`
	// Estimated memory that the controller may hold for one Framework with its Pods, and for one namespace. 0 means no
	// limit; otherwise at least 1Mi.
	FrameworkMemoryLimit Bytes `yaml:"frameworkMemoryLimit"`
	NamespaceMemoryLimit Bytes `yaml:"namespaceMemoryLimit"`

	// Quota of the cluster's etcd. 0 means no limit for large statuses; otherwise at least 64Mi.
	EtcdQuota Bytes `yaml:"etcdQuota"`

	// Compress a large status early, and not only if it would not fit otherwise.
	LargeFrameworkCompression bool `yaml:"largeFrameworkCompression"`

	// The label kubernetes.io/hostname of each node equals the name of the node, so Pods avoid nodes by that label.
	AvoidNodesByHostname bool `yaml:"avoidNodesByHostname"`

	// Objects in the history have the values of environment variables, which may be secrets.
	HistoryEnvironmentValues bool `yaml:"historyEnvironmentValues"`

	// Interval and timeout of the check whether the CRD is established. At least 1 and 10.
	CRDEstablishedCheckIntervalSec Seconds `yaml:"crdEstablishedCheckIntervalSec"`
	CRDEstablishedCheckTimeoutSec  Seconds `yaml:"crdEstablishedCheckTimeoutSec"`

	// Time that a created ConfigMap or Pod may take to appear in our cache. At least 60.
	ObjectLocalCacheCreationTimeoutSec Seconds `yaml:"objectLocalCacheCreationTimeoutSec"`
	// Time for which a completed Framework is kept. At least 0.
	FrameworkCompletedRetainSec Seconds `yaml:"frameworkCompletedRetainSec"`

	// Range of the random delay before a Framework is retried after a conflict. 0 <= Min <= Max.
	FrameworkMinRetryDelaySecForTransientConflictFailed Seconds `yaml:"frameworkMinRetryDelaySecForTransientConflictFailed"`
	FrameworkMaxRetryDelaySecForTransientConflictFailed Seconds `yaml:"frameworkMaxRetryDelaySecForTransientConflictFailed"`

	LogObjectSnapshot LogObjectSnapshot `yaml:"logObjectSnapshot"`

	// Source of Rules.
	PodFailureSpec []completion.RuleSpec `yaml:"podFailureSpec,omitempty"`

	// Source of Plugins.
	PluginSpecs []PluginSpec `yaml:"plugins,omitempty"`

	rules *completion.Rules
	// Warnings about the file itself, not its contents.
	warningsOfFile []string
}

// LogObjectSnapshot selects the objects that are written to the log in full, and when (contract 8).
type LogObjectSnapshot struct {
	Framework FrameworkSnapshots `yaml:"framework"`
	Task      TaskSnapshots      `yaml:"task"`
	Pod       PodSnapshots       `yaml:"pod"`
}

// FrameworkSnapshots selects when a Framework is written to the log.
type FrameworkSnapshots struct {
	OnFrameworkRetry    bool `yaml:"onFrameworkRetry"`
	OnFrameworkDeletion bool `yaml:"onFrameworkDeletion"`
}

// TaskSnapshots selects when a Task is written to the log.
type TaskSnapshots struct {
	OnTaskRetry    bool `yaml:"onTaskRetry"`
	OnTaskDeletion bool `yaml:"onTaskDeletion"`
}

// PodSnapshots selects when a Pod is written to the log.
type PodSnapshots struct {
	OnPodDeletion bool `yaml:"onPodDeletion"`
}

// Default returns the configuration of an empty file.
func Default() *Config {
	return &Config{
		WorkerNumber:                                        200,
		FrameworkMemoryLimit:                                512 << 20,
		NamespaceMemoryLimit:                                512 << 20,
		EtcdQuota:                                           2 << 30,
		CRDEstablishedCheckIntervalSec:                      1,
		CRDEstablishedCheckTimeoutSec:                       60,
		ObjectLocalCacheCreationTimeoutSec:                  5 * 60,
		FrameworkCompletedRetainSec:                         30 * 24 * 3600,
		FrameworkMinRetryDelaySecForTransientConflictFailed: 60,
		FrameworkMaxRetryDelaySecForTransientConflictFailed: 15 * 60,
		LogObjectSnapshot: LogObjectSnapshot{
			Framework: FrameworkSnapshots{OnFrameworkRetry: true, OnFrameworkDeletion: true},
			Task:      TaskSnapshots{OnTaskRetry: true, OnTaskDeletion: true},
			Pod:       PodSnapshots{OnPodDeletion: true},
		},
	}
}

// Defaults of the client's limits, for a file that sets only one of them.
const (
	defaultQPS   float32 = 80
	defaultBurst int     = 120
)

// completeRate sets both limits or neither.
func (c *Config) completeRate() {
	if c.KubeClientQPS == nil && c.KubeClientBurst == nil {
		return
	}
	if c.KubeClientQPS == nil {
		c.KubeClientQPS = new(defaultQPS)
	}
	if c.KubeClientBurst == nil {
		c.KubeClientBurst = new(defaultBurst)
	}
}

// Rules returns the rules compiled from PodFailureSpec. Nil, which is usable, unless the file was loaded.
func (c *Config) Rules() *completion.Rules {
	return c.rules
}

// Warnings lists valid settings that look like mistakes, one sentence each.
func (c *Config) Warnings() []string {
	return append(completion.Warnings(c.PodFailureSpec), c.warningsOfFile...)
}

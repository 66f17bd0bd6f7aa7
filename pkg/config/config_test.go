package config

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// parse reads a file that must be valid.
func parse(t *testing.T, text string) *Config {
	t.Helper()
	c, err := Parse([]byte(text))
	require.NoError(t, err)
	return c
}

func TestDefaults(t *testing.T) {
	for _, text := range []string{"{}", "# only a comment\n", "---\n", "~", "workerNumber:\nlogObjectSnapshot:\n  task:\n", "podFailureSpec: []", "plugins:"} {
		c := parse(t, text)
		c.rules, c.PodFailureSpec = nil, nil
		if !reflect.DeepEqual(c, Default()) {
			t.Errorf("%q: got %+v", text, c)
		}
	}
}

func TestDefaultsOfTheContract(t *testing.T) {
	want := `workerNumber: 200
frameworkMemoryLimit: 512Mi
namespaceMemoryLimit: 512Mi
etcdQuota: 2Gi
largeFrameworkCompression: false
avoidNodesByHostname: false
historyEnvironmentValues: false
crdEstablishedCheckIntervalSec: 1
crdEstablishedCheckTimeoutSec: 60
objectLocalCacheCreationTimeoutSec: 300
frameworkCompletedRetainSec: 2592000
frameworkMinRetryDelaySecForTransientConflictFailed: 60
frameworkMaxRetryDelaySecForTransientConflictFailed: 900
logObjectSnapshot:
    framework:
        onFrameworkRetry: true
        onFrameworkDeletion: true
    task:
        onTaskRetry: true
        onTaskDeletion: true
    pod:
        onPodDeletion: true
`
	if got := Default().String(); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

// The keys that OpenPAI sets, in the form of its template (clients.md P11).
func TestClientFile(t *testing.T) {
	c := parse(t, `
kubeClientQps: 200
kubeClientBurst: 300
workerNumber: 500
largeFrameworkCompression: true
frameworkCompletedRetainSec: 2147483600

podFailureSpec:


- code: -1000
  phrase: PodEvicted
  type:
    attributes: [Transient]
  podPatterns:
  -
    reasonRegex: '(?i)^Evicted$'
    messageRegex: '(?ms).*'


- code: 3
  phrase: Odd
  type:
  podPatterns:
  -
    containers:
    -
      nameRegex: '(?i)^init$'
      codeRange:
        min: 1
`)
	if *c.KubeClientQPS != 200 || *c.KubeClientBurst != 300 || c.WorkerNumber != 500 || !c.LargeFrameworkCompression {
		t.Errorf("got %s", c)
	}
	if got := c.FrameworkCompletedRetainSec.Duration(); got != 2147483600*time.Second {
		t.Errorf("retention %s", got)
	}
	if len(c.PodFailureSpec) != 2 || c.Rules() == nil {
		t.Errorf("rules: %s", c)
	}
}

func TestStringGivesTheSameConfigurationAgain(t *testing.T) {
	c := parse(t, `
kubeApiServerAddress: ''
kubeConfigFilePath: /a
kubeClientQps: 0.5
workerNumber: 1
logObjectSnapshot: {framework: {onFrameworkRetry: false}, pod: {onPodDeletion: no}}
podFailureSpec: [{code: 5, podPatterns: [{nameRegex: '', containers: [{codeRange: {min: -1}}]}]}]
`)
	if again := parse(t, c.String()); !reflect.DeepEqual(again, c) {
		t.Errorf("got  %s\nfrom %s", again, c)
	}
	if c.LogObjectSnapshot.Framework.OnFrameworkRetry || !c.LogObjectSnapshot.Framework.OnFrameworkDeletion || c.LogObjectSnapshot.Pod.OnPodDeletion {
		t.Errorf("snapshots: %+v", c.LogObjectSnapshot)
	}
}

func TestClientRate(t *testing.T) {
	tests := []struct {
		text  string
		qps   float32
		burst int
	}{
		{"kubeClientQps: 10", 10, 120},
		{"kubeClientBurst: 10", 80, 10},
		{"kubeClientQps: 1e4\nkubeClientBurst: 0", 10000, 0},
	}
	for _, tt := range tests {
		if c := parse(t, tt.text); *c.KubeClientQPS != tt.qps || *c.KubeClientBurst != tt.burst {
			t.Errorf("%q: got %v %v", tt.text, *c.KubeClientQPS, *c.KubeClientBurst)
		}
	}
	if c := parse(t, "kubeClientQps:\nkubeClientBurst:\n"); c.KubeClientQPS != nil || c.KubeClientBurst != nil {
		t.Errorf("a limit without a key: %s", c)
	}
}

func TestSecondsDuration(t *testing.T) {
	tests := map[Seconds]time.Duration{0: 0, 60: time.Minute, 9_000_000_000: 9_000_000_000 * time.Second,
		9_300_000_000: math.MaxInt64, math.MaxInt64: math.MaxInt64}
	for s, want := range tests {
		if got := s.Duration(); got != want {
			t.Errorf("%d: got %d", s, got)
		}
	}
}

func TestWarnings(t *testing.T) {
	c := parse(t, "podFailureSpec: [{code: 5, type: {attributes: [transient]}, podPatterns: [{}]}]")
	if got := c.Warnings(); len(got) != 1 || !strings.Contains(got[0], "podFailureSpec[0].type.attributes") {
		t.Errorf("got %q", got)
	}
	if got := Default().Warnings(); got != nil {
		t.Errorf("got %q", got)
	}
}

func TestRedacted(t *testing.T) {
	c, err := Parse([]byte("plugins:\n- {name: p, kind: FailureClassifier, command: p, env: {TOKEN: topsecret}}\n"))
	require.NoError(t, err)
	if text := c.Redacted(); strings.Contains(text, "topsecret") || !strings.Contains(text, "TOKEN") {
		t.Errorf("for the log:\n%s", text)
	}
	if !strings.Contains(c.String(), "topsecret") {
		t.Error("the configuration itself was changed")
	}
}

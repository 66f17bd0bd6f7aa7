package config

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

const twoPlugins = `
plugins:
- name: ours
  kind: FailureClassifier
  command: /usr/bin/node
  args: [/opt/ours/main.js, -v, 3]
  env: {HOME: /tmp, DEBUG: 1.50, TRACE: yes}
  files:
    /opt/ours/main.js: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    /opt/ours/other.js:
  sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
  timeout: 300ms
  memoryLimit: 1.5Gi
  failurePolicy: Wait
  shadow: true
  parameters:
    codes: {42: {type: {attributes: [Transient]}}, true: no}
    since: 2026-11-20
    ratio: 0.5
    many: 1e3
    none:
    yes: "1"
  frameworkParameters: [codes, 1]
- name: hived
  kind: SchedulerHints
  command: hints-hived
- name: kueue
  kind: SchedulerHints
  command: hints-kueue
  frameworkParameters: []
`

func TestPlugins(t *testing.T) {
	const sum = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	want := []pluginhost.Config{{
		Name: "ours", Kind: plugin.KindFailureClassifier, Command: "/usr/bin/node", Args: []string{"/opt/ours/main.js", "-v", "3"},
		Env:    map[string]string{"HOME": "/tmp", "DEBUG": "1.50", "TRACE": "yes"},
		Files:  map[string]string{"/opt/ours/main.js": sum, "/opt/ours/other.js": ""},
		SHA256: sum, Timeout: 300 * time.Millisecond, MemoryLimit: 1536 << 20, FailurePolicy: pluginhost.Wait, Shadow: true,
		Parameters: map[string]any{
			"codes": map[string]any{"42": map[string]any{"type": map[string]any{"attributes": []any{"Transient"}}}, "true": "no"},
			"since": "2026-11-20", "ratio": 0.5, "many": 1e3, "none": nil, "yes": "1",
		},
		FrameworkParameters: []string{"codes", "1"},
	}, {Name: "hived", Kind: plugin.KindSchedulerHints, Command: "hints-hived"},
		{Name: "kueue", Kind: plugin.KindSchedulerHints, Command: "hints-kueue", FrameworkParameters: []string{}}}
	c := parse(t, twoPlugins)
	if got := c.Plugins(); !reflect.DeepEqual(got, want) {
		t.Errorf("\n got %#v\nwant %#v", got, want)
	}
	again := parse(t, c.String())
	if got := again.Plugins(); !reflect.DeepEqual(asStruct(t, got), asStruct(t, want)) || got[0].Timeout != want[0].Timeout || got[0].MemoryLimit != want[0].MemoryLimit || got[0].Env["DEBUG"] != "1.50" || !reflect.DeepEqual(keysOf(got), keysOf(want)) {
		t.Errorf("\n got %s\nfrom %s", again, c)
	}
}

// keysOf are the parameters that Frameworks may set: an empty list is not the same as no list.
func keysOf(configs []pluginhost.Config) (out [][]string) {
	for _, c := range configs {
		out = append(out, c.FrameworkParameters)
	}
	return out
}

// asStruct returns the parameters as a plugin gets them.
func asStruct(t *testing.T, plugins []pluginhost.Config) map[string]any {
	t.Helper()
	s, err := structpb.NewStruct(plugins[0].Parameters)
	require.NoError(t, err)
	return s.AsMap()
}

func TestNoPlugins(t *testing.T) {
	for _, text := range []string{"{}", "plugins:", "plugins: []"} {
		if got := parse(t, text).Plugins(); got != nil {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

func TestPluginTimeout(t *testing.T) {
	tests := map[string]time.Duration{
		"timeout: 5": 5 * time.Second, "timeout: '2m'": 2 * time.Minute, "timeout: 10ms": 10 * time.Millisecond,
		"timeout: 1.5s": 1500 * time.Millisecond, "timeout:": 0,
	}
	for text, want := range tests {
		c := parse(t, "plugins:\n- name: a\n  kind: SchedulerHints\n  command: a\n  "+text)
		if got := c.Plugins()[0].Timeout; got != want {
			t.Errorf("%s: got %s", text, got)
		}
	}
}

func TestPluginMemoryLimit(t *testing.T) {
	tests := map[string]int64{
		"memoryLimit: 64Mi": 64 << 20, "memoryLimit: '2G'": 2e9, "memoryLimit: 100000000": 1e8, "memoryLimit: 1e9": 1e9, "memoryLimit:": 0,
	}
	for text, want := range tests {
		c := parse(t, "plugins:\n- name: a\n  kind: SchedulerHints\n  command: a\n  "+text)
		if got := c.Plugins()[0].MemoryLimit; got != want {
			t.Errorf("%s: got %d", text, got)
		}
	}
}

// Anchors and merged mappings are usual in files with several similar entries.
func TestSharedParameters(t *testing.T) {
	c := parse(t, `
plugins:
- {name: a, kind: SchedulerHints, command: a, parameters: &p {cells: {8: x}, day: 2026-11-20}}
- {name: b, kind: SchedulerHints, command: a, parameters: *p}
- {name: c, kind: SchedulerHints, command: a, parameters: {<<: *p, day: 1}}
`)
	want := []any{"2026-11-20", "2026-11-20", 1}
	for i, p := range c.Plugins() {
		cells := map[string]any{"8": "x"}
		if !reflect.DeepEqual(p.Parameters, map[string]any{"cells": cells, "day": want[i]}) {
			t.Errorf("%s: got %v", p.Name, p.Parameters)
		}
	}
}

func TestChangedKeys(t *testing.T) {
	const base = "workerNumber: 3\nkubeClientQps: 5\npodFailureSpec: [{code: 5, podPatterns: [{}]}]\n"
	tests := map[string][]string{
		base:                        nil,
		base + twoPlugins:           nil,
		"workerNumber: 3":           {"kubeClientQps", "kubeClientBurst", "podFailureSpec"},
		base + "kubeClientBurst: 5": {"kubeClientBurst"},
		base + "logObjectSnapshot: {pod: {onPodDeletion: false}}":                           {"logObjectSnapshot"},
		"workerNumber: 3\nkubeClientQps: 5\npodFailureSpec: [{code: 6, podPatterns: [{}]}]": {"podFailureSpec"},
	}
	for text, want := range tests {
		a, b := parse(t, base), parse(t, text)
		if got := ChangedKeys(a, b); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
}

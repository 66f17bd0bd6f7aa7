package cluster

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

type document struct {
	Kind     string
	Metadata struct{ Name string }
	Options  map[string]any
	Spec     struct {
		ResourceRef struct{ Kind string } `yaml:"resourceRef"`
		Next        struct {
			Patches []struct{ Template string }
		}
	}
	ComponentsPatches []struct {
		Name      string
		ExtraArgs []struct{ Key, Value string } `yaml:"extraArgs"`
	} `yaml:"componentsPatches"`
}

func documents(t *testing.T, text []byte) []document {
	t.Helper()
	var all []document
	for decoder := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var d document
		err := decoder.Decode(&d)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		all = append(all, d)
	}
}

func TestConfig(t *testing.T) {
	k := kwokctl{
		root: "/checkout",
		home: &home{dir: "/checkout/bin/clusters/c"},
		args: map[string][]string{"kube-apiserver": {"--audit-log-path=/a=b"}},
	}
	text, err := k.config(&portBlock{first: 20000})
	require.NoError(t, err)
	config := documents(t, text)[0]

	if config.Options["bindAddress"] != "127.0.0.1" {
		t.Errorf("bindAddress = %v", config.Options["bindAddress"])
	}
	ports := map[any]string{}
	for name, value := range config.Options {
		if strings.HasSuffix(name, "Port") && ports[value] != "" {
			t.Errorf("%s and %s have the same port %v", name, ports[value], value)
		}
		ports[value] = name
	}
	last := config.ComponentsPatches[len(config.ComponentsPatches)-1]
	if last.Name != "kube-apiserver" || last.ExtraArgs[0].Key != "audit-log-path" || last.ExtraArgs[0].Value != "/a=b" {
		t.Errorf("patch of the caller's flags = %v", last)
	}
}

func TestEachReleaseHasItsPrograms(t *testing.T) {
	for release, want := range map[Release]string{
		Newest: "/checkout/bin/tools/kube-apiserver",
		Oldest: "/checkout/bin/tools/kube-apiserver-1.35",
	} {
		options := kwokctl{root: "/checkout", release: release}.options(&portBlock{first: 20000})
		if got := options["kubeApiserverBinary"]; got != want {
			t.Errorf("%q runs %v, want %s", release, got, want)
		}
	}
}

// Without flags for leases, the components that lead end for good when the API server is away for ten seconds, and without
// leases when it needs ten seconds to start.
func TestWhoLeadsIsPatient(t *testing.T) {
	text, err := kwokctl{root: "/checkout", home: &home{dir: "/c"}}.config(&portBlock{first: 20000})
	require.NoError(t, err)
	patient := map[string]bool{}
	for _, p := range documents(t, text)[0].ComponentsPatches {
		for _, flag := range p.ExtraArgs {
			patient[p.Name] = patient[p.Name] || flag.Key == "leader-elect-renew-deadline"
		}
	}
	for _, name := range []string{"kube-controller-manager", "kube-scheduler"} {
		if !patient[name] {
			t.Errorf("%s renews its lease within the default of ten seconds", name)
		}
	}
}

// kwok falls back to its built-in Stages for a kind that has none.
func TestStagesCoverPodsAndNodes(t *testing.T) {
	var kinds []string
	for _, d := range documents(t, []byte(stages)) {
		if d.Kind != "Stage" {
			t.Errorf("%s is a %s", d.Metadata.Name, d.Kind)
		}
		kinds = append(kinds, d.Spec.ResourceRef.Kind)
	}
	if !slices.Contains(kinds, "Pod") || !slices.Contains(kinds, "Node") {
		t.Errorf("stages for %v", kinds)
	}
}

// A Pod's successor has its name, so a status meant for the one must not reach the other.
func TestPodStatusWritesNameTheirPod(t *testing.T) {
	for _, d := range documents(t, []byte(stages)) {
		for _, patch := range d.Spec.Next.Patches {
			if d.Spec.ResourceRef.Kind != "Pod" {
				continue
			}
			if !strings.Contains(patch.Template, "uid: {{ .metadata.uid") ||
				!strings.Contains(patch.Template, "resourceVersion: {{ .metadata.resourceVersion") {
				t.Errorf("%s writes to whatever Pod has the name now", d.Metadata.Name)
			}
		}
	}
}

func TestEnvironmentOfKwokctl(t *testing.T) {
	k := kwokctl{root: "/checkout", home: &home{dir: "/c"}}
	env := k.env([]string{"HOME=/h", "KWOK_RUNTIME=docker", "KUBECONFIG=/k", "PATH=/usr/bin"})
	for _, v := range env {
		if v == "KWOK_RUNTIME=docker" || v == "KUBECONFIG=/k" {
			t.Errorf("%s is passed on", v)
		}
	}
	if !slices.Contains(env, "HOME=/h") || !slices.Contains(env, k.home.mark()) {
		t.Errorf("environment = %v", env)
	}
}

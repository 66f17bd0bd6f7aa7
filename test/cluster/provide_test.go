package cluster

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// scene is a checkout whose tools are small programs that print their version, as Kubernetes' tools do.
type scene struct {
	*testing.T
	provider
	said *bytes.Buffer
}

const sceneVersion = "v1.37.2"

func newScene(t *testing.T) *scene {
	t.Helper()
	t.Setenv("KUBEBUILDER_ASSETS", "")
	goTool, err := exec.LookPath("go")
	require.NoError(t, err)
	t.Setenv("PATH", filepath.Dir(goTool)+":/usr/bin:/bin")
	root, said := checkout(t.TempDir()), &bytes.Buffer{}
	module := root.toolsModule("kubernetes")
	write(t, filepath.Join(module, "go.mod"), "module tools\n\ngo 1.26\n\nrequire k8s.io/kubernetes "+sceneVersion+
		"\n\nreplace k8s.io/kubernetes => ./kubernetes\n\ntool (\n\tk8s.io/kubernetes/cmd/kube-apiserver\n\tk8s.io/kubernetes/cmd/kubectl\n)\n")
	write(t, filepath.Join(module, "go.sum"), "")
	write(t, filepath.Join(module, "kubernetes", "go.mod"), "module k8s.io/kubernetes\n\ngo 1.26\n")
	for _, name := range []string{"kube-apiserver", "kubectl"} {
		write(t, filepath.Join(module, "kubernetes", "cmd", name, "main.go"),
			"package main\n\nvar version string\n\nfunc main() { println(\"built\"); print(\"\"); say(version) }\n")
		write(t, filepath.Join(module, "kubernetes", "cmd", name, "say.go"),
			"package main\n\nimport \"fmt\"\n\nfunc say(v string) { fmt.Println(\"Kubernetes\", v) }\n")
	}
	require.NoError(t, os.MkdirAll(root.tools(), 0o755))
	return &scene{t, provider{root: root, log: said}, said}
}

// tools are two programs of Kubernetes.
func (s *scene) tools() []tool {
	var all []tool
	for _, name := range []string{"kube-apiserver", "kubectl"} {
		t := kubernetesTool(Newest, name)
		t.ldflags = "-X main.version=VERSION"
		all = append(all, t)
	}
	return all
}

// script is a program that prints a version.
func script(version, mark string) string {
	return fmt.Sprintf("#!/bin/sh\n# %s\necho Kubernetes %s\n", mark, version)
}

func (s *scene) provideAll() {
	s.Helper()
	if err := s.provide(s.Context(), s.tools()); err != nil {
		s.Fatalf("%v, after\n%s", err, s.said)
	}
	if missing, err := missingOf(s.root, s.tools()); err != nil || len(missing) > 0 {
		s.Fatalf("missing %v, %v, after\n%s", missing, err, s.said)
	}
	left, err := filepath.Glob(s.root.tool(".*"))
	require.NoError(s, err)
	for _, path := range left {
		if !strings.HasSuffix(path, ".stamp") {
			s.Errorf("%s is left behind", path)
		}
	}
}

// requireMade checks the origin of a program: a mark, or the words of one that was built.
func (s *scene) requireMade(name, mark string) {
	s.Helper()
	text, err := os.ReadFile(s.root.tool(name))
	require.NoError(s, err)
	made := "built"
	if bytes.HasPrefix(text, []byte("#!")) {
		made = strings.TrimPrefix(strings.SplitN(string(text), "\n", 3)[1], "# ")
	}
	if made != mark {
		s.Errorf("%s was %s, want %s, after\n%s", name, made, mark, s.said)
	}
	if v, err := versionOf(s.Context(), name, s.root.tool(name)); err != nil || v.minor != 37 {
		s.Errorf("%s is %s, %v", name, v, err)
	}
}

func (s *scene) requireSaid(texts ...string) {
	s.Helper()
	for _, text := range texts {
		if !strings.Contains(s.said.String(), text) {
			s.Errorf("%q is not in\n%s", text, s.said)
		}
	}
}

// Programs that are neither installed nor fetched are built, in one go, with an estimate of the time.
func TestToolsAreBuilt(t *testing.T) {
	s := newScene(t)
	s.provideAll()
	s.requireMade("kube-apiserver", "built")
	s.requireMade("kubectl", "built")
	s.requireSaid("building from source: about ", "building kube-apiserver, kubectl "+sceneVersion+" ... ")
	s.said.Reset()
	s.provideAll()
	if s.said.Len() > 0 {
		t.Errorf("what is there is made again: %s", s.said)
	}
}

func TestBuildThatFails(t *testing.T) {
	s := newScene(t)
	write(t, filepath.Join(s.root.toolsModule("kubernetes"), "kubernetes", "cmd", "kubectl", "say.go"), "package other\n")
	err := s.provide(t.Context(), s.tools())
	if err == nil || !strings.Contains(err.Error(), "building kube-apiserver, kubectl "+sceneVersion) {
		t.Errorf("got %v", err)
	}
	if missing, _ := missingOf(s.root, s.tools()); len(missing) != 2 {
		t.Errorf("missing %v", missing)
	}
}

// The estimate names less time for more processors, and less for a part than for all.
func TestEstimate(t *testing.T) {
	for _, c := range []struct {
		tools      []tool
		processors int
		want       string
	}{
		{toolset(Newest), 2, "about 13 min on 2 processors"},
		{toolset(Newest), 16, "about 2 min on 16 processors"},
		{toolset(Newest)[1:3], 2, "about 7 min on 2 processors"},
		{toolset(Newest)[4:5], 2, "about 1 min on 2 processors"},
	} {
		if got := estimate(c.tools, c.processors); got != c.want {
			t.Errorf("%s: %s, want %s", names(c.tools), got, c.want)
		}
	}
}

// Every module that something is built of has a place in the estimate.
func TestEveryModuleIsEstimated(t *testing.T) {
	for _, tools := range [][]tool{toolset(Newest), toolset(Oldest), onRequest} {
		for _, one := range tools {
			if processorMinutes[one.module] == 0 {
				t.Errorf("%s has no time", one.module)
			}
		}
	}
}

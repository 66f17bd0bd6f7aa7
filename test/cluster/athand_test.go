package cluster

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// program puts a program into a folder.
func (s *scene) program(dir, name, text string) {
	s.Helper()
	path := filepath.Join(dir, name)
	write(s.T, path, text)
	require.NoError(s, os.Chmod(path, 0o755))
}

// onPath puts a folder in front of the PATH.
func (s *scene) onPath() (dir string) {
	dir = s.TempDir()
	s.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return dir
}

// Programs of the right minor version are taken, from KUBEBUILDER_ASSETS first, and the log names them.
func TestToolsAtHandAreTaken(t *testing.T) {
	s := newScene(t)
	assets, path := t.TempDir(), s.onPath()
	t.Setenv("KUBEBUILDER_ASSETS", assets)
	s.program(assets, "kube-apiserver", script("v1.37.0", "from assets"))
	s.program(path, "kube-apiserver", script("v1.37.1", "from path"))
	s.program(path, "kubectl", script("v1.37.1", "from path"))
	s.provideAll()
	s.requireMade("kube-apiserver", "from assets")
	s.requireMade("kubectl", "from path")
	s.requireSaid("taking kube-apiserver v1.37.0 from KUBEBUILDER_ASSETS ("+assets+"/kube-apiserver)",
		"taking kubectl v1.37.1 from PATH ("+path+"/kubectl)")
	require.NoError(t, os.RemoveAll(path))
	s.provideAll() // they are copies
}

// Programs of another version, unreleased ones, and ones that are not what their name says, are left alone, and the log gives the reason.
func TestToolsAtHandThatAreNotTaken(t *testing.T) {
	for name, c := range map[string]struct{ text, said string }{
		"older":       {script("v1.36.4", "path"), "v1.36.4 from PATH"},
		"newer":       {script("v1.38.0", "path"), "it takes 1.37, as the others are"},
		"no release":  {script("v1.37.0-rc.1", "path"), "it is no release"},
		"vendor's":    {script("v1.37.2-dispatcher", "path"), "it is no release"},
		"says naught": {"#!/bin/sh\n", ""},
		"fails":       {"#!/bin/sh\nexit 1\n", ""},
		"foreign":     {"\x7fELFnonsense", ""},
		"needs its place": {"#!/bin/sh\ncase $0 in */bin/tools/*) exit 1;; esac\necho v1.37.2\n",
			"it does not work elsewhere"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			s.program(s.onPath(), "kubectl", c.text)
			if left := s.take(t.Context(), s.tools()); len(left) != 2 {
				t.Errorf("left is %s", names(left))
			}
			s.requireSaid(c.said)
		})
	}
}

// etcd may be older than the pinned one. The tools on request, but for the first, are not looked for at all.
func TestWhichVersionsAreRefused(t *testing.T) {
	root, err := findCheckout()
	require.NoError(t, err)
	etcd := toolset(Newest)[4]
	for text, taken := range map[string]bool{"etcd Version: 3.5.12": false, "3.5.13": true, "3.6.9": true, "3.7.0": true, "4.0.0": false, "v3.6.0-rc.1": false} {
		if why := etcd.refuses(root, parseVersion(text)); (why == "") != taken {
			t.Errorf("etcd %s: %q", text, why)
		}
	}
	for _, one := range onRequest[1:] {
		if one.program() != "" {
			t.Errorf("%s is looked for as %s", one.name, one.program())
		}
	}
}

// A complete control plane of an older supported release is used unchanged if the newest one would have to be built.
func TestQuickestRelease(t *testing.T) {
	s := newScene(t)
	for _, name := range []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl"} {
		write(t, filepath.Join(s.root.toolsModule("kubernetes"), "kubernetes", "cmd", name, "say.go"), "package main\n")
	}
	t.Chdir(string(s.root))
	quickest := func(want Release) {
		t.Helper()
		if got, err := Quickest(t.Context()); got != want || err != nil {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	quickest(Newest)
	path := s.onPath()
	for _, name := range []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler"} {
		s.program(path, name, script("v1.34.1", "path"))
	}
	s.program(path, "kubectl", script("v1.35.0", "path"))
	quickest(Newest)
	s.program(path, "kubectl", script("v1.34.7", "path"))
	quickest("1.34")
	if err := s.provide(t.Context(), toolset("1.34")[:4]); err != nil {
		t.Fatalf("%v, after\n%s", err, s.said)
	}
	if v, err := versionOf(t.Context(), "kubectl", s.root.tool("kubectl-1.34")); v.String() != "v1.34.7" || err != nil {
		t.Errorf("kubectl-1.34 is %s, %v", v, err)
	}
	s.program(path, "kubectl", script("v1.32.9", "path"))
	quickest(Newest)
	if err := s.provide(t.Context(), toolset("1.32")[:4]); err == nil {
		t.Error("a release that is nowhere is provided")
	}
	for _, one := range toolset(Newest)[:4] {
		stamp, err := one.stamp(s.root)
		require.NoError(t, err)
		write(t, s.root.tool(one.name), "")
		write(t, one.stampFile(s.root), stamp)
	}
	s.program(path, "kubectl", script("v1.34.7", "path"))
	quickest(Newest)
}

func TestParseVersion(t *testing.T) {
	for text, want := range map[string]string{
		"Kubernetes v1.37.2\n": "v1.37.2",
		"Client Version: v1.32.4-dispatcher\nKustomize Version: v5.5.0\n": "v1.32.4-dispatcher",
		"etcd Version: 3.6.5\nGit SHA: a061450\nGo Version: go1.26.1\n":   "v3.6.5",
		"kwok version v0.7.0 go1.26 (linux/amd64)":                        "v0.7.0",
		"v1.34.1+k3s1": "v1.34.1+k3s1",
		"none":         "v0.0.0",
	} {
		if got := parseVersion(text).String(); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

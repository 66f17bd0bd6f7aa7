package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A busybox that is handed over is taken without apt-get, and named by the version that is written in it.
func TestBusyboxIsHandedOver(t *testing.T) {
	needImages(t)
	path := filepath.Join(t.TempDir(), "busybox")
	if err := os.WriteFile(path, shell.busybox.binary, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", "")
	t.Setenv(busyboxVariables[runtime.GOARCH], path)
	found, err := findBusyboxes(context.Background(), t.TempDir(), []string{runtime.GOARCH})
	if err != nil {
		t.Fatal(err)
	}
	got := found[runtime.GOARCH]
	if got.sha256() != shell.busybox.sha256() || !strings.Contains(shell.busybox.version, strings.TrimPrefix(got.version, "v")) {
		t.Errorf("got version %s, want that of %s", got.version, shell.busybox.version)
	}
}

// A program that would not run in the image is refused, with the reason.
func TestUnusableBusybox(t *testing.T) {
	needImages(t)
	other := map[string]string{"amd64": "arm64", "arm64": "amd64"}[runtime.GOARCH]
	tests := map[string]struct {
		binary []byte
		arch   string
		says   string
	}{
		"a script":              {[]byte("#!/bin/sh\n"), runtime.GOARCH, "is no program"},
		"another machine":       {shell.busybox.binary, other, "is for EM_"},
		"not static":            {readFile(t, "/bin/sh"), runtime.GOARCH, "is not static"},
		"nothing, and no apt":   {nil, runtime.GOARCH, "there is no apt-get here"},
		"a file that is absent": {nil, other, "BUSYBOX_"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv("PATH", "")
			if tt.binary != nil {
				path := filepath.Join(t.TempDir(), "busybox")
				if err := os.WriteFile(path, tt.binary, 0o755); err != nil {
					t.Fatal(err)
				}
				t.Setenv(busyboxVariables[tt.arch], path)
			} else if strings.Contains(name, "absent") {
				t.Setenv(busyboxVariables[tt.arch], "/does/not/exist")
			}
			_, err := findBusyboxes(context.Background(), t.TempDir(), []string{tt.arch})
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v, want one that says %q", err, tt.says)
			}
		})
	}
}

func TestArguments(t *testing.T) {
	if got, err := parseArchitectures("amd64, arm64"); err != nil || len(got) != 2 {
		t.Errorf("got %v, %v", got, err)
	}
	for _, list := range []string{"", "mips"} {
		if got, err := parseArchitectures(list); err == nil {
			t.Errorf("%q: got %v", list, got)
		}
	}
	if _, err := newBuild(".", ".", "no tag"); err == nil {
		t.Error("a version with a space is accepted")
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const checkout = "../.."

// The written plugin builds, and passes its own test, in any folder.
func TestEachKind(t *testing.T) {
	for _, kind := range []string{"FailureClassifier", "CompletionPolicy", "SchedulerHints", "HistorySink"} {
		t.Run(kind, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "my plugin")
			w := &wish{name: "my-" + strings.ToLower(kind), kind: kind, dir: dir, checkout: checkout}
			if err := w.fulfil(); err != nil {
				t.Fatal(err)
			}
			run(t, dir, "gofmt", "-l", ".")
			run(t, dir, "go", "vet", ".")
			run(t, dir, "go", "test", "-count=1", ".")
			run(t, dir, "go", "build", ".")
			if _, err := os.Stat(filepath.Join(dir, w.name)); err != nil {
				t.Error(err)
			}
		})
	}
}

// Further answers of a classifier are present as comments, and work once uncommented.
func TestCommentedLines(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "it")
	if err := (&wish{name: "it", kind: "FailureClassifier", dir: dir, checkout: checkout}).fulfil(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "decide.go")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	commented := "\t// verdict."
	if n := strings.Count(string(text), commented); n != 3 {
		t.Fatalf("%d lines begin with %q", n, commented)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(text), commented, "\tverdict.")), 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "gofmt", "-l", ".")
	run(t, dir, "go", "build", ".")
}

func run(t *testing.T, dir, command string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command, args...)
	cmd.Dir = dir
	output, err := cmd.CombinedOutput()
	if err != nil || command == "gofmt" && len(output) > 0 {
		t.Fatalf("%s %v: %v\n%s", command, args, err, output)
	}
}

// The way that users go.
func TestMake(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "it")
	run(t, checkout, "make", "plugin-new", "NAME=made", "KIND=FailureClassifier", "DIR="+dir)
	run(t, dir, "go", "build", ".")
}

// In the checkout, the module finds the checkout wherever both are moved to.
func TestRelativeInTheCheckout(t *testing.T) {
	root := t.TempDir()
	for dir, want := range map[string]string{"it": "..", "deep/er": "../..", "../beside": root} {
		w := &wish{dir: filepath.Join(root, dir), checkout: root}
		if got, err := w.wayToCheckout(); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", dir, got, err, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "precious"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	tests := []struct {
		wish wish
		want string
	}{
		{wish{name: "", kind: "FailureClassifier", dir: empty, checkout: checkout}, "NAME="},
		{wish{name: "No", kind: "FailureClassifier", dir: empty, checkout: checkout}, "NAME=No"},
		{wish{name: "../no", kind: "FailureClassifier", dir: empty, checkout: checkout}, "NAME=../no"},
		{wish{name: "it", kind: "", dir: empty, checkout: checkout}, "KIND="},
		{wish{name: "it", kind: "common", dir: empty, checkout: checkout}, "KIND=common"},
		{wish{name: "it", kind: "Classifier", dir: empty, checkout: checkout}, "KIND=Classifier"},
		{wish{name: "it", kind: "FailureClassifier", dir: full, checkout: checkout}, "already"},
		{wish{name: "it", kind: "FailureClassifier", dir: empty, checkout: empty}, "go.mod"},
	}
	for _, test := range tests {
		if err := test.wish.fulfil(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %q", test.wish, err, test.want)
		}
	}
	if entries, _ := os.ReadDir(empty); len(entries) > 0 {
		t.Errorf("something was written: %v", entries)
	}
}

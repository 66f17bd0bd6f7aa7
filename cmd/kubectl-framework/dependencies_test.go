package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var rewrite = flag.Bool("rewrite", false, "write the lists of modules anew")

// The programs that run in the cluster consist of exactly the modules that testdata lists. So they contain nothing that
// only the kubectl plugin's command lines need, and a new dependency is noticed. Our own packages for the kubectl
// plugin are not in them either.
func TestOthersDoNotDependOnIt(t *testing.T) {
	for _, program := range []string{"controller", "barrier"} {
		requireModules(t, program)
		for _, path := range list(t, "{{.ImportPath}}", program) {
			if strings.HasSuffix(path, "/pkg/kubectl") || strings.HasSuffix(path, "/pkg/explain") {
				t.Errorf("%s depends on %s", program, path)
			}
		}
	}
	if own := list(t, module, "kubectl-framework"); !slices.Contains(own, "github.com/spf13/cobra") {
		t.Error("the plugin itself does not depend on cobra, so the test looks for the wrong things")
	}
}

// databases are the modules that only package store needs, beside our own.
var databases = []string{"github.com/jackc/pgx/v5", "github.com/ncruces/go-sqlite3", "github.com/pressly/goose/v3"}

// The history server alone has databases in it: neither the other programs nor the sink that sends to it.
func TestOnlyHistoryHasDatabases(t *testing.T) {
	for _, program := range []string{"controller", "barrier", "kubectl-framework", "../plugins/history-remote"} {
		has := list(t, module, program)
		for _, database := range databases {
			if slices.Contains(has, database) {
				t.Errorf("%s depends on %s", program, database)
			}
		}
	}
	has := list(t, module, "history")
	for _, database := range databases {
		if !slices.Contains(has, database) {
			t.Errorf("history does not depend on %s, so the test looks for the wrong things", database)
		}
	}
}

// module prints the path of a package's module; empty for the standard library.
const module = "{{with .Module}}{{.Path}}{{end}}"

func requireModules(t *testing.T, program string) {
	t.Helper()
	path := filepath.Join("testdata", program+".txt")
	got := list(t, module, program)
	if *rewrite {
		require.NoError(t, os.WriteFile(path, []byte(strings.Join(got, "\n")+"\n"), 0o644))
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	want := strings.Fields(string(text))
	for _, m := range got {
		if !slices.Contains(want, m) {
			t.Errorf("%s depends on %s, which is not in %s", program, m, path)
		}
	}
	for _, m := range want {
		if !slices.Contains(got, m) {
			t.Errorf("%s is in %s, and %s does not depend on it any more", m, path, program)
		}
	}
}

// list prints a property of all packages that a program consists of on Linux, without duplicates.
func list(t *testing.T, format, program string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", format, "../"+program)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	out, err := cmd.Output()
	require.NoError(t, err)
	found := strings.Fields(string(out))
	slices.Sort(found)
	found = slices.Compact(found)
	require.Greater(t, len(found), 20)
	return found
}

package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the plugin needs for its command lines is not in the programs that run in the cluster.
func TestOthersDoNotDependOnIt(t *testing.T) {
	forbidden := []string{"github.com/spf13/cobra", "k8s.io/cli-runtime", "sigs.k8s.io/kustomize", "/pkg/kubectl", "/pkg/explain"}
	for _, program := range []string{"../controller", "../barrier"} {
		packages := dependencies(t, program)
		for _, prefix := range forbidden {
			for _, path := range packages {
				if strings.Contains(path, prefix) {
					t.Errorf("%s depends on %s", program, path)
				}
			}
		}
	}
	if own := strings.Join(dependencies(t, "."), "\n"); !strings.Contains(own, "github.com/spf13/cobra") {
		t.Error("the plugin itself does not depend on cobra, so the test looks for the wrong things")
	}
}

func dependencies(t *testing.T, program string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", program).Output()
	require.NoError(t, err)
	packages := strings.Fields(string(out))
	require.Greater(t, len(packages), 50)
	return packages
}

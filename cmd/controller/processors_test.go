package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/goruntime"
)

// The program uses half of the CPUs, or the number that the environment asks for, and logs it.
func TestProcessorsInTheLog(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(file, []byte("kubeConfigFilePath: /absent"), 0o600))
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	runtime.SetDefaultGOMAXPROCS()
	goruntime.LimitProcessors()
	for env, want := range map[string]int{"OTHER=1": runtime.GOMAXPROCS(0), "GOMAXPROCS=3": 3} {
		ended := startIn(t, []string{env}, "--config", file) // ends because there is no kubeconfig
		if want := fmt.Sprintf(" processors=%d\n", want); !strings.Contains(ended.stderr, want) {
			t.Errorf("%s: want %s in %s", env, want, ended.stderr)
		}
	}
}

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The program uses half of the CPUs, or what the environment asks for, and says so.
func TestProcessors(t *testing.T) {
	for available, want := range map[int]int{1: 1, 2: 1, 3: 1, 4: 2, 8: 4, 64: 4} {
		if got := processors(available); got != want {
			t.Errorf("%d of %d", got, available)
		}
	}
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte("kubeConfigFilePath: /absent"), 0o600); err != nil {
		t.Fatal(err)
	}
	told := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(told)
	runtime.SetDefaultGOMAXPROCS()
	for env, want := range map[string]int{"OTHER=1": processors(runtime.GOMAXPROCS(0)), "GOMAXPROCS=3": 3} {
		ended := startIn(t, []string{env}, "--config", file) // which ends for want of a kubeconfig
		if want := fmt.Sprintf(" processors=%d\n", want); !strings.Contains(ended.stderr, want) {
			t.Errorf("%s: want %s in %s", env, want, ended.stderr)
		}
	}
}

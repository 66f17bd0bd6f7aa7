package plugins

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// pure lists the packages that decide. They do no I/O and read no clock, so that the same question gets the same answer, also from a new
// process. nodefault also depends on the nodes' state and on earlier questions.
var pure = []string{
	"../pkg/taskcount", "../pkg/plugin/podverdict", "internal/parameters", "internal/gang",
	"classifier-exitcodes/exitcodes", "classifier-nodes/nodefault", "classifier-podpattern/podpattern",
	"completion-leader/leader", "completion-taskcount/thresholds",
	"hints-coscheduling/coscheduling", "hints-hived/hived", "hints-kueue/kueue", "hints-volcano/volcano",
	"hints-workload/workload", "hints-yunikorn/yunikorn",
}

// forbidden lists the imports that would let a package reach outside, or depend on more than the question.
var forbidden = []string{
	"os", "os/exec", "io", "io/fs", "net", "net/http", "log", "log/slog", "math/rand", "math/rand/v2", "runtime", "syscall",
	"google.golang.org/grpc", "github.com/hashicorp/go-plugin", "github.com/hashicorp/go-hclog",
}

func TestPure(t *testing.T) {
	for _, dir := range pure {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(files), err)
		}
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				testPure(t, file)
			}
		}
	}
}

func testPure(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ImportsOnly)
	require.NoError(t, err)
	for _, spec := range parsed.Imports {
		if path := strings.Trim(spec.Path.Value, `"`); slices.Contains(forbidden, path) || strings.HasPrefix(path, "k8s.io/client-go") {
			t.Errorf("%s imports %s", file, path)
		}
	}
	for _, call := range []string{"time.Now(", "time.Since(", "time.Until("} {
		if strings.Contains(string(text), call) {
			t.Errorf("%s calls %s", file, call)
		}
	}
}

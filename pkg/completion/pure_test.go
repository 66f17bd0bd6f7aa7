package completion

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The package is pure, so it imports nothing that could do I/O.
func TestImports(t *testing.T) {
	allowed := []string{
		"encoding/json", "errors", "fmt", "regexp", "slices", "strings", "time", "unicode/utf8",
		"github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1",
		"github.com/frameworkcontroller/frameworkcontroller/pkg/reason",
	}
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, spec := range parsed.Imports {
			if path := strings.Trim(spec.Path.Value, `"`); !slices.Contains(allowed, path) {
				t.Errorf("%s imports %s", file, path)
			}
		}
	}
}

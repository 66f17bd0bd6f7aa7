package kubectl

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// Each of our commands that explain advises exists, and so do its flags.
func TestAdvisedCommandsExist(t *testing.T) {
	var files []string
	for _, dir := range []string{"explain", "reason", "completion"} {
		found, err := filepath.Glob("../" + dir + "/*.go")
		require.NoError(t, err)
		files = append(files, found...)
	}
	checked := 0
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			require.NoError(t, err)
			words := strings.Fields(text)
			if len(words) < 3 || words[0] != "kubectl" || words[1] != "framework" {
				return true
			}
			checked++
			command, rest, err := New(genericiooptions.NewTestIOStreamsDiscard()).Find(words[2:])
			if err == nil {
				err = command.ParseFlags(rest)
			}
			if err != nil || !command.HasParent() {
				t.Errorf("%s: %s: %v", file, text, err)
			}
			return true
		})
	}
	if checked < 8 {
		t.Errorf("%d commands were found: the test does not find them", checked)
	}
}

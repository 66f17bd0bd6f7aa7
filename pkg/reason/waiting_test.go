package reason

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
)

// Each constant is listed once.
func TestWaitings(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "waiting.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	constants := 0
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok {
			constants += len(v.Names)
		}
		return true
	})
	seen := map[Waiting]bool{}
	for _, w := range Waitings() {
		if seen[w] || !id.MatchString(string(w)) && w != APIServerUnreachable {
			t.Errorf("%q is listed twice, or no reason", w)
		}
		seen[w] = true
	}
	if len(seen) != constants {
		t.Errorf("%d constants, %d are listed", constants, len(seen))
	}
}

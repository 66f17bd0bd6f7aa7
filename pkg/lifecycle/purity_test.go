package lifecycle_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// purePackages decide, or explain; whatever touches the world is in the packages around them.
var purePackages = []string{".", "avoid", "deadline", "gates", "memory", "retry", "waiting", "../objects", "../completion", "../quantity", "../taskcount", "../explain", "../reason", "../controller/specwarnings"}

// forbiddenImports are path prefixes, each with the reason.
var forbiddenImports = map[string]string{
	"k8s.io/client-go":               "talking to API servers is for package controller; results come in as observations",
	"github.com/hashicorp/go-plugin": "asking plugins is an action; the answer is an observation",
	"github.com/hashicorp/go-hclog":  "the core does not log; what is to be told is in its output",
	"log":                            "the core does not log; what is to be told is in its output",
	"os":                             "files, environment and processes are not part of the input",
	"net":                            "the network is not part of the input",
	"math/rand":                      "the same input has to give the same output; random choices come from Input.Seed",
	"crypto/rand":                    "the same input has to give the same output; random choices come from Input.Seed",
}

// forbiddenCalls read a clock or wait, while time is data: Input.Now and Output.WakeAt.
var forbiddenCalls = map[string][]string{
	"time":   {"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"},
	"metav1": {"Now"},
}

func TestPurity(t *testing.T) {
	for _, dir := range purePackages {
		paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(paths), err)
		}
		for _, path := range paths {
			if !strings.HasSuffix(path, "_test.go") {
				checkPurity(t, path)
			}
		}
	}
}

func checkPurity(t *testing.T, path string) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	for _, spec := range file.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		for prefix, reason := range forbiddenImports {
			if imported == prefix || strings.HasPrefix(imported, prefix+"/") {
				t.Errorf("%s imports %s, but %s", path, imported, reason)
			}
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		selector, ok := node.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if from, ok := selector.X.(*ast.Ident); ok && slices.Contains(forbiddenCalls[from.Name], selector.Sel.Name) {
			t.Errorf("%s uses %s.%s, but time is part of the input", path, from.Name, selector.Sel.Name)
		}
		return true
	})
}

// TestSequentialPackages holds the packages to it that make unit RACE=1 does not give to the race detector: neither they nor
// their tests start a goroutine.
func TestSequentialPackages(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	require.NoError(t, err)
	_, list, _ := strings.Cut(string(makefile), "\nSEQUENTIAL = ")
	list, _, found := strings.Cut(list, ")\n")
	require.True(t, found, "Makefile lists no SEQUENTIAL packages")
	dirs := slices.DeleteFunc(strings.Fields(list), func(word string) bool {
		return !strings.HasPrefix(word, "pkg/")
	})
	require.NotEmpty(t, dirs)
	for _, dir := range dirs {
		paths, err := filepath.Glob(filepath.Join("../..", dir, "*.go"))
		require.NoError(t, err)
		require.NotEmpty(t, paths, dir)
		for _, path := range paths {
			checkSequential(t, path)
		}
	}
}

func checkSequential(t *testing.T, path string) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	ast.Inspect(file, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.GoStmt:
			t.Errorf("%s starts a goroutine: take its package out of SEQUENTIAL in the Makefile", path)
		case *ast.SelectorExpr:
			if n.Sel.Name == "Parallel" || n.Sel.Name == "RunParallel" {
				t.Errorf("%s uses %s: take its package out of SEQUENTIAL in the Makefile", path, n.Sel.Name)
			}
		}
		return true
	})
}

// TestOneDoc: every package states its purpose in its doc.go and nowhere else.
func TestOneDoc(t *testing.T) {
	packages := map[string][]string{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || path == filepath.Join("..", "client")): // generated
			return filepath.SkipDir
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			packages[filepath.Dir(path)] = append(packages[filepath.Dir(path)], path)
		}
		return nil
	})
	require.NoError(t, err)
	for dir, files := range packages {
		if !slices.Contains(files, filepath.Join(dir, "doc.go")) {
			t.Errorf("%s has no doc.go", dir)
		}
		for _, file := range files {
			checkDoc(t, file)
		}
	}
}

func checkDoc(t *testing.T, path string) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly|parser.ParseComments)
	require.NoError(t, err)
	isDoc := filepath.Base(path) == "doc.go"
	if documented := file.Doc != nil && file.Doc.Text() != ""; documented != isDoc {
		t.Errorf("%s: a package comment belongs into doc.go, and only there", path)
	}
}

package promises

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPackagesSayWhatTheyAre: each package has its comment in doc.go, and each command in the file with main or in doc.go. Packages with
// only tests may have it in any file. Generated clients are left out.
func TestPackagesSayWhatTheyAre(t *testing.T) {
	packages := 0
	for _, dir := range packageDirs(t) {
		packages++
		if err := saysWhatItIs(dir); err != "" {
			t.Errorf("%s: %s", strings.TrimPrefix(dir, root+"/"), err)
		}
	}
	if packages < 40 {
		t.Errorf("only %d packages were found", packages)
	}
}

func TestPackageWithoutDocIsFound(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	write("a.go", "// Package a is documented in the wrong file.\npackage a\n")
	if saysWhatItIs(dir) == "" {
		t.Error("a package without doc.go passes")
	}
	write("doc.go", "package a\n")
	if saysWhatItIs(dir) == "" {
		t.Error("a doc.go without a comment passes")
	}
	write("doc_test.go", "// Package a has its comment in a test.\npackage a\n")
	if saysWhatItIs(dir) == "" {
		t.Error("the comment of a test passes for that of a package which has more than tests")
	}
	write("doc.go", "// Package a does it.\npackage a\n")
	if problem := saysWhatItIs(dir); problem != "" {
		t.Error(problem)
	}
}

// packageDirs are the folders of this module that have Go files.
func packageDirs(t *testing.T) (dirs []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if skipped := d.Name() == "bin" || d.Name() == "testdata" || d.Name() == ".git"; skipped || path != root && exists(path+"/go.mod") || path == root+"/pkg/client" {
			return filepath.SkipDir
		}
		if len(sources(path)) > 0 {
			dirs = append(dirs, path)
		}
		return nil
	})
	require.NoError(t, err)
	return dirs
}

// saysWhatItIs returns the mistake in a package's comment, or an empty text.
func saysWhatItIs(dir string) string {
	for _, path := range sources(dir) {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return err.Error()
		}
		if documented(file) && (filepath.Base(path) == "doc.go" || file.Name.Name == "main" || strings.HasSuffix(path, "_test.go")) {
			return ""
		}
	}
	return "has no doc.go that begins with \"// Package\""
}

func documented(file *ast.File) bool {
	if file.Doc == nil {
		return false
	}
	return file.Name.Name == "main" || strings.HasPrefix(file.Doc.Text(), "Package "+file.Name.Name+" ")
}

// sources are the Go files of a folder other than tests; the tests if there are no others.
func sources(dir string) (paths []string) {
	all, _ := filepath.Glob(dir + "/*.go") // fails for bad patterns only
	for _, path := range all {
		if !strings.HasSuffix(path, "_test.go") {
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		return all
	}
	return paths
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

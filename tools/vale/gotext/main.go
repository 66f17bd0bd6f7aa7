// Command gotext writes the English of Go files as Markdown, for Vale: the comments of exported identifiers, and the string
// literals that are sentences. Each file becomes one of the same path with .md at its end, and each text stays on its line, so
// that the places in the findings of Vale are right.
package main

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	out := flag.String("out", "", "folder to write the texts into")
	flag.Parse()
	if err := run(*out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "gotext:", err)
		os.Exit(1)
	}
}

func run(out string, dirs []string) error {
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir():
				if d.Name() == "testdata" {
					return filepath.SkipDir
				}
				return nil
			case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			return write(out, path)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func write(out, path string) error {
	source, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text, err := Text(path, source)
	if err != nil || text == "" {
		return err
	}
	to := filepath.Join(out, path+".md")
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, []byte(text), 0o644)
}

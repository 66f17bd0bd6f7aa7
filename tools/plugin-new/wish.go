package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"
)

//go:embed all:templates
var templates embed.FS

// product is the module that plugins are written with.
const product = "github.com/frameworkcontroller/frameworkcontroller"

// wish is the user's request.
type wish struct {
	name, kind, dir, checkout string
}

// plugin is the data of the templates.
type plugin struct {
	Name, Kind string
	// Framework is the name of the example, which must not have a '-'.
	Framework string
	// Bin is the folder in which the controller of the checkout finds plugins.
	Bin string
}

// The name of a plugin is also the name of its binary and its module, and the configuration allows no other characters.
var validName = regexp.MustCompile(`^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$`)

// fulfil writes the plugin to a folder that is new or empty.
func (w *wish) fulfil() error {
	if err := w.check(); err != nil {
		return err
	}
	if err := os.MkdirAll(w.dir, 0o755); err != nil {
		return err
	}
	checkout, err := w.wayToCheckout()
	if err != nil {
		return err
	}
	if err := w.writeModule(checkout); err != nil {
		return err
	}
	p := plugin{Name: w.name, Kind: w.kind, Framework: strings.ReplaceAll(w.name, "-", ""), Bin: filepath.ToSlash(filepath.Join(checkout, "bin", "plugins"))}
	for _, part := range []string{"common", w.kind} {
		if err := w.writePart(part, p); err != nil {
			return err
		}
	}
	return nil
}

func (w *wish) check() error {
	if !validName.MatchString(w.name) {
		return fmt.Errorf("NAME=%s: has to be lower case letters, digits and '-', and to begin with a letter", w.name)
	}
	if _, err := fs.Stat(templates, "templates/"+w.kind); err != nil || w.kind == "common" || !fs.ValidPath(w.kind) || w.kind == "." {
		return fmt.Errorf("KIND=%s: has to be FailureClassifier, CompletionPolicy, SchedulerHints or HistorySink", w.kind)
	}
	if w.dir == "" {
		w.dir = w.name
	}
	entries, err := os.ReadDir(w.dir)
	if len(entries) > 0 {
		return fmt.Errorf("DIR=%s: there is something in it already", w.dir)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// wayToCheckout is relative if the plugin lies in the checkout, so that the checkout can be moved.
func (w *wish) wayToCheckout() (string, error) {
	root, err := filepath.Abs(w.checkout)
	if err != nil {
		return "", err
	}
	dir, err := filepath.Abs(w.dir)
	if err != nil {
		return "", err
	}
	way, err := filepath.Rel(dir, root)
	if err == nil && strings.Trim(way, "./\\") == "" && way != "." {
		return way, nil
	}
	return root, nil
}

// writeModule requires the same modules in the same versions as the checkout: building the plugin downloads nothing new.
func (w *wish) writeModule(checkout string) error {
	own, err := os.ReadFile(filepath.Join(w.checkout, "go.mod"))
	if err != nil {
		return err
	}
	rest, found := strings.CutPrefix(string(own), "module "+product+"\n")
	if !found {
		return fmt.Errorf("%s is not the go.mod of frameworkcontroller", filepath.Join(w.checkout, "go.mod"))
	}
	text := fmt.Sprintf("module example.com/%s\n%s\nrequire %s v0.0.0\n\nreplace %s => %s\n", w.name, rest, product, product, quoted(checkout))
	if err := w.write("go.mod", []byte(text)); err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(w.checkout, "go.sum"))
	if err != nil {
		return err
	}
	return w.write("go.sum", sums)
}

// quoted is a path in the syntax of go.mod.
func quoted(path string) string {
	path = filepath.ToSlash(path)
	if strings.ContainsAny(path, " '`\"") {
		return fmt.Sprintf("%q", path)
	}
	return path
}

// writePart writes the files of one folder of templates. The names end in .txt so that tools leave them alone.
func (w *wish) writePart(part string, p plugin) error {
	entries, err := templates.ReadDir("templates/" + part)
	if err != nil {
		return err
	}
	for _, e := range entries {
		t, err := template.ParseFS(templates, "templates/"+part+"/"+e.Name())
		if err != nil {
			return err
		}
		var out strings.Builder
		if err := t.Execute(&out, p); err != nil {
			return err
		}
		if err := w.write(strings.TrimSuffix(e.Name(), ".txt"), []byte(out.String())); err != nil {
			return err
		}
	}
	return nil
}

func (w *wish) write(name string, content []byte) error {
	return os.WriteFile(filepath.Join(w.dir, name), content, 0o644)
}

package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// repository writes files below a new root.
func repository(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		if err := writeFile(filepath.Join(root, name), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestOrder(t *testing.T) {
	root := repository(t, map[string]string{
		"README.md":               "# Home\n",
		"docs/README.md":          "# Documentation\n",
		"docs/faq.md":             "# Questions\n",
		"docs/tasks/README.md":    "# Tasks\n\n## First\n\n* [B](b.md): then [C](c.md#x)\n\n## Second\n\n| [A](a.md) |\n\n```sh\n# [no](z.md)\n```\n[other](../faq.md)\n",
		"docs/tasks/a.md":         "# `A` of [B](b.md)\n",
		"docs/tasks/b.md":         "# B\n",
		"docs/tasks/c.md":         "# C\n",
		"docs/tasks/unlisted.md":  "no heading\n",
		"docs/design/README.md":   "# Design\n",
		"docs/design/d.md":        "```sh\n# no heading\n```\n\n# D\n",
		"docs/concepts/README.md": "# Concepts\n",
		"docs/concepts/e.md":      "# E\n",
		"docs/moved.md":           "# Moved\n",
	})
	site, err := Read(root)
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, page := range site.readingOrder() {
		order = append(order, page.URL()+" "+page.Title+" "+page.Group)
	}
	want := []string{
		"documentation.html Documentation ", "concepts/index.html Concepts ", "concepts/e.html E ",
		"tasks/index.html Tasks ", "tasks/b.html B First", "tasks/c.html C First", "tasks/a.html A of B Second", "tasks/unlisted.html unlisted ",
		"design/index.html Design ", "design/d.html D ", "faq.html Questions ", "moved.html Moved ",
	}
	if !reflect.DeepEqual(order, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(order, "\n"), strings.Join(want, "\n"))
	}
}

func TestMoved(t *testing.T) {
	files := map[string]string{
		"README.md":            "# Home\n",
		"docs/README.md":       "# Documentation\n",
		"docs/tasks/README.md": "# Tasks\n",
		"docs/tasks/a.md":      "# A\n",
		"docs/tasks/b.md":      "# B\n",
		"example/README.md":    "# Examples\n",
		"docs/moved.md":        "# Moved\n\n| old | new |\n|---|---|\n| docs/old/x.md | docs/tasks/b.md |\n| docs/old/x.md#one | docs/tasks/b.md#uno |\n| docs/old/x.md#two | docs/tasks/a.md |\n| docs/tasks/a.md#gone | example/README.md#here |\n| docs/old/y.md | docs/tasks/a.md |\n",
	}
	site, err := Read(repository(t, files))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(site.Forwards); n != 2 {
		t.Fatalf("%d pages forward", n)
	}
	x := site.Forwards[0]
	want := Forward{Content: "old/x.md", To: "docs/tasks/b.md", Moved: map[string]string{"one": "docs/tasks/b.md#uno", "two": "docs/tasks/a.md"}}
	if !reflect.DeepEqual(*x, want) {
		t.Errorf("got %+v, want %+v", *x, want)
	}
	if y := site.Forwards[1]; y.To != "docs/tasks/a.md" {
		t.Errorf("got %+v", *y)
	}
	for _, page := range site.pages() {
		if page.Source == "docs/tasks/a.md" && page.Moved["gone"] != "example/README.md#here" {
			t.Errorf("got %+v", page.Moved)
		}
	}
	if err := site.Write(t.TempDir()); err != nil {
		t.Error(err)
	}

	if err := os.Remove(filepath.Join(site.root, "example/README.md")); err != nil {
		t.Fatal(err)
	}
	if err := site.Write(t.TempDir()); err == nil || !strings.Contains(err.Error(), "example/README.md#here does not exist") {
		t.Errorf("got %v", err)
	}
}

// A folder without a README.md, and an old page with rows for its anchors only, are errors.
func TestMissing(t *testing.T) {
	files := map[string]string{"README.md": "# Home\n", "docs/README.md": "# Documentation\n", "docs/moved.md": "| docs/old.md#one | docs/README.md |\n"}
	if _, err := Read(repository(t, files)); err == nil || err.Error() != "docs/moved.md has no row of docs/old.md itself" {
		t.Errorf("got %v", err)
	}
	files["docs/tasks/a.md"] = "# A\n"
	if _, err := Read(repository(t, files)); err == nil || err.Error() != "docs/tasks has no README.md" {
		t.Errorf("got %v", err)
	}
}

func TestSplit(t *testing.T) {
	got := split("# Name\n\nOne sentence.\n\n![P](p.svg)\n\nMore.\n\n## Points\n\n* **A.** a\n  b\n* **B.** b\n* **C.** c\n\n## Rest\n\n```sh\n# a\n\n# b\n```\n")
	want := parts{lead: "One sentence.", picture: "![P](p.svg)", intro: "More.", pointsTitle: "Points", points: "* **A.** a\n  b\n* **B.** b\n* **C.** c", rest: "## Rest\n\n```sh\n# a\n\n# b\n```"}
	if got != want {
		t.Errorf("got %+v", got)
	}
}

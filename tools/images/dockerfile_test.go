package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// stage is a part of the Dockerfile that begins with FROM.
type stage struct {
	base       string
	copies     map[string][]string // sources by origin: a stage, or "" for the context
	workDir    string
	user       string
	entrypoint string
}

// The Dockerfile copies only existing files, and its images are run like ours. Nothing here can build it.
func TestDockerfile(t *testing.T) {
	stages := readDockerfile(t)
	for name, s := range stages {
		for _, source := range s.copies[""] {
			if _, err := os.Stat(filepath.Join(checkoutRoot, source)); err != nil {
				t.Errorf("%s copies %v", name, err)
			}
		}
	}
	for _, c := range components {
		s := stages[c.name]
		if s == nil {
			t.Errorf("no stage is called %s", c.name)
			continue
		}
		if s.workDir != "/"+c.directory() || s.user != numericUser() || s.entrypoint != `["./start.sh"]` {
			t.Errorf("%s works in %s, runs %s as %s", c.name, s.workDir, s.entrypoint, s.user)
		}
		for _, copied := range c.copies {
			if !slices.Contains(s.copies[""], copied.source) {
				t.Errorf("%s does not copy %s", c.name, copied.source)
			}
		}
		for _, p := range c.programs {
			if !slices.Contains(s.copies["build"], "/out/"+strings.TrimSuffix(p.output, "/")) {
				t.Errorf("%s does not copy %s", c.name, p.output)
			}
		}
	}
}

// No image is taken from a registry by a tag, which may change: only the image that the builder names, by its digest.
func TestDockerfileNamesNoTag(t *testing.T) {
	stages := readDockerfile(t)
	for name, s := range stages {
		if stages[s.base] == nil && s.base != "scratch" && s.base != "$GO_IMAGE" {
			t.Errorf("%s is made from %s", name, s.base)
		}
	}
	text := string(readFile(t, dockerfile))
	if !strings.Contains(text, "\nARG GO_IMAGE\n") || !strings.Contains(text, `case "$GO_IMAGE" in *@sha256:*)`) {
		t.Error("GO_IMAGE has a default, or needs no digest")
	}
}

// The shell of the Dockerfile has the same names as the shell of our images.
func TestDockerfileHasTheApplets(t *testing.T) {
	if want := "for name in " + strings.Join(applets, " ") + ";"; !strings.Contains(string(readFile(t, dockerfile)), want) {
		t.Errorf("the Dockerfile does not say %q", want)
	}
}

const dockerfile = checkoutRoot + "/deploy/Dockerfile"

func readDockerfile(t *testing.T) map[string]*stage {
	t.Helper()
	stages := map[string]*stage{}
	var s *stage
	for line := range strings.Lines(string(readFile(t, dockerfile))) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		switch words[0] {
		case "FROM":
			s = &stage{copies: map[string][]string{}, base: baseOf(words[1:])}
			stages[words[len(words)-1]] = s
		case "WORKDIR":
			s.workDir = words[1]
		case "USER":
			s.user = words[1]
		case "ENTRYPOINT":
			s.entrypoint = strings.Join(words[1:], " ")
		case "COPY":
			from, sources := copyOf(words[1:])
			s.copies[from] = append(s.copies[from], sources...)
		}
	}
	if len(stages) == 0 {
		t.Fatal("the Dockerfile has no stages")
	}
	return stages
}

// baseOf reads the arguments of FROM.
func baseOf(words []string) string {
	return words[slices.IndexFunc(words, func(w string) bool { return !strings.HasPrefix(w, "--") })]
}

// copyOf reads the arguments of COPY.
func copyOf(words []string) (from string, sources []string) {
	for strings.HasPrefix(words[0], "--") {
		if origin, ok := strings.CutPrefix(words[0], "--from="); ok {
			from = origin
		}
		words = words[1:]
	}
	return from, words[:len(words)-1]
}

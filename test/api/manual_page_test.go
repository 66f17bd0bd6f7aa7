package api

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/yaml"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

// manualFile is one file of the documentation, or README.
type manualFile struct {
	path, text string
}

// manual returns README and the pages for users. Pages about moving from another system show that system's objects, and pkg/convert tests
// them; pages about the design show no manifests.
func manual(t *testing.T) (pages []manualFile) {
	t.Helper()
	paths := []string{"../../README.md"}
	for _, pattern := range []string{"*.md", "concepts/*.md", "tasks/*.md", "reference/*.md", "operations/*.md"} {
		found, err := filepath.Glob("../../docs/" + pattern)
		require.NoError(t, err)
		paths = append(paths, found...)
	}
	for _, path := range paths {
		if strings.HasPrefix(filepath.Base(path), "move-from-") {
			continue
		}
		pages = append(pages, manualFile{path, page.Read(t, path)})
	}
	return pages
}

// manualPage returns the text of one page.
func manualPage(t *testing.T, name string) string {
	t.Helper()
	pages := manual(t)
	i := slices.IndexFunc(pages, func(p manualFile) bool { return filepath.Base(p.path) == name })
	if i < 0 {
		t.Fatalf("there is no page %s", name)
	}
	return pages[i].text
}

// example is a block of YAML in the manual: complete manifests, a status, or a configuration file of the controller.
type example struct {
	at, text string
}

// examples returns the blocks of the manual that begin with one of the keys.
func examples(t *testing.T, keys ...string) []example {
	t.Helper()
	var found []example
	for _, p := range manual(t) {
		for _, block := range page.Blocks(p.text, "yaml") {
			first, _, _ := strings.Cut(block.Text, ":")
			if slices.Contains(keys, first) {
				line := strings.Count(p.text[:block.Begin], "\n")
				found = append(found, example{fmt.Sprintf("%s:%d", filepath.Base(p.path), line), block.Text})
			}
		}
	}
	if len(found) == 0 {
		t.Fatalf("the manual has no example that begins with %v", keys)
	}
	return found
}

func manifests(t *testing.T) []example { return examples(t, "apiVersion") }

func statuses(t *testing.T) []example { return examples(t, "status") }

// configurations are the remaining examples, so that every block is of one of the kinds and none is untested.
func configurations(t *testing.T) []example {
	return examples(t, firstParts(configKeys())...)
}

// logConfigurations are files for history --logs-config.
func logConfigurations(t *testing.T) []example {
	return examples(t, "headBytes")
}

// frameworksIn returns the Frameworks in an example.
func frameworksIn(t *testing.T, e example) []map[string]any {
	t.Helper()
	var found []map[string]any
	for _, document := range strings.Split(e.text, "\n---\n") {
		var object map[string]any
		if err := yaml.Unmarshal([]byte(document), &object); err != nil {
			t.Fatalf("%s: %v", e.at, err)
		}
		if object["kind"] == v1.FrameworkKind {
			found = append(found, object)
		}
	}
	return found
}

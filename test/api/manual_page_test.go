package api

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/yaml"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

const manualFolder = "../../docs/"

// page is one file of the user manual, or README.
type page struct {
	path, text string
}

func manual(t *testing.T) []page {
	t.Helper()
	paths, err := filepath.Glob(manualFolder + "user-manual/*.md")
	require.NoError(t, err)
	return pagesAt(t, append(paths, manualFolder+"user-manual.md", "../../README.md"))
}

func pagesAt(t *testing.T, paths []string) (pages []page) {
	t.Helper()
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		pages = append(pages, page{path, string(text)})
	}
	return pages
}

// manualPage returns the text of one page.
func manualPage(t *testing.T, name string) string {
	t.Helper()
	pages := manual(t)
	i := slices.IndexFunc(pages, func(p page) bool { return filepath.Base(p.path) == name })
	if i < 0 {
		t.Fatalf("there is no page %s", name)
	}
	return pages[i].text
}

// example is a block of YAML in the manual: complete manifests, a status, or a configuration file of the controller.
type example struct {
	at, text string
}

var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// examples returns those blocks of the manual that begin with one of the keys.
func examples(t *testing.T, keys ...string) []example {
	t.Helper()
	var found []example
	for _, p := range manual(t) {
		for _, at := range yamlBlock.FindAllStringSubmatchIndex(p.text, -1) {
			text := p.text[at[2]:at[3]]
			first, _, _ := strings.Cut(text, ":")
			if slices.Contains(keys, first) {
				line := 1 + strings.Count(p.text[:at[0]], "\n")
				found = append(found, example{fmt.Sprintf("%s:%d", filepath.Base(p.path), line), text})
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

// configurations are the remaining examples, so that every block is one of the three and none goes untested.
func configurations(t *testing.T) []example {
	return examples(t, firstParts(configKeys())...)
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

// anchors lists the names under which the headings of a page are linked.
func anchors(text string) []string {
	var names []string
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		name := regexp.MustCompile(`[^\w -]`).ReplaceAllString(strings.ToLower(heading[1]), "")
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	return names
}

// section returns what follows a heading, up to the next one of its level.
func section(t *testing.T, text, heading string) string {
	t.Helper()
	_, after, found := strings.Cut(text, "\n"+heading+"\n")
	if !found {
		t.Fatalf("there is no heading %q", heading)
	}
	level, _, _ := strings.Cut(heading, " ")
	within, _, _ := strings.Cut(after, "\n"+level+" ")
	return within
}

// rowsOf returns the cells of the rows of all tables in a text.
func rowsOf(text string) [][]string {
	var rows [][]string
	for _, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(line, "| ") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, cells)
	}
	return rows
}

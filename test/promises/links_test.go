package promises

import (
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

var (
	linkInPage = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	codeSpan   = regexp.MustCompile("`[^`\n]+`")
)

// Links on the pages of this project lead to files and headings that exist.
func TestLinks(t *testing.T) {
	checked := 0
	for _, path := range markdownPages(t) {
		for _, link := range linkInPage.FindAllStringSubmatch(withoutCode(read(t, path)), -1) {
			if strings.Contains(link[1], "://") || strings.HasPrefix(link[1], "mailto:") {
				continue
			}
			checked++
			if problem := deadLink(t, path, link[1]); problem != "" {
				t.Errorf("%s: %s", strings.TrimPrefix(path, root+"/"), problem)
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d links were found", checked)
	}
}

// deadLink returns the mistake in a link; empty if it leads somewhere.
func deadLink(t *testing.T, from, link string) string {
	file, anchor, _ := strings.Cut(link, "#")
	if unescaped, err := url.PathUnescape(file); err == nil {
		file = unescaped
	}
	target := from
	if file != "" {
		target = filepath.Join(filepath.Dir(from), file)
	}
	info, err := os.Stat(target)
	switch {
	case err != nil:
		return link + " does not exist"
	case anchor != "" && !info.IsDir() && filepath.Ext(target) == ".md" && !slices.Contains(page.Anchors(read(t, target)), anchor):
		return link + " names no heading of that page"
	}
	return ""
}

// withoutCode leaves out blocks and code in a line, such as a pattern with brackets. The text of a link may be code.
func withoutCode(text string) string { return codeSpan.ReplaceAllString(page.Prose(text), "code") }

// markdownPages returns the pages that readers of the repository see.
func markdownPages(t *testing.T) (pages []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "bin", "testdata", "node_modules"}, d.Name()):
			return filepath.SkipDir
		case !d.IsDir() && filepath.Ext(path) == ".md":
			pages = append(pages, path)
		}
		return nil
	})
	require.NoError(t, err)
	return pages
}

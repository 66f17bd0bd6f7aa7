// Package slides keeps docs/deep-dive-slides.html, the slides of the talk, in step with docs/deep-dive.md, its text.
package slides

import (
	"flag"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

var rewrite = flag.Bool("rewrite", false, "write the slides anew")

const (
	docs   = "../../docs"
	slides = docs + "/deep-dive-slides.html"
	// mostFigures keeps the talk within half an hour.
	mostFigures = 12

	brand = `<p class="brand">FrameworkController</p>`
	keys  = "<p class=\"keys\">Arrow keys or click: next or previous slide. n: notes. f: full screen. Print: one slide per page.</p>\n"
)

// TestSlides: the slides are made from the page, by "go test ./test/slides -rewrite".
func TestSlides(t *testing.T) {
	page.Keep(t, slides, deck(t, page.Read(t, docs+"/deep-dive.md")), *rewrite)
}

// TestSlidesAreSelfContained: the slides work without a network and without other files.
func TestSlidesAreSelfContained(t *testing.T) {
	stored, err := os.ReadFile(slides)
	require.NoError(t, err)
	text := strings.ReplaceAll(string(stored), `xmlns="http://www.w3.org/2000/svg"`, "")
	for _, external := range []string{"http:", "https:", " src=", " href=", "@import"} {
		require.NotContains(t, text, external)
	}
	ids := map[string]bool{}
	for _, found := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(text, -1) {
		require.False(t, ids[found[1]], "two figures have the id %s, and a browser shows one of them", found[1])
		ids[found[1]] = true
	}
	figures, err := filepath.Glob(docs + "/images/deep-dive-*.svg")
	require.NoError(t, err)
	require.LessOrEqual(t, len(figures), mostFigures)
	require.Equal(t, len(figures), strings.Count(text, "<svg "), "each figure is on one slide")
}

// deck makes the slides: one for the title, and one for each section. A section begins with its claim in bold. The claim,
// figures, tables and lists are on the slide; all other paragraphs are its notes.
func deck(t *testing.T, text string) string {
	t.Helper()
	var out strings.Builder
	sections := strings.Split(text, "\n## ")
	for i, section := range sections {
		title, body, _ := strings.Cut(strings.TrimPrefix(section, "# "), "\n")
		if i == 0 {
			fmt.Fprintf(&out, "<section class=\"slide first\">\n%s\n<h1>%s</h1>\n", brand, inline(title))
		} else {
			fmt.Fprintf(&out, "<section class=\"slide\">\n<h2>%s</h2>\n", inline(title))
		}
		var notes []string
		for block := range strings.SplitSeq(strings.TrimSpace(body), "\n\n") {
			if shown := onSlide(t, block); shown != "" {
				out.WriteString(shown)
			} else {
				notes = append(notes, "<p>"+inline(strings.ReplaceAll(block, "\n", " "))+"</p>")
			}
		}
		if i == 0 {
			out.WriteString(keys)
		}
		fmt.Fprintf(&out, "<aside>%s</aside>\n<footer>%d / %d</footer>\n</section>\n", strings.Join(notes, "\n"), i+1, len(sections))
	}
	frame, err := os.ReadFile("testdata/frame.html")
	require.NoError(t, err)
	return strings.Replace(string(frame), "<!-- slides -->\n", out.String(), 1)
}

var figure = regexp.MustCompile(`^!\[([^\]]+)\]\(([^)]+\.svg)\)$`)

// onSlide returns a block as a slide shows it, and nothing if it is a paragraph of the notes.
func onSlide(t *testing.T, block string) string {
	t.Helper()
	switch found := figure.FindStringSubmatch(block); {
	case found != nil:
		svg, err := os.ReadFile(filepath.Join(docs, found[2]))
		require.NoError(t, err)
		return fmt.Sprintf("<figure>\n%s</figure>\n", svg)
	case strings.HasPrefix(block, "**"):
		return "<p class=\"claim\">" + inline(strings.Trim(strings.ReplaceAll(block, "\n", " "), "*")) + "</p>\n"
	case strings.HasPrefix(block, "* "):
		items := strings.Split(strings.ReplaceAll(strings.TrimPrefix(block, "* "), "\n  ", " "), "\n* ")
		return "<ul>\n<li>" + inline(strings.Join(items, "\n")) + "</li>\n</ul>\n"
	case strings.HasPrefix(block, "|"):
		return table(page.Rows(block))
	}
	return ""
}

func table(rows [][]string) string {
	var out strings.Builder
	cell := "th"
	for _, row := range rows {
		out.WriteString("<tr>")
		for _, text := range row {
			fmt.Fprintf(&out, "<%s>%s</%s>", cell, inline(text), cell)
		}
		out.WriteString("</tr>\n")
		cell = "td"
	}
	return "<table>\n" + out.String() + "</table>\n"
}

var (
	code     = regexp.MustCompile("`([^`]+)`")
	emphasis = regexp.MustCompile(`\*([^*]+)\*`)
	link     = regexp.MustCompile(`\[([^\]]+)\]\([^)]+\)`)
)

// inline converts a text to HTML. Slides have no links, because they are shown anywhere.
func inline(text string) string {
	text = link.ReplaceAllString(html.EscapeString(text), "$1")
	text = emphasis.ReplaceAllString(text, "<em>$1</em>")
	text = code.ReplaceAllString(text, "<code>$1</code>")
	return strings.ReplaceAll(text, "\n", "</li>\n<li>")
}

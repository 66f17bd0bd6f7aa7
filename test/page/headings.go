package page

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	headingLine  = regexp.MustCompile(`^(#+) (.*)$`)
	link         = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	notInAnchors = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	htmlAnchor   = regexp.MustCompile(`<a (?:id|name)="([^"]+)"`)
)

// heading returns the number signs and the title of a line that is a heading.
func heading(line string) (signs, title string, ok bool) {
	found := headingLine.FindStringSubmatch(line)
	if found == nil {
		return "", "", false
	}
	return found[1], found[2], true
}

// Headings returns the titles of a page, without number signs.
func Headings(page string) (titles []string) {
	for l := range linesOf(page) {
		if _, title, ok := heading(l.text); ok && l.part == prose {
			titles = append(titles, title)
		}
	}
	return titles
}

// Section returns the text below a heading, up to the next one of its level or of a higher one. The heading has its number
// signs, as in "## Keys".
func Section(t testing.TB, page, wanted string) string {
	t.Helper()
	level, _, _ := strings.Cut(wanted, " ")
	begin := -1
	for l := range linesOf(page) {
		signs, _, ok := heading(l.text)
		switch {
		case !ok || l.part != prose:
		case begin >= 0 && len(signs) <= len(level):
			return page[begin:l.begin]
		case begin < 0 && l.text == wanted:
			begin = l.end
		}
	}
	if begin < 0 {
		t.Fatalf("the page has no heading %q", wanted)
	}
	return page[begin:]
}

// Anchors returns the names under which places of a page are linked: the names that GitHub gives to headings, and the names in HTML.
func Anchors(page string) (names []string) {
	seen := map[string]int{}
	for _, title := range Headings(page) {
		name := Anchor(title)
		if n := seen[name]; n > 0 {
			names = append(names, name+"-"+strconv.Itoa(n))
		} else {
			names = append(names, name)
		}
		seen[name]++
	}
	for _, found := range htmlAnchor.FindAllStringSubmatch(Prose(page), -1) {
		names = append(names, found[1])
	}
	return names
}

// Anchor returns the name under which GitHub links the first heading of that title.
func Anchor(title string) string {
	text := link.ReplaceAllString(title, "$1")
	return strings.ReplaceAll(notInAnchors.ReplaceAllString(strings.ToLower(text), ""), " ", "-")
}

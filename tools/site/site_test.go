package main

import (
	"encoding/json"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// A builtPage has the parts of a page of the built site that the tests look at.
type builtPage struct {
	ids       []string
	links     []string // href of a
	loads     []string // attributes from which a browser fetches files for the page
	files     []string // the ones in loads that are addresses of files
	moved     map[string]string
	goesTo    string   // target of a forwarding page
	navigated []string // links in the navigation
	current   []string // the ones in navigated that are marked as the page itself
}

// TestSite builds the site of this checkout and looks at every page.
func TestSite(t *testing.T) {
	out := filepath.Join(t.TempDir(), "site")
	if err := Build("../..", out); err != nil {
		t.Fatal(err)
	}
	pages := readSite(t, out)
	site, err := Read("../..")
	if err != nil {
		t.Fatal(err)
	}

	t.Run("links", func(t *testing.T) { checkLinks(t, out, pages) })
	t.Run("moved", func(t *testing.T) { checkMoved(t, out, pages, site) })
	t.Run("nothing from other hosts", func(t *testing.T) { checkHosts(t, out, pages, site) })
	t.Run("navigation", func(t *testing.T) { checkNavigation(t, pages, site) })
	t.Run("search", func(t *testing.T) { checkSearch(t, out, pages, site) })
}

func readSite(t *testing.T, out string) map[string]*builtPage {
	t.Helper()
	pages := map[string]*builtPage{}
	err := filepath.WalkDir(out, func(file string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".html" {
			return err
		}
		source, err := os.Open(file)
		if err != nil {
			return err
		}
		defer source.Close()
		root, err := html.Parse(source)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(out, file)
		if err != nil {
			return err
		}
		page := &builtPage{}
		page.read(root, false)
		pages[filepath.ToSlash(name)] = page
		return nil
	})
	if err != nil || len(pages) < 20 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	return pages
}

func (p *builtPage) read(n *html.Node, inNavigation bool) {
	at := map[string]string{}
	for _, a := range n.Attr {
		at[a.Key] = a.Val
	}
	for _, key := range []string{"id", "name"} {
		if at[key] != "" && (key == "id" || n.Data == "a") {
			p.ids = append(p.ids, at[key])
		}
	}
	inNavigation = inNavigation || at["id"] == "pages"
	switch n.Data {
	case "a":
		p.links = append(p.links, at["href"])
		if inNavigation {
			p.navigated = append(p.navigated, at["href"])
			if at["aria-current"] == "page" {
				p.current = append(p.current, at["href"])
			}
		}
	case "link", "area", "base", "use", "image":
		p.loads = append(p.loads, at["href"], at["xlink:href"])
	case "form":
		p.loads = append(p.loads, at["action"])
	case "main":
		p.goesTo = at["data-forward"]
	case "script":
		if at["id"] == "moved" {
			_ = json.Unmarshal([]byte(n.FirstChild.Data), &p.moved)
		}
	}
	if n.Data == "link" || n.Data == "img" || n.Data == "script" {
		p.files = append(p.files, at["src"]+at["href"])
	}
	p.loads = append(p.loads, at["src"], at["srcset"], at["poster"], at["data"], at["style"])
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		p.read(child, inNavigation)
	}
}

func checkLinks(t *testing.T, out string, pages map[string]*builtPage) {
	checked := 0
	for name, page := range pages {
		for _, link := range page.links {
			to, err := url.Parse(link)
			switch {
			case err != nil:
				t.Errorf("%s: %q: %v", name, link, err)
				continue
			case to.Scheme == "https" || to.Scheme == "http" || to.Scheme == "mailto":
				continue
			}
			checked++
			target := name
			if to.Path != "" {
				target = path.Join(path.Dir(name), to.Path)
			}
			checkTarget(t, out, pages, name, target, to.Fragment)
		}
	}
	if checked < 1000 {
		t.Errorf("only %d links were found", checked)
	}
}

func checkTarget(t *testing.T, out string, pages map[string]*builtPage, from, target, anchor string) {
	t.Helper()
	page := pages[target]
	if page == nil {
		if info, err := os.Stat(filepath.Join(out, filepath.FromSlash(target))); err != nil || info.IsDir() {
			t.Errorf("%s: a link leads to %s, which is not there", from, target)
		}
		return
	}
	if anchor != "" && !slices.Contains(page.ids, anchor) {
		t.Errorf("%s: a link leads to %s#%s, which is not there", from, target, anchor)
	}
}

// Each old address leads to an existing page and anchor.
func checkMoved(t *testing.T, out string, pages map[string]*builtPage, site *Site) {
	for name, page := range pages {
		moved := []string{page.goesTo}
		for anchor, to := range page.moved {
			moved = append(moved, to)
			if slices.Contains(page.ids, anchor) {
				t.Errorf("docs/moved.md: %s#%s has moved, and is still there", name, anchor)
			}
		}
		for _, to := range moved {
			if to == "" || strings.HasPrefix(to, "https://") {
				continue
			}
			target, anchor, _ := strings.Cut(to, "#")
			checkTarget(t, out, pages, name, target, anchor)
		}
	}
	for _, forward := range site.Forwards {
		if page := pages[pageURL(forward.Content)]; page == nil || page.goesTo == "" {
			t.Errorf("%s forwards to nowhere", forward.Content)
		}
	}
}

var (
	otherHost = regexp.MustCompile(`(?i)^\s*(https?:)?//|url\(\s*['"]?(https?:)?//`)
	inStyle   = regexp.MustCompile(`(?i)@import|url\(`)
	inFile    = regexp.MustCompile(`(?i)@import\s+["'u]|url\(\s*['"]?(https?:)?//|<(image|img|script|use|link|iframe)\b[^>]*(src|href)\s*=\s*["']?(https?:)?//`)
	inScript  = regexp.MustCompile(`\b(fetch|XMLHttpRequest|WebSocket|EventSource|sendBeacon|importScripts|import)\b *\(|https?://`)
)

func checkHosts(t *testing.T, out string, pages map[string]*builtPage, site *Site) {
	for name, page := range pages {
		for _, load := range page.loads {
			if otherHost.MatchString(load) {
				t.Errorf("%s loads %s", name, load)
			}
		}
		for _, file := range page.files {
			if file != "" && !strings.HasPrefix(file, "data:") && !otherHost.MatchString(file) {
				checkTarget(t, out, pages, name, path.Join(path.Dir(name), file), "")
			}
		}
	}
	for _, file := range site.Files { // pictures, and pages that are not made by Hugo
		text, err := os.ReadFile(filepath.Join(site.root, file))
		if err != nil {
			t.Fatal(err)
		}
		if found := inFile.Find(text); found != nil {
			t.Errorf("%s has %q", file, found)
		}
	}
	for file, pattern := range map[string]*regexp.Regexp{"site.css": inStyle, "site.js": inScript, "theme.js": inScript} {
		text, err := os.ReadFile(filepath.Join(out, file))
		if err != nil {
			t.Fatal(err)
		}
		if found := pattern.Find(text); found != nil {
			t.Errorf("%s has %q", file, found)
		}
	}
}

// Every page of docs/ is in the navigation, of each page.
func checkNavigation(t *testing.T, pages map[string]*builtPage, site *Site) {
	for name, page := range pages {
		if page.goesTo != "" || slices.Contains(site.Files, "docs/"+name) {
			continue
		}
		if name != "index.html" && (len(page.current) != 1 || path.Join(path.Dir(name), page.current[0]) != name) {
			t.Errorf("%s: the navigation marks %q as the page itself", name, page.current)
		}
		there := map[string]bool{}
		for _, link := range page.navigated {
			there[path.Join(path.Dir(name), link)] = true
		}
		for _, p := range site.pages() {
			if p != site.Home && !there[p.URL()] {
				t.Errorf("%s: %s is not in the navigation", name, p.Source)
			}
		}
	}
}

// Every page is found by its title, and each row of the index leads to an existing anchor.
func checkSearch(t *testing.T, out string, pages map[string]*builtPage, site *Site) {
	text, err := os.ReadFile(filepath.Join(out, "search-index.js"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct{ Page, Title, Anchor, Heading string }
	text = []byte(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(string(text)), "window.searchIndex = "), ";"))
	if err := json.Unmarshal(text, &rows); err != nil {
		t.Fatal(err)
	}
	titles := map[string]bool{}
	for _, row := range rows {
		checkTarget(t, out, pages, "search-index.js", row.Page, row.Anchor)
		titles[row.Page+" "+row.Title] = true
		if strings.Contains(row.Heading, "</") {
			t.Errorf("a heading of %s has markup: %s", row.Page, row.Heading)
		}
	}
	for _, p := range site.pages() {
		if !titles[p.URL()+" "+p.Title] {
			t.Errorf("%s is not in the index of the search", p.Source)
		}
	}
}

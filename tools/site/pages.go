package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// sections are the folders of docs/ in the order of the navigation. Other folders follow them.
var sections = []string{"concepts", "tasks", "reference", "operations", "design"}

// A Page is a file of the repository in Markdown.
type Page struct {
	// Source is its path in the repository, such as docs/tasks/README.md.
	Source string
	// Content is its path for Hugo, such as tasks/_index.md.
	Content string
	// Title is its first heading, without markup.
	Title string
	// Text is its whole text.
	Text string
	// Group is the heading of its folder's README.md under which it is listed; may be empty.
	Group string
	// Moved has, for each anchor that the page had once, the address of its text today.
	Moved map[string]string
}

// URL is the address of the page below the root of the site.
func (p *Page) URL() string { return pageURL(p.Content) }

func pageURL(content string) string {
	if folder, base := path.Split(content); base == "_index.md" {
		return folder + "index.html"
	}
	return strings.TrimSuffix(content, ".md") + ".html"
}

// A Section is a folder, or the pages that are in none.
type Section struct {
	Name  string // empty for pages in docs/ itself
	Index *Page
	Pages []*Page // without the index, in reading order
}

// A Site is all pages.
type Site struct {
	Home     *Page
	Sections []*Section
	// Forwards are pages that are no longer there.
	Forwards []*Forward
	// Files are other files of docs/, such as pictures, by their paths in the repository.
	Files []string
	root  string
}

// Read reads the pages of the repository at root.
func Read(root string) (*Site, error) {
	site := &Site{root: root}
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		return nil, err
	}
	site.Home = &Page{Source: "README.md", Content: "_index.md", Text: string(text), Title: title(string(text), "")}

	byFolder := map[string][]*Page{}
	err = filepath.WalkDir(filepath.Join(root, "docs"), func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		source, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		if source = filepath.ToSlash(source); path.Ext(source) != ".md" {
			site.Files = append(site.Files, source)
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		inDocs := strings.TrimPrefix(source, "docs/")
		page := &Page{Source: source, Content: contentPath(inDocs), Text: string(text)}
		page.Title = title(page.Text, strings.TrimSuffix(path.Base(inDocs), ".md"))
		folder := path.Dir(inDocs)
		byFolder[folder] = append(byFolder[folder], page)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for folder, pages := range byFolder {
		section, err := section(folder, pages)
		if err != nil {
			return nil, err
		}
		site.Sections = append(site.Sections, section)
	}
	slices.SortFunc(site.Sections, func(a, b *Section) int {
		if d := rank(a.Name) - rank(b.Name); d != 0 {
			return d
		}
		return strings.Compare(a.Name, b.Name)
	})
	return site, site.readMoved()
}

// contentPath returns the path under which Hugo has a page, of one below docs/.
func contentPath(inDocs string) string {
	folder, base := path.Split(inDocs)
	switch {
	case inDocs == "README.md":
		return "documentation.md"
	case base == "README.md":
		return folder + "_index.md"
	}
	return inDocs
}

// rank is the place of a section: the five, then other folders, then pages that are in none.
func rank(name string) int {
	if i := slices.Index(sections, name); i >= 0 {
		return i
	}
	if name != "" {
		return len(sections)
	}
	return len(sections) + 1
}

func section(folder string, pages []*Page) (*Section, error) {
	s := &Section{Name: folder}
	if folder == "." {
		s.Name = ""
	}
	for _, page := range pages {
		if path.Base(page.Source) == "README.md" {
			s.Index = page
		} else {
			s.Pages = append(s.Pages, page)
		}
	}
	if s.Index == nil {
		return nil, fmt.Errorf("docs/%s has no README.md", folder)
	}
	order, groups := listed(s.Index.Text)
	for _, page := range s.Pages {
		page.Group = groups[path.Base(page.Source)]
	}
	slices.SortFunc(s.Pages, func(a, b *Page) int {
		placeA, listedA := order[path.Base(a.Source)]
		placeB, listedB := order[path.Base(b.Source)]
		switch {
		case listedA && listedB:
			return placeA - placeB
		case listedA:
			return -1
		case listedB:
			return 1
		}
		return strings.Compare(a.Source, b.Source)
	})
	return s, nil
}

var (
	heading = regexp.MustCompile(`^(#{1,6}) +(.*?) *#*$`)
	link    = regexp.MustCompile(`\[([^\]]*)\]\(([^)\s]*)(?: "[^"]*")?\)`)
)

// listed returns the place of each file of the same folder that a README.md links to, and the heading that it is listed under.
func listed(readme string) (order map[string]int, groups map[string]string) {
	order, groups = map[string]int{}, map[string]string{}
	group := ""
	for _, line := range lines(readme) {
		if found := heading.FindStringSubmatch(line); found != nil {
			if len(found[1]) == 2 {
				group = plain(found[2])
			}
			continue
		}
		for _, found := range link.FindAllStringSubmatch(line, -1) {
			file, _, _ := strings.Cut(strings.TrimPrefix(found[2], "./"), "#")
			if _, seen := order[file]; !seen && file != "" && !strings.Contains(file, "/") {
				order[file] = len(order)
				groups[file] = group
			}
		}
	}
	return order, groups
}

// lines returns the lines of a page; the lines of fenced blocks are empty.
func lines(text string) []string {
	all := strings.Split(text, "\n")
	fence := ""
	for i, line := range all {
		trimmed := strings.TrimLeft(line, " ")
		switch {
		case fence == "" && (strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~")):
			fence = trimmed[:3]
			all[i] = ""
		case fence != "":
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
			all[i] = ""
		}
	}
	return all
}

// title returns the first heading of a page, and the other name if it has none.
func title(text, otherwise string) string {
	for _, line := range lines(text) {
		if found := heading.FindStringSubmatch(line); found != nil && found[1] == "#" {
			return plain(found[2])
		}
	}
	return otherwise
}

// plain removes code style, emphasis and links.
func plain(text string) string {
	text = link.ReplaceAllString(text, "$1")
	return strings.NewReplacer("`", "", "**", "").Replace(text)
}

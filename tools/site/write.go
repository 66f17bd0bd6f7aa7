package main

import (
	"encoding/json"
	"errors"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// frontMatter is the header that Hugo reads before the text of a page.
type frontMatter struct {
	Title  string         `json:"title"`
	URL    string         `json:"url"`
	Layout string         `json:"layout,omitempty"`
	Params map[string]any `json:"params"`
}

// A navSection is a part of the navigation, and navPage one of its links. Their keys are lower case in layouts.
type navSection struct {
	Title  string     `json:"title"`
	URL    string     `json:"url"`
	Groups []navGroup `json:"groups"`
}

type navGroup struct {
	Title string    `json:"title"`
	Pages []navPage `json:"pages"`
}

type navPage struct {
	Title string `json:"title"`
	URL   string `json:"url"`
}

// Write writes all pages for Hugo below a folder.
func (s *Site) Write(content string) error {
	order := s.readingOrder()
	var errs []error
	for i, page := range order {
		params := map[string]any{"source": page.Source}
		if i > 0 {
			params["previous"] = navPage{order[i-1].Title, order[i-1].URL()}
		}
		if i+1 < len(order) {
			params["next"] = navPage{order[i+1].Title, order[i+1].URL()}
		}
		errs = append(errs, s.writePage(content, page, params, page.Text))
	}

	parts := split(s.Home.Text)
	errs = append(errs, s.writePage(content, s.Home, map[string]any{
		"source": s.Home.Source, "navigation": s.navigation(), "lead": parts.lead, "picture": parts.picture,
		"intro": parts.intro, "pointsTitle": parts.pointsTitle, "points": parts.points,
	}, parts.rest))

	for _, forward := range s.Forwards {
		moved, err := s.targets(forward.Moved)
		errs = append(errs, err)
		to, err := s.target(forward.To)
		errs = append(errs, err)
		name := strings.TrimSuffix(path.Base(forward.Content), ".md")
		errs = append(errs, write(content, forward.Content, frontMatter{
			Title: name, URL: "/" + pageURL(forward.Content), Layout: "forward",
			Params: map[string]any{"to": to, "moved": moved, "forward": true},
		}, ""))
	}
	return errors.Join(errs...)
}

// readingOrder is the order for the links to the previous and next page: the page on the documentation, the sections, then pages outside
// sections.
func (s *Site) readingOrder() []*Page {
	var first, order, last []*Page
	for _, section := range s.Sections {
		if section.Name == "" {
			first, last = []*Page{section.Index}, section.Pages
			continue
		}
		order = append(append(order, section.Index), section.Pages...)
	}
	return append(append(first, order...), last...)
}

func (s *Site) navigation() []navSection {
	var first, sections, last []navSection
	for _, section := range s.Sections {
		nav := navSection{Title: section.Index.Title, URL: section.Index.URL()}
		if section.Name == "" {
			first = append(first, nav)
			if len(section.Pages) > 0 {
				last = append(last, navSection{Title: "More", Groups: groups(section.Pages)})
			}
			continue
		}
		nav.Groups = groups(section.Pages)
		sections = append(sections, nav)
	}
	return append(append(first, sections...), last...)
}

// groups puts pages that follow each other and are listed under one heading together. A single heading is left out.
func groups(pages []*Page) []navGroup {
	var all []navGroup
	for _, page := range pages {
		if n := len(all); n == 0 || all[n-1].Title != page.Group {
			all = append(all, navGroup{Title: page.Group})
		}
		last := &all[len(all)-1]
		last.Pages = append(last.Pages, navPage{page.Title, page.URL()})
	}
	if len(all) == 1 {
		all[0].Title = ""
	}
	return all
}

func (s *Site) writePage(content string, page *Page, params map[string]any, text string) error {
	moved, err := s.targets(page.Moved)
	if err != nil {
		return err
	}
	if len(moved) > 0 {
		params["moved"] = moved
	}
	params["address"] = page.URL()
	return write(content, page.Content, frontMatter{Title: page.Title, URL: "/" + page.URL(), Params: params}, text)
}

// targets maps addresses in the repository to addresses on the site.
func (s *Site) targets(moved map[string]string) (map[string]string, error) {
	targets := map[string]string{}
	var errs []error
	for anchor, to := range moved {
		target, err := s.target(to)
		errs = append(errs, err)
		targets["#"+anchor] = target // with #, because Hugo lower-cases keys without it
	}
	return targets, errors.Join(errs...)
}

func write(content, page string, matter frontMatter, text string) error {
	data, err := json.MarshalIndent(matter, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(content, filepath.FromSlash(page)), []byte(string(data)+"\n\n"+text))
}

func writeFile(file string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644)
}

// parts are the parts of README.md that the landing page shows in its own way.
type parts struct{ lead, picture, intro, pointsTitle, points, rest string }

var (
	picture   = regexp.MustCompile(`(?s)\A!\[.*\]\([^)\s]+\)\z`)
	boldPoint = regexp.MustCompile(`(?m)^[*-] \*\*`)
	point     = regexp.MustCompile(`(?m)^[*-] `)
)

// split takes README.md apart: its first paragraph, its first picture, the paragraphs before its second heading, and the first list
// of three or more points that all begin in bold, with the heading above it.
func split(text string) (p parts) {
	blocks := paragraphs(text)
	var rest []string
	for i := 0; i < len(blocks); i++ {
		block := strings.TrimSpace(blocks[i])
		found := heading.FindStringSubmatch(block)
		switch {
		case found != nil && found[1] == "#" && len(rest) == 0:
		case p.lead == "" && found == nil && !picture.MatchString(block):
			p.lead = block
		case p.picture == "" && picture.MatchString(block):
			p.picture = block
		case p.points == "" && found != nil && found[1] == "##" && i+1 < len(blocks) && isPoints(blocks[i+1]):
			p.pointsTitle, p.points = found[2], strings.TrimSpace(blocks[i+1])
			i++
		default:
			rest = append(rest, blocks[i])
		}
	}
	n := slices.IndexFunc(rest, heading.MatchString)
	if n < 0 {
		n = len(rest)
	}
	p.intro, p.rest = strings.Join(rest[:n], "\n\n"), strings.Join(rest[n:], "\n\n")
	return p
}

func isPoints(block string) bool {
	n := len(boldPoint.FindAllString(block, -1))
	return n >= 3 && n == len(point.FindAllString(block, -1))
}

// paragraphs splits a text at empty lines outside of fenced blocks.
func paragraphs(text string) (all []string) {
	var block []string
	inFence := false
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimLeft(line, " "), "```") {
			inFence = !inFence
		}
		if line == "" && !inFence {
			if len(block) > 0 {
				all = append(all, strings.Join(block, "\n"))
			}
			block = nil
			continue
		}
		block = append(block, line)
	}
	if len(block) > 0 {
		all = append(all, strings.Join(block, "\n"))
	}
	return all
}

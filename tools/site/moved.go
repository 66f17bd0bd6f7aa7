package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A Forward replaces a page that no longer exists.
type Forward struct {
	// Content is its path for Hugo.
	Content string
	// To is the page with its text today, as a path in the repository, perhaps with an anchor.
	To string
	// Moved has the new address of each of its anchors.
	Moved map[string]string
}

// readMoved reads the table of docs/moved.md, each row of which has an old and a new address: paths in the repository. An old page that no
// longer exists gets a page that forwards; an existing page forwards its anchors that have moved.
func (s *Site) readMoved() error {
	text, err := os.ReadFile(filepath.Join(s.root, "docs", "moved.md"))
	if err != nil {
		return err
	}
	there := map[string]*Page{}
	for _, page := range s.pages() {
		there[page.Source] = page
	}
	forwards := map[string]*Forward{}
	for _, line := range lines(string(text)) {
		before, now, ok := row(line)
		if !ok {
			continue
		}
		old, anchor, _ := strings.Cut(before, "#")
		if page := there[old]; page != nil {
			if anchor == "" {
				return fmt.Errorf("docs/moved.md has a row of %s, which is still there", old)
			}
			if page.Moved == nil {
				page.Moved = map[string]string{}
			}
			page.Moved[anchor] = now
			continue
		}
		forward := forwards[old]
		if forward == nil {
			forward = &Forward{Content: contentPath(strings.TrimPrefix(old, "docs/")), Moved: map[string]string{}}
			forwards[old] = forward
			s.Forwards = append(s.Forwards, forward)
		}
		if anchor == "" {
			forward.To = now
		} else {
			forward.Moved[anchor] = now
		}
	}
	for old, forward := range forwards {
		if forward.To == "" {
			return fmt.Errorf("docs/moved.md has no row of %s itself", old)
		}
	}
	return nil
}

// row returns the two addresses of a row, and false for any other line.
func row(line string) (before, now string, ok bool) {
	cells := strings.Split(strings.Trim(line, "|"), "|")
	if len(cells) != 2 {
		return "", "", false
	}
	before, now = strings.TrimSpace(cells[0]), strings.TrimSpace(cells[1])
	return before, now, strings.HasPrefix(before, "docs/")
}

// pages returns all pages but the forwarding ones.
func (s *Site) pages() []*Page {
	pages := []*Page{s.Home}
	for _, section := range s.Sections {
		pages = append(append(pages, section.Index), section.Pages...)
	}
	return pages
}

// target returns the address of a page below the root of the site, or "file:" and the path of another file of the repository.
func (s *Site) target(repositoryPath string) (string, error) {
	file, anchor, _ := strings.Cut(repositoryPath, "#")
	if anchor != "" {
		anchor = "#" + anchor
	}
	for _, page := range s.pages() {
		if page.Source == file {
			return page.URL() + anchor, nil
		}
	}
	if _, err := os.Stat(filepath.Join(s.root, file)); err != nil {
		return "", fmt.Errorf("docs/moved.md: %s does not exist", repositoryPath)
	}
	return "file:" + file + anchor, nil
}

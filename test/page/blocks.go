package page

import (
	"slices"
	"strings"
)

// Block is a fenced block of a page.
type Block struct {
	// Section is the title of the heading above the block; may be empty.
	Section string
	// Language is the word after the opening fence; may be empty.
	Language string
	// Text has whole lines. In a list, they are without the indentation of the list.
	Text string
	// Begin and End are the offsets of the text in the page, where it has its indentation.
	Begin, End int
}

// Blocks returns the blocks in one of the languages, in the order of the page; without languages, all blocks.
func Blocks(page string, languages ...string) (blocks []Block) {
	var b Block
	for l := range linesOf(page) {
		switch l.part {
		case prose:
			if _, title, ok := heading(l.text); ok {
				b.Section = title
			}
		case opening:
			b.Language, b.Text, b.Begin = l.text, "", l.end
		case code:
			b.Text += l.text + "\n"
		case closing:
			b.End = l.begin
			if len(languages) == 0 || slices.Contains(languages, b.Language) {
				blocks = append(blocks, b)
			}
		}
	}
	return blocks
}

// Prose returns a page without its blocks, in which a number sign begins a comment and brackets are code.
func Prose(page string) string {
	var b strings.Builder
	for l := range linesOf(page) {
		if l.part == prose {
			b.WriteString(page[l.begin:l.end])
		}
	}
	return b.String()
}

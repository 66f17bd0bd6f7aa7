package page

import (
	"regexp"
	"slices"
	"strings"
)

var ruler = regexp.MustCompile(`^:?-+:?$`)

// Table has the cells of each row, the one with the headings first. The line of hyphens is left out.
type Table [][]string

// Tables returns the tables of a page. Any line between two rows ends a table.
func Tables(page string) (tables []Table) {
	var current Table
	end := func() {
		if len(current) > 0 {
			tables = append(tables, current)
		}
		current = nil
	}
	for l := range linesOf(page) {
		if l.part != prose || !strings.HasPrefix(l.text, "|") {
			end()
			continue
		}
		if cells := cellsOf(l.text); slices.ContainsFunc(cells, func(c string) bool { return !ruler.MatchString(c) }) {
			current = append(current, cells)
		}
	}
	end()
	return tables
}

// Rows returns the rows of all tables of a page, including the headings.
func Rows(page string) [][]string {
	return slices.Concat(Tables(page)...)
}

// cellsOf divides a row at its bars. A bar behind a backslash is text, and keeps the backslash.
func cellsOf(row string) []string {
	const bar = "\x00"
	row = strings.ReplaceAll(strings.TrimSpace(row), `\|`, bar)
	cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(row, "|"), "|"), "|")
	for i := range cells {
		cells[i] = strings.ReplaceAll(strings.TrimSpace(cells[i]), bar, `\|`)
	}
	return cells
}

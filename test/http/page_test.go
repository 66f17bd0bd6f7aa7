package http

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

// The task gives a program access, and the reference has the operations.
const (
	task   = "../../docs/tasks/use-the-api-over-http.md"
	manual = "../../docs/reference/http.md"
)

// Sections of the two pages, by their headings.
const (
	account     = "An account"
	access      = "Check that it worked"
	withToken   = "curl, with its token"
	withProxy   = "curl, with your own rights"
	withPython  = "Python"
	create      = "Create"
	watching    = "Watch"
	start       = "Start"
	scale       = "Scale"
	addRole     = "Add a role"
	deleteRole  = "Delete a role"
	mergePatch  = "Roles by a merge patch"
	stop        = "Stop"
	deletion    = "Delete"
	largeStatus = "Large statuses"
	refused     = "When a request is refused"
)

// operations are the sections on operations on Frameworks, in their order. A section is only about curl if the other languages should skip
// it.
var (
	operations = []string{create, "Get", "List", watching, start, scale, addRole, deleteRole, mergePatch, stop, deletion, largeStatus, refused}
	curlOnly   = []string{mergePatch}
)

// block is a piece of code on one of the pages, in the language sh, python, java or yaml.
type block struct {
	page.Block
	// shown is the block's output on the page; empty if it shows none.
	shown string
}

// readPage returns the blocks of both pages in their order. A block of output belongs to all blocks of its section since the output
// before it. Blocks of plain text are not run.
func readPage(t *testing.T) (blocks []block) {
	t.Helper()
	section, since := "", 0
	for _, b := range append(page.Blocks(page.Read(t, task)), page.Blocks(page.Read(t, manual))...) {
		if b.Section != section {
			section, since = b.Section, len(blocks)
		}
		switch b.Language {
		case "console":
			for i := range blocks[since:] {
				blocks[since+i].shown = b.Text
			}
			since = len(blocks)
		case "text":
		default:
			blocks = append(blocks, block{Block: b})
		}
	}
	return blocks
}

// in returns the blocks of a language in one of the sections.
func in(blocks []block, language string, sections ...string) []block {
	return slices.DeleteFunc(slices.Clone(blocks), func(b block) bool {
		return b.Language != language || !slices.Contains(sections, b.Section)
	})
}

// The page has each operation in each language, and nothing else, so the tests below leave out nothing but Java.
func TestEachOperationInEachLanguage(t *testing.T) {
	blocks := readPage(t)
	for _, language := range []string{"sh", "python", "java"} {
		var sections []string
		for _, b := range in(blocks, language, operations...) {
			sections = append(sections, b.Section)
		}
		want := slices.DeleteFunc(slices.Clone(operations), func(section string) bool {
			return language != "sh" && slices.Contains(curlOnly, section)
		})
		require.Equal(t, want, sections, "with a block of %s", language)
	}
	known := slices.Concat(operations, []string{account, withToken, withProxy, access, withPython, "Java"})
	for _, b := range blocks {
		require.Contains(t, known, b.Section, "a block of %s", b.Language)
		require.Contains(t, []string{"sh", "python", "java", "yaml"}, b.Language)
	}
}

// The table of operations leads to each of their sections.
func TestTableOfOperations(t *testing.T) {
	table, _, _ := strings.Cut(page.Read(t, manual), "\n## ")
	for _, section := range operations[:slices.Index(operations, largeStatus)] {
		if section != mergePatch && !strings.Contains(table, "](#"+page.Anchor(section)+")") {
			t.Errorf("%s is not in the table", section)
		}
	}
}

package http

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const manual = "../../docs/user-manual/http.md"

// Sections of the page, by their headings.
const (
	account     = "An account"
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

// operations are the sections with what can be done with Frameworks, in their order. A section is about curl only if others
// are to leave it alone.
var (
	operations = []string{create, "Get", "List", watching, start, scale, addRole, deleteRole, mergePatch, stop, deletion, largeStatus, refused}
	curlOnly   = []string{mergePatch}
)

// block is a piece of code on the page.
type block struct {
	section  string
	language string // sh, python, java, yaml
	text     string
	// shown is what the page says that it prints; empty if it says nothing.
	shown string
}

var headingOrBlock = regexp.MustCompile("(?ms)^##+ ([^\n]+)$|^```(\\w+)\n(.*?)^```$")

// readPage returns the blocks in their order. Output that is shown is that of all blocks of its section since the one before.
func readPage(t *testing.T) (blocks []block) {
	t.Helper()
	text, err := os.ReadFile(manual)
	require.NoError(t, err)
	section, since := "", 0
	for _, found := range headingOrBlock.FindAllStringSubmatch(string(text), -1) {
		switch heading, language, text := found[1], found[2], found[3]; {
		case heading != "":
			section, since = heading, len(blocks)
		case language == "console":
			for i := range blocks[since:] {
				blocks[since+i].shown = text
			}
			since = len(blocks)
		default:
			blocks = append(blocks, block{section: section, language: language, text: text})
		}
	}
	return blocks
}

// in returns the blocks of a language in one of the sections.
func in(blocks []block, language string, sections ...string) []block {
	return slices.DeleteFunc(slices.Clone(blocks), func(b block) bool {
		return b.language != language || !slices.Contains(sections, b.section)
	})
}

// Each operation is there in each language, and nothing else, so the tests below leave out nothing but Java.
func TestEachOperationInEachLanguage(t *testing.T) {
	blocks := readPage(t)
	for _, language := range []string{"sh", "python", "java"} {
		var sections []string
		for _, b := range in(blocks, language, operations...) {
			sections = append(sections, b.section)
		}
		want := slices.DeleteFunc(slices.Clone(operations), func(section string) bool {
			return language != "sh" && slices.Contains(curlOnly, section)
		})
		require.Equal(t, want, sections, "with a block of %s", language)
	}
	known := slices.Concat(operations, []string{account, withToken, withProxy, withPython, "Java"})
	for _, b := range blocks {
		require.Contains(t, known, b.section, "a block of %s", b.language)
		require.Contains(t, []string{"sh", "python", "java", "yaml"}, b.language)
	}
}

// The table of operations leads to each of their sections.
func TestTableOfOperations(t *testing.T) {
	text, err := os.ReadFile(manual)
	require.NoError(t, err)
	table, _, _ := strings.Cut(string(text), "\n## ")
	for _, section := range operations[:slices.Index(operations, largeStatus)] {
		if section != mergePatch && !strings.Contains(table, "](#"+strings.ReplaceAll(strings.ToLower(section), " ", "-")+")") {
			t.Errorf("%s is not in the table", section)
		}
	}
}

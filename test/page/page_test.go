package page

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const sample = `# Title

A [link](a.md).

## Run it

* In a list:

  ` + "```sh" + `
  # no heading
    kubectl get fw
  ` + "```" + `

### With [a link](b.md#c) and ` + "`code`, twice" + `

` + "```" + `
| no | table |
` + "```" + `

| Key | Meaning |
|:---- |:---- |
| ` + "`a`" + ` | one \| two |
| | <a id="in-a-cell"></a> |

| Other |
|---|

## Run it

The end.
`

func TestBlocks(t *testing.T) {
	blocks := Blocks(sample)
	require.Len(t, blocks, 2)
	require.Equal(t, "# no heading\n  kubectl get fw\n", blocks[0].Text)
	require.Equal(t, "Run it", blocks[0].Section)
	require.Equal(t, "  # no heading\n    kubectl get fw\n", sample[blocks[0].Begin:blocks[0].End])
	require.Equal(t, "| no | table |\n", blocks[1].Text)
	require.Equal(t, blocks[:1], Blocks(sample, "yaml", "sh"))
	require.Empty(t, Blocks(sample, "yaml"))
}

func TestProse(t *testing.T) {
	text := Prose(sample)
	require.NotContains(t, text, "no heading")
	require.NotContains(t, text, "no | table")
	require.Contains(t, text, "In a list:\n\n\n### With")
	require.True(t, strings.HasSuffix(text, "The end.\n"))
}

func TestAnchors(t *testing.T) {
	require.Equal(t, []string{"Title", "Run it", "With [a link](b.md#c) and `code`, twice", "Run it"}, Headings(sample))
	require.Equal(t, []string{"title", "run-it", "with-a-link-and-code-twice", "run-it-1", "in-a-cell"}, Anchors(sample))
	many := Anchors(strings.Repeat("# A\n", 12))
	require.Equal(t, []string{"a-9", "a-10", "a-11"}, many[9:])
}

func TestSection(t *testing.T) {
	within := Section(t, sample, "## Run it")
	require.True(t, strings.HasPrefix(within, "\n* In a list:"))
	require.True(t, strings.HasSuffix(within, "| Other |\n|---|\n\n"))
	require.True(t, strings.HasSuffix(Section(t, sample, "### With [a link](b.md#c) and `code`, twice"), "|---|\n\n"))
	require.True(t, strings.HasSuffix(Section(t, sample, "# Title"), "The end.\n"))
}

func TestTables(t *testing.T) {
	require.Equal(t, []Table{
		{{"Key", "Meaning"}, {"`a`", `one \| two`}, {"", `<a id="in-a-cell"></a>`}},
		{{"Other"}},
	}, Tables(sample))
	require.Len(t, Rows(sample), 4)
}

func TestGenerated(t *testing.T) {
	const text = "above\n<!-- codes: generated -->\nold\n<!-- end -->\n<!-- other: generated -->\nx\n<!-- end -->\n"
	want := "above\n<!-- codes: generated -->\n\nnew\n\n<!-- end -->\n<!-- other: generated -->\nx\n<!-- end -->\n"
	require.Equal(t, want, Generated(t, text, "codes", "new\n"))
	require.Equal(t, want, Generated(t, want, "codes", "new\n"))
}

func TestKeep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	require.NoError(t, os.WriteFile(path, []byte("same\nold\n"), 0o644))
	Keep(t, path, "same\nold\n", false)
	Keep(t, path, "same\nnew\n", true)
	require.Equal(t, "same\nnew\n", Read(t, path))
	require.Equal(t, "has  new\nwant newer", difference("same\nnew\n", "same\nnewer\n"))
	require.Equal(t, "has  \nwant more", difference("same\n", "same\nmore"))
}

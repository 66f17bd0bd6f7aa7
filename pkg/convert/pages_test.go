package convert

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/printers"
)

const pages = "../../docs/migration/"

var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// Each example of a page, a block of YAML, is what becomes of the block before it, and what the page says is told, is told. With
// -rewrite, the pages are written anew.
func TestPagesShowWhatIsMade(t *testing.T) {
	rewrite := flag.Lookup("rewrite").Value.String() == "true"
	paths, err := filepath.Glob(pages + "*.md")
	require.NoError(t, err)
	shownExamples := 0
	for _, path := range paths {
		text := readFile(t, path)
		blocks := yamlBlock.FindAllStringSubmatchIndex(text, -1)
		for i := len(blocks) - 2; i >= 0; i-- { // from the end, as rewriting moves what comes behind
			from, to := text[blocks[i][2]:blocks[i][3]], blocks[i+1]
			result, err := Object(parse(t, from))
			if err != nil {
				continue // it is no object to convert, such as the Framework of the block
			}
			shownExamples++
			made := manifestOf(t, result)
			if got := text[to[2]:to[3]]; got != made && !rewrite {
				t.Errorf("%s: what becomes of\n%sis\n%sand not\n%s", path, from, made, got)
			}
			text = text[:to[2]] + made + text[to[3]:]
			for _, lost := range result.Lost {
				if !strings.Contains(text, lost.String()) {
					t.Errorf("%s does not show: %s", path, lost)
				}
			}
		}
		if rewrite {
			require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		}
	}
	if shownExamples < 4 {
		t.Errorf("there are only %d examples", shownExamples)
	}
}

// Every field stands in the table of its page.
func TestPagesHaveEveryField(t *testing.T) {
	for name, s := range known {
		page := readFile(t, pages+s.page)
		for _, f := range fieldsOf(t, name) {
			if path := strings.NewReplacer("[]", "", "{}", "").Replace(strings.TrimPrefix(f.path, "spec.")); !strings.Contains(page, "`"+path+"`") {
				t.Errorf("%s does not have `%s`", s.page, path)
			}
		}
	}
}

// manifestOf is how the command prints it.
func manifestOf(t *testing.T, result *Result) string {
	t.Helper()
	var b strings.Builder
	printer := printers.YAMLPrinter{}
	require.NoError(t, printer.PrintObj(&unstructured.Unstructured{Object: result.Framework}, &b))
	return b.String()
}

package convert

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

const pages = "../../docs/tasks/move-"

// Each Framework on a page is the conversion of the object in the block before it, and the page lists every loss. With -rewrite, the
// pages are written anew.
func TestPagesShowWhatIsMade(t *testing.T) {
	rewrite := flag.Lookup("rewrite").Value.String() == "true"
	paths, err := filepath.Glob(pages + "*.md")
	require.NoError(t, err)
	shownExamples := 0
	for _, path := range paths {
		text := readFile(t, path)
		blocks := page.Blocks(text, "yaml")
		for i := len(blocks) - 2; i >= 0; i-- { // from the end, because rewriting moves later blocks
			from, to := blocks[i].Text, blocks[i+1]
			result, err := Object(parse(t, from))
			if err != nil {
				continue // it is no object to convert, such as the Framework of the block
			}
			shownExamples++
			made := manifestOf(t, result)
			if got := to.Text; got != made && !rewrite {
				t.Errorf("%s: what becomes of\n%sis\n%sand not\n%s", path, from, made, got)
			}
			text = text[:to.Begin] + made + text[to.End:]
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

// The table of each page has every field.
func TestPagesHaveEveryField(t *testing.T) {
	for name, s := range known {
		text := readFile(t, pages+s.page)
		for _, f := range fieldsOf(t, name) {
			if path := strings.NewReplacer("[]", "", "{}", "").Replace(strings.TrimPrefix(f.path, "spec.")); !strings.Contains(text, "`"+path+"`") {
				t.Errorf("%s does not have `%s`", s.page, path)
			}
		}
	}
}

// manifestOf returns the YAML that the command prints.
func manifestOf(t *testing.T, result *Result) string {
	t.Helper()
	var b strings.Builder
	printer := printers.YAMLPrinter{}
	require.NoError(t, printer.PrintObj(&unstructured.Unstructured{Object: result.Framework}, &b))
	return b.String()
}

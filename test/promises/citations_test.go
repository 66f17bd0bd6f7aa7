package promises

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

// Citations: "contract 2.8", "contract 2.2, 2.3", "contract 1.4 to 1.8", "contract (1.6)", "contract F7, T6"; "decisions, W8
// and W10", "decisions, "Coalescing"". A W number by itself, as in "(W7)", is one of the decisions.
var (
	lineBreak        = regexp.MustCompile(`\s*\n\s*(?://|#)?\s*`)
	contractCitation = regexp.MustCompile(`\b[Cc]ontract(?:,|'s)? \(?(?:sections? )?(` + contractPlace + `(?:(?:,| and| to) ` + contractPlace + `)*)`)
	decisionCitation = regexp.MustCompile(`\b[Dd]ecisions, (` + decisionPlace + `(?:(?:,| and) ` + decisionPlace + `)*)`)
	contractPlaces   = regexp.MustCompile(contractPlace)
	quotedDecision   = regexp.MustCompile(`"[^"]+"`)
	decisionNumber   = regexp.MustCompile(`\bW\d+\b`)
)

const (
	contractPlace = `(?:\d+(?:\.\d+)*\b|[FTRGSP]\d+[a-z]?\b)`
	decisionPlace = `(?:W\d+\b|"[^"]+")`
)

// citations returns the places of the contract and of the decisions that a text cites.
func citations(text string) (contract, decisions []string) {
	text = lineBreak.ReplaceAllString(text, " ")
	for _, found := range contractCitation.FindAllStringSubmatch(text, -1) {
		contract = append(contract, contractPlaces.FindAllString(found[1], -1)...)
	}
	for _, found := range decisionCitation.FindAllStringSubmatch(text, -1) {
		decisions = append(decisions, quotedDecision.FindAllString(found[1], -1)...)
	}
	return contract, append(decisions, decisionNumber.FindAllString(text, -1)...)
}

// hasSection reports whether the contract has a section of that number, or a table a row of that id.
func hasSection(contract, place string) bool {
	for _, title := range page.Headings(contract) {
		if number, _, _ := strings.Cut(title, " "); strings.TrimSuffix(number, ".") == place {
			return true
		}
	}
	return slices.ContainsFunc(page.Rows(contract), func(row []string) bool { return row[0] == place })
}

// hasDecision reports whether the decisions have a heading of that W number, or one that begins with the words.
func hasDecision(decisions, place string) bool {
	words := strings.Trim(place, `"`)
	number := regexp.MustCompile(`\b` + regexp.QuoteMeta(words) + `\b`)
	return slices.ContainsFunc(page.Headings(decisions), func(title string) bool {
		if words == place {
			return number.MatchString(title)
		}
		return strings.HasPrefix(title, words)
	})
}

// TestCitationsResolve: citations of docs/design/contract.md and docs/design/decisions.md in code, tests, stories and documents exist
// there.
func TestCitationsResolve(t *testing.T) {
	contract, decisions := read(t, root+"/docs/design/contract.md"), read(t, root+"/docs/design/decisions.md")
	cited := 0
	eachSource(t, func(path, text string) {
		if path == "docs/design/contract.md" {
			return // it has all numbers of weaknesses, also of those about which nothing was decided
		}
		sections, headings := citations(text)
		cited += len(sections) + len(headings)
		for _, place := range sections {
			if !hasSection(contract, place) {
				t.Errorf("%s cites contract %s, which docs/design/contract.md does not have", path, place)
			}
		}
		for _, place := range headings {
			if !hasDecision(decisions, place) {
				t.Errorf("%s cites decisions, %s, which docs/design/decisions.md does not have", path, place)
			}
		}
	})
	if cited < 100 {
		t.Errorf("only %d citations were found", cited)
	}
}

func TestCitationsAreRead(t *testing.T) {
	contract, decisions := citations("// as in contract 2.2 and\n// 2.3 (decisions, W8 and W10; contract, section 9.9; contract F7, T6;\n// decisions, \"Client\n// rate\"), the contract's section 11 (W7)")
	if want := []string{"2.2", "2.3", "9.9", "F7", "T6", "11"}; !slices.Equal(contract, want) {
		t.Errorf("of the contract: %q, want %q", contract, want)
	}
	if want := []string{`"Client rate"`, "W8", "W10", "W7"}; !slices.Equal(decisions, want) {
		t.Errorf("of the decisions: %q, want %q", decisions, want)
	}
	for place, want := range map[string]bool{"2": true, "2.4": true, "2.14": false, "F7": true, "F99": false, "9.9": false} {
		if hasSection("## 2. States\n### 2.4 Moves **[C]**\n| F7 | x |\n", place) != want {
			t.Errorf("section %s is there: not %v", place, want)
		}
	}
	for place, want := range map[string]bool{"W1": false, "W10": true, `"Client rate"`: true, `"Clients"`: false} {
		if hasDecision("### Adoption (W10)\n### Client rate\n", place) != want {
			t.Errorf("decision %s is there: not %v", place, want)
		}
	}
}

// eachSource calls do with every text file of the project.
func eachSource(t *testing.T, do func(path, text string)) {
	t.Helper()
	kinds := []string{".go", ".txt", ".md", ".yaml", ".proto", ".sh"}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && (name == "bin" || name == ".git" || name == "fuzz"):
			return filepath.SkipDir
		case !d.IsDir() && slices.Contains(kinds, filepath.Ext(name)) && name != "citations_test.go":
			do(strings.TrimPrefix(path, root+"/"), read(t, path))
		}
		return nil
	})
	require.NoError(t, err)
}

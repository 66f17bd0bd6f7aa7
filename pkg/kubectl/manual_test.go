package kubectl

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

// manualPages are the pages whose transcripts are among the expected output of test/kubectl, or here of the commands that read the
// history.
var manualPages = []string{
	"../../docs/reference/kubectl-output.md",
	"../../docs/tasks/create-from-the-command-line.md",
	"../../docs/tasks/look-into-the-history.md",
	"../../docs/tasks/try-rules-on-past-failures.md",
	"../../docs/tasks/use-kubectl-framework.md",
}

// These pages show the output of the commands.
func TestManualShowsTrueOutput(t *testing.T) {
	seen := map[string]bool{}
	paths, err := filepath.Glob("../../test/kubectl/testdata/*.txt")
	require.NoError(t, err)
	more, err := filepath.Glob("../../test/kubectl/testdata/*/*.txt")
	require.NoError(t, err)
	history, err := filepath.Glob("testdata/history/*.txt")
	require.NoError(t, err)
	for _, path := range slices.Concat(paths, more, history) {
		for _, shown := range transcripts(asInManual(read(t, path))) {
			seen[shown] = true
		}
	}
	for _, path := range manualPages {
		shown := 0
		for _, block := range page.Blocks(page.Read(t, path), "console") {
			for _, text := range transcripts(block.Text) {
				shown++
				if !seen[text] {
					t.Errorf("%s: no test prints this:\n%s", path, text)
				}
			}
		}
		if shown == 0 {
			t.Errorf("%s shows no output", path)
		}
	}
}

var namespaceFlag = regexp.MustCompile(` -n [a-z]+\b`)

// namespaceField matches the field of a document, and readAt the time at which an explanation was read. Tests write one time everywhere; in
// the manual readAt is 12 seconds later, as in its sentences.
var (
	namespaceField = regexp.MustCompile(`(?m)^( *"?namespace"?:) "?[a-z]+"?(,?)$`)
	readAt         = regexp.MustCompile(`("time": "2026-11-25T12:00:)00Z"`)
)

// asInManual takes the namespaces of the tests out of command lines, and has advice and documents name the default one.
func asInManual(text string) string {
	text = readAt.ReplaceAllString(text, `${1}12Z"`)
	text = namespaceField.ReplaceAllStringFunc(text, func(line string) string {
		return regexp.MustCompile(`: ("?)[a-z]+`).ReplaceAllString(line, ": ${1}default")
	})
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		with := " -n default"
		if strings.HasPrefix(line, "$ ") {
			with = ""
		}
		lines[i] = namespaceFlag.ReplaceAllString(line, with)
	}
	return strings.Join(lines, "\n")
}

// transcripts are commands with their output, without empty lines at the end.
func transcripts(text string) (parts []string) {
	for _, part := range strings.Split("\n"+text, "\n$ ")[1:] {
		parts = append(parts, "$ "+strings.TrimRight(part, "\n"))
	}
	return parts
}

// Every command has its section in the reference, and its help says what it is for.
func TestManualNamesEveryCommand(t *testing.T) {
	sections := page.Headings(page.Read(t, cliPage))
	for _, cmd := range New(genericiooptions.IOStreams{}).Commands() {
		if !slices.Contains(sections, cmd.Name()) {
			t.Errorf("%s is not in the manual", cmd.Name())
		}
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: %q is no line of a help", cmd.Name(), cmd.Short)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

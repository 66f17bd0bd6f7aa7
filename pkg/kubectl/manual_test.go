package kubectl

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

const (
	manualPage = "../../docs/user-manual/kubectl.md"
	outputPage = "../../docs/user-manual/kubectl-output.md"
)

// What the manual and README show is what commands have printed: it is among the expected output of test/kubectl.
func TestManualShowsTrueOutput(t *testing.T) {
	seen := map[string]bool{}
	paths, err := filepath.Glob("../../test/kubectl/testdata/*.txt")
	require.NoError(t, err)
	more, err := filepath.Glob("../../test/kubectl/testdata/*/*.txt")
	require.NoError(t, err)
	for _, path := range append(paths, more...) {
		for _, shown := range transcripts(asInManual(read(t, path))) {
			seen[shown] = true
		}
	}
	shown := 0
	pages := read(t, manualPage) + read(t, outputPage) + read(t, "../../README.md")
	for _, block := range regexp.MustCompile("(?s)```console\n(.*?)```").FindAllStringSubmatch(pages, -1) {
		for _, text := range transcripts(block[1]) {
			shown++
			if !seen[text] {
				t.Errorf("no test prints this:\n%s", text)
			}
		}
	}
	if shown < 10 {
		t.Errorf("the manual has only %d outputs", shown)
	}
}

var namespaceFlag = regexp.MustCompile(` -n [a-z]+\b`)

// namespaceField is that of a document. readAt is when an explanation was read, for which tests write the time of everything else: the
// manual has it the 12 seconds later that its sentences tell.
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

// Every command has its line in the manual, and its help says what it is for.
func TestManualNamesEveryCommand(t *testing.T) {
	text := read(t, manualPage)
	for _, cmd := range New(genericiooptions.IOStreams{}).Commands() {
		if !regexp.MustCompile("`" + cmd.Name() + "[ `]").MatchString(text) {
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

package kubectl

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

const (
	plainJob  = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: %}\nspec:\n  backoffLimit: 0\n  template: {spec: {restartPolicy: Never, containers: [{name: main, image: app}]}}\n"
	lossyJob  = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: %}\nspec:\n  colour: red\n  backoffLimit: 0\n  template: {spec: {restartPolicy: Never, containers: [{name: main, image: app}]}}\n"
	brokenJob = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: %}\nspec:\n  completions: many\n"
	service   = "apiVersion: v1\nkind: Service\nmetadata: {name: %}\n"
)

func named(text, name string) string { return strings.ReplaceAll(text, "%", name) }

// indented is a document as an item of a list.
func indented(text string) string {
	return "- " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ") + "\n"
}

// What is in a file is converted as far as it makes sense, and the rest is told, with where it is.
func TestConvertFiles(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		args  []string
		made  []string // names of Frameworks
		tells []string // on standard error
		code  int
	}{
		"one": {text: named(plainJob, "a"), made: []string{"a"}},
		"several documents, and comments alone": {text: "---\n# nothing\n---\n" + named(plainJob, "a") + "---\n" + named(lossyJob, "b"), made: []string{"a", "b"},
			tells: []string{"document 3 (Job b): spec.colour: is not known here, and left out"}},
		"a list": {text: "apiVersion: v1\nkind: List\nitems:\n" + indented(named(plainJob, "a")) + indented(named(service, "web")) + indented(named(lossyJob, "b")),
			made: []string{"a", "b"}, tells: []string{"document 1, item 2 (Service web) is passed by: it is no Volcano Job, JobSet,", "document 1, item 3 (Job b): spec.colour: "}},
		"a list as kubectl get prints it": {text: `{"apiVersion":"batch/v1","kind":"JobList","items":[` + `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"a"},"spec":{"backoffLimit":0,"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"main"}]}}}}]}`,
			made: []string{"a"}},
		"strict without a loss": {text: named(plainJob, "a"), args: []string{"--strict"}, made: []string{"a"}},
		"strict with a loss": {text: named(lossyJob, "a"), args: []string{"--strict"}, made: []string{"a"}, code: exitLoses,
			tells: []string{"spec.colour", "error: --strict: something has no equal in a Framework, of 1 object"}},
		"other kinds do not matter to strict": {text: named(plainJob, "a") + "---\n" + named(service, "web"), args: []string{"--strict"}, made: []string{"a"},
			tells: []string{"document 2 (Service web) is passed by"}},
		"garbage beside others": {text: named(plainJob, "a") + "---\n: {[\n---\n- list\n---\ntext\n---\n" + named(plainJob, "b"), made: []string{"a", "b"}, code: exitError,
			tells: []string{"document 2: error: ", "document 3: error: it is no object", "document 4: error: it is no object", "error: could not convert 3 objects"}},
		"garbage goes before a loss": {text: named(lossyJob, "a") + "---\n5\n", args: []string{"--strict"}, made: []string{"a"}, code: exitError},
		"what makes no sense": {text: named(brokenJob, "a"), code: exitError, tells: []string{
			"document 1 (Job a): error: spec.completions: must be a whole number, and is the text \"many\"",
			"document 1 (Job a): error: spec.template: must be a Pod template, and is null", "error: could not convert 1 object"}},
		"a field twice":        {text: named(plainJob, "a") + "kind: Job\n", code: exitError, tells: []string{"document 1: error: "}},
		"an item that is none": {text: "apiVersion: v1\nkind: List\nitems: [5, {kind: Job}]\n", code: exitError, tells: []string{"document 1, item 1: error: it is no object", "document 1, item 2 (Job): error: apiVersion: is missing"}},
		"nothing":              {text: "", code: exitError, tells: []string{"has nothing that can be converted"}},
		"nothing of ours":      {text: named(service, "web"), code: exitError, tells: []string{"Service web", "has nothing that can be converted"}},
		"bytes":                {text: "\x00\xff\xfe", code: exitError, tells: []string{"document 1: error: "}},
		"a name that would break a line": {text: "apiVersion: v1\nkind: \"Ser\\nvice\"\n---\n" + named(plainJob, "a"), made: []string{"a"},
			tells: []string{"document 1 (Ser"}},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "objects.yaml")
			require.NoError(t, os.WriteFile(path, []byte(c.text), 0o600))
			out, told, code := runConvert(t, "", append([]string{"-f", path}, c.args...)...)
			if code != c.code {
				t.Errorf("exit code %d, want %d: %s", code, c.code, told)
			}
			if got := frameworksNamed(out); strings.Join(got, " ") != strings.Join(c.made, " ") {
				t.Errorf("made %q, want %q:\n%s", got, c.made, out)
			}
			for _, line := range c.tells {
				if !strings.Contains(told, line) {
					t.Errorf("%q is not told in\n%s", line, told)
				}
			}
			if len(c.tells) == 0 && c.code == 0 && told != "" {
				t.Errorf("told without a reason: %s", told)
			}
		})
	}
}

// The input will do for a file; without either, or with one that is not there, the command says what it wants.
func TestConvertInput(t *testing.T) {
	out, told, code := runConvert(t, named(plainJob, "a"), "-f", "-")
	if code != 0 || told != "" || len(frameworksNamed(out)) != 1 {
		t.Errorf("exit code %d: %s%s", code, told, out)
	}
	for _, args := range [][]string{{}, {"-f", "nowhere.yaml"}, {"-f", "-", "more"}} {
		if _, told, code := runConvert(t, "", args...); code != exitError || !strings.HasPrefix(told, "error: ") {
			t.Errorf("%q: exit code %d: %s", args, code, told)
		}
	}
}

func runConvert(t *testing.T, input string, args ...string) (out, told string, code int) {
	t.Helper()
	var o, e strings.Builder
	code = Run(t.Context(), genericiooptions.IOStreams{In: strings.NewReader(input), Out: &o, ErrOut: &e}, append([]string{"convert"}, args...))
	return o.String(), e.String(), code
}

// frameworksNamed are the names of the Frameworks in YAML documents.
func frameworksNamed(text string) (names []string) {
	for _, document := range strings.Split(text, "---\n") {
		if _, after, found := strings.Cut(document, "kind: Framework\nmetadata:\n  name: "); found {
			name, _, _ := strings.Cut(after, "\n")
			names = append(names, name)
		}
	}
	return names
}

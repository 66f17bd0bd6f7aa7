package kubectl

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/convert"
)

const (
	plainJob  = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: %}\nspec:\n  backoffLimit: 0\n  template: {spec: {restartPolicy: Never, containers: [{name: main, image: app}]}}\n"
	lossyJob  = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: %}\nspec:\n  color: red\n  backoffLimit: 0\n  template: {spec: {restartPolicy: Never, containers: [{name: main, image: app}]}}\n"
	brokenJob = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: %}\nspec:\n  completions: many\n"
	service   = "apiVersion: v1\nkind: Service\nmetadata: {name: %}\n"
)

func named(text, name string) string { return strings.ReplaceAll(text, "%", name) }

// indented is a document as an item of a list.
func indented(text string) string {
	return "- " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ") + "\n"
}

// The objects of a file are converted as far as possible, and the rest is reported with its position.
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
			tells: []string{"document 3 (Job b): spec.color: unknown field; it is dropped"}},
		"a list": {text: "apiVersion: v1\nkind: List\nitems:\n" + indented(named(plainJob, "a")) + indented(named(service, "web")) + indented(named(lossyJob, "b")),
			made: []string{"a", "b"}, tells: []string{"document 1, item 2 (Service web): skipped, because it is not a Volcano Job, JobSet,", "document 1, item 3 (Job b): spec.color: "}},
		"a list as kubectl get prints it": {text: `{"apiVersion":"batch/v1","kind":"JobList","items":[` + `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"a"},"spec":{"backoffLimit":0,"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"main"}]}}}}]}`,
			made: []string{"a"}},
		"strict without a loss": {text: named(plainJob, "a"), args: []string{"--strict"}, made: []string{"a"}},
		"strict with a loss": {text: named(lossyJob, "a"), args: []string{"--strict"}, made: []string{"a"}, code: exitLoses,
			tells: []string{"spec.color", "error: --strict: fields of 1 object have no equivalent in a Framework"}},
		"other kinds do not matter to strict": {text: named(plainJob, "a") + "---\n" + named(service, "web"), args: []string{"--strict"}, made: []string{"a"},
			tells: []string{"document 2 (Service web): skipped, because"}},
		"garbage beside others": {text: named(plainJob, "a") + "---\n: {[\n---\n- list\n---\ntext\n---\n" + named(plainJob, "b"), made: []string{"a", "b"}, code: exitError,
			tells: []string{"document 2: error: ", "document 3: error: it is not an object", "document 4: error: it is not an object", "error: could not convert 3 objects"}},
		"garbage goes before a loss": {text: named(lossyJob, "a") + "---\n5\n", args: []string{"--strict"}, made: []string{"a"}, code: exitError},
		"what makes no sense": {text: named(brokenJob, "a"), code: exitError, tells: []string{
			"document 1 (Job a): error: spec.completions: must be an integer, but is the string \"many\"",
			"document 1 (Job a): error: spec.template: must be a Pod template, but is null", "error: could not convert 1 object"}},
		"a field twice":        {text: named(plainJob, "a") + "kind: Job\n", code: exitError, tells: []string{"document 1: error: "}},
		"an item that is none": {text: "apiVersion: v1\nkind: List\nitems: [5, {kind: Job}]\n", code: exitError, tells: []string{"document 1, item 1: error: it is not an object", "document 1, item 2 (Job): error: apiVersion: is missing"}},
		"nothing":              {text: "", code: exitError, tells: []string{"nothing to convert in"}},
		"nothing of ours":      {text: named(service, "web"), code: exitError, tells: []string{"Service web", "nothing to convert in"}},
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

// The input can replace a file; without either, or with a missing file, the command reports what it needs.
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

// All files are converted together, the files of directories ordered by name, so that Frameworks of different files have different names.
func TestConvertSeveralFiles(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	a, b := write("a.yaml", named(plainJob, "tr-ain")), write("b.yaml", named(plainJob, "train"))
	broken := write("broken.yaml", named(brokenJob, "x"))
	write("all/2.yml", named(plainJob, "two"))
	write("all/1.json", `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"one"},"spec":{"backoffLimit":0,"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"main"}]}}}}`)
	write("all/3.txt", named(plainJob, "three"))
	write("all/deeper/4.yaml", named(plainJob, "four"))
	write("none/readme.md", "nothing")
	web := write("web.yaml", named(service, "mnist"))
	torch := write("torch.yaml", "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: mnist}\nspec: {runPolicy: {backoffLimit: 0}, pytorchReplicaSpecs: {Master: {restartPolicy: Never, template: {spec: {containers: [{name: main}]}}}}}\n")
	for name, c := range map[string]struct {
		args  []string
		input string
		made  []string
		tells []string
		code  int
	}{
		"two files": {args: []string{"-f", a, "-f", b}, made: []string{"train", "train2"},
			tells: []string{b + ": document 1 (Job train): metadata.name: train becomes train2, because Job tr-ain becomes Framework train"}},
		"a file and the input": {args: []string{"-f", "-", "-f", b}, input: named(plainJob, "tr-ain"), made: []string{"train", "train2"}, tells: []string{"-: document 1 (Job tr-ain): "}},
		"the input twice":      {args: []string{"-f", "-", "-f", "-"}, code: exitError, tells: []string{"error: standard input can be read only once"}},
		"one of two is broken": {args: []string{"-f", broken, "-f", b}, made: []string{"train"}, code: exitError, tells: []string{broken + ": document 1 (Job x): error: "}},
		"one is missing":       {args: []string{"-f", a, "-f", "nowhere.yaml"}, code: exitError, tells: []string{"nowhere.yaml"}},
		"a directory":          {args: []string{"-f", filepath.Join(folder, "all")}, made: []string{"one", "two"}},
		"a directory without":  {args: []string{"-f", filepath.Join(folder, "none")}, code: exitError, tells: []string{"has no files ending in .yaml, .yml or .json"}},
		"a URL":                {args: []string{"-f", "https://example.com/job.yaml"}, code: exitError, tells: []string{"convert does not read URLs"}},
		"no name":              {args: []string{"-f", ""}, code: exitError, tells: []string{"-f needs the name of a file"}},
		"a Service of a later file": {args: []string{"-f", torch, "-f", web}, made: []string{"mnist2"},
			tells: []string{"mnist becomes mnist2, because Framework mnist would need a Service mnist of its own"}},
	} {
		t.Run(name, func(t *testing.T) {
			out, told, code := runConvert(t, c.input, c.args...)
			if code != c.code {
				t.Errorf("exit code %d, want %d: %s", code, c.code, told)
			}
			if got := frameworksNamed(out); strings.Join(got, " ") != strings.Join(c.made, " ") {
				t.Errorf("made %q, want %q", got, c.made)
			}
			for _, line := range c.tells {
				if !strings.Contains(told, line) {
					t.Errorf("%q is not told in\n%s", line, told)
				}
			}
		})
	}
}

// A fault of the converter costs only the object that triggers it.
func TestConvertOutlivesAFault(t *testing.T) {
	var out, told strings.Builder
	v := &converting{caller: &caller{IOStreams: genericiooptions.IOStreams{In: strings.NewReader(named(plainJob, "a") + "---\n" + named(plainJob, "b") + "---\n" + named(plainJob, "c")), Out: &out, ErrOut: &told}}, files: []string{"-"}}
	v.convert = func(object map[string]any) (*convert.Result, error) {
		if object["metadata"].(map[string]any)["name"] == "b" {
			panic("out of range")
		}
		return v.objects.Object(object)
	}
	err := v.run()
	require.EqualError(t, err, "could not convert 1 object")
	require.Equal(t, []string{"a", "c"}, frameworksNamed(out.String()))
	require.Equal(t, "document 2 (Job b): error: the converter cannot handle this object, which is a bug: out of range\n", told.String())
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

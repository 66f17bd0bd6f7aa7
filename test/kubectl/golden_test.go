package kubectl

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/diff"
)

// answer is the output of a command, and its exit code.
type answer struct {
	out, err string
	code     int
}

// kubectl runs `kubectl framework ...` as a user would.
func kubectl(t *testing.T, args ...string) answer { return kubectlAs(t, "", args...) }

// kubectlAs is kubectl with another kubeconfig; an empty one is the cluster's.
func kubectlAs(t *testing.T, kubeconfig string, args ...string) answer {
	t.Helper()
	cmd := kube.Command(t.Context(), kube.Kubectl, append([]string{"framework"}, args...)...)
	cmd.Env = append(cmd.Env, "PATH="+bin+":"+os.Getenv("PATH"))
	if kubeconfig != "" {
		cmd.Env = append(cmd.Env, "KUBECONFIG="+kubeconfig)
	}
	var out, errOut strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatalf("kubectl framework %s: %v", strings.Join(args, " "), err)
	}
	return answer{out.String(), errOut.String(), cmd.ProcessState.ExitCode()}
}

// requireGolden compares the output of commands with a file. A command line comes before its output, as in a manual.
func requireGolden(t *testing.T, file string, got string) {
	t.Helper()
	path := filepath.Join("testdata", file)
	got = masked(got)
	if *rewrite {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	if got != string(want) {
		t.Errorf("%s (-want +got):\n%s\ngot:\n%s", path, diff.Diff(string(want), got), got)
	}
}

// transcript runs a command and returns its line and its output.
func transcript(t *testing.T, args ...string) string {
	t.Helper()
	return shown(kubectl(t, args...), args...)
}

func shown(a answer, args ...string) string {
	text := "$ kubectl framework " + strings.Join(args, " ") + "\n" + a.out + a.err
	if a.code != 0 {
		text += fmt.Sprintf("exit code %d\n", a.code)
	}
	return text
}

// masks give parts that differ from run to run one form.
var masks = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`), "2026-11-25T12:00:00Z"},
	{regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`), "60a24a34-13de-4218-9bcc-a226366d7a47"},
	{regexp.MustCompile(`\bin (\d+m)?\d+m?s?\)`), "in 9m)"},
	{regexp.MustCompile(`\b(\d+m)?\d+s ago`), "12s ago"},
	{regexp.MustCompile(`\b(\d+m)?\d+s\b`), "12s"},
	{regexp.MustCompile(`\b\d+h(\d+m)?\b`), "12s"},
	{regexp.MustCompile(`(?m)^12s {2,}`), "12s         "},      // in the first column of events
	{regexp.MustCompile(`(?m)^ {2,}12s `), "   12s "},          // and of the screen
	{regexp.MustCompile(`\b10(\.\d+){3} {2,}`), "10.0.0.1   "}, // in a column, which is as wide as the longest one
	{regexp.MustCompile(`\bIP {2,}`), "IP         "},
	{regexp.MustCompile(`\b10(\.\d+){3}\b`), "10.0.0.1"},
	{regexp.MustCompile(`\bnode-\d+\b`), "node-0"},
	{regexp.MustCompile(`kubectl-framework \S+ \(commit \w+, go\S+, \w+/\w+\)`), "kubectl-framework v1.0.0 (commit 0123456, go1.26.0, linux/amd64)"},
	{regexp.MustCompile(`https://127\.0\.0\.1:\d+`), "https://127.0.0.1:6443"},
	{regexp.MustCompile(`http://127\.0\.0\.1:\d{5}\b`), "http://127.0.0.1:8001"},
	{regexp.MustCompile(`dial tcp: lookup .*`), "dial tcp: no such host"}, // simulated nodes have no addresses
}

func masked(text string) string {
	for _, m := range masks {
		text = m.pattern.ReplaceAllString(text, m.with)
	}
	return withoutRepeats(text)
}

// withoutRepeats drops repeated lines: Kubernetes merges two events that differ in the node only, if the node happens to be the same.
func withoutRepeats(text string) string {
	var out strings.Builder
	last := ""
	for line := range strings.Lines(text) {
		if line != last || !strings.HasPrefix(line, "Earlier: ") {
			out.WriteString(line)
		}
		last = line
	}
	return out.String()
}

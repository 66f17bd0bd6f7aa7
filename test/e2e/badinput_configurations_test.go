package e2e

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

// badFiles are configurations with which the controller does not start: it exits with 1 at once and prints one line, which names the key
// and its position.
var badFiles = []struct{ did, file, says string }{
	{"an unknown key", "workerNumbers: 5", "line 1: workerNumbers: no such key: correct or remove it"},
	{"a key in the wrong case", "workernumber: 5", "line 1: workernumber: no such key"},
	{"an unknown key further in", "logObjectSnapshot:\n  pod:\n    onPodDelete: true", "line 3: logObjectSnapshot.pod.onPodDelete: no such key"},
	{"a duplicate key", "workerNumber: 5\nworkerNumber: 6", "line 2: workerNumber: is already set in line 1: remove one of them"},
	{"a text for a number", "workerNumber: many", `line 1: workerNumber: must be a whole number, but is "many"`},
	{"a fraction for a whole number", "workerNumber: 1.5", `line 1: workerNumber: must be a whole number, but is "1.5"`},
	{"a number beyond int64", "workerNumber: 99999999999999999999", `line 1: workerNumber: must be a whole number, but is "9`},
	{"no workers", "workerNumber: 0", "line 1: workerNumber: must be from 1 to 10000, but is 0; the default is 200"},
	{"workers below zero", "workerNumber: -1", "line 1: workerNumber: must be from 1 to 10000, but is -1"},
	{"more workers than fit the memory", "workerNumber: 1000000000", "line 1: workerNumber: must be from 1 to 10000, but is 1000000000"},
	{"a switch that is a number", "largeFrameworkCompression: 1", `line 1: largeFrameworkCompression: must be true or false, but is "1"`},
	{"a duration with a unit", "frameworkCompletedRetainSec: 30d", `line 1: frameworkCompletedRetainSec: must be a whole number, but is "30d"`},
	{"a negative duration", "frameworkCompletedRetainSec: -1", "line 1: frameworkCompletedRetainSec: must be at least 0, but is -1"},
	{"an interval of zero", "crdEstablishedCheckIntervalSec: 0", "line 1: crdEstablishedCheckIntervalSec: must be at least 1, but is 0"},
	{"a timeout below 10", "crdEstablishedCheckTimeoutSec: 9", "line 1: crdEstablishedCheckTimeoutSec: must be at least 10, but is 9"},
	{"a cache timeout below 60", "objectLocalCacheCreationTimeoutSec: 59", "line 1: objectLocalCacheCreationTimeoutSec: must be at least 60, but is 59"},
	{"a longest delay below the shortest", "frameworkMinRetryDelaySecForTransientConflictFailed: 5\nframeworkMaxRetryDelaySecForTransientConflictFailed: 4",
		"line 2: frameworkMaxRetryDelaySecForTransientConflictFailed: must be at least frameworkMinRetryDelaySecForTransientConflictFailed, which is 5, but is 4"},
	{"a rate of zero", "kubeClientQps: 0", "line 1: kubeClientQps: must be above 0 and at most 10000, but is 0"},
	{"a rate that is no number", "kubeClientQps: .nan", "line 1: kubeClientQps: must be above 0 and at most 10000, but is NaN"},
	{"a negative burst", "kubeClientBurst: -1", "line 1: kubeClientBurst: must be from 0 to 10000, but is -1"},

	{"rules that are not a list", "podFailureSpec: {code: 5}", "line 1: podFailureSpec: must be a list, but is a mapping"},
	{"an empty rule", "podFailureSpec:\n- code: 5\n  podPatterns: [{}]\n-\n", "line 4: podFailureSpec[1]: is empty: remove it"},
	{"a rule without a code", "podFailureSpec: [{podPatterns: [{}]}]", "line 1: podFailureSpec[0].code: is missing"},
	{"a reserved code", "podFailureSpec: [{code: 210, podPatterns: [{}]}]", "line 1: podFailureSpec[0].code: 210 is reserved: use a number from 1 to 199, from 220, or up to -1000"},
	{"a code beyond int32", "podFailureSpec: [{code: 3000000000, podPatterns: [{}]}]", `line 1: podFailureSpec[0].code: must be a whole number of 32 bits, but is "3000000000"`},
	{"a code twice", "podFailureSpec: [{code: 5, podPatterns: [{}]}, {code: 5, podPatterns: [{}]}]", "line 1: podFailureSpec[1].code: 5 is already the code of podFailureSpec[0].code"},
	{"a type that is none", "podFailureSpec: [{code: 5, type: {name: Succeeded}, podPatterns: [{}]}]", `line 1: podFailureSpec[0].type.name: must be Failed, or absent, but is "Succeeded"`},
	{"a rule without patterns", "podFailureSpec: [{code: 5}]", "line 1: podFailureSpec[0].podPatterns: needs at least one pattern"},
	{"a regex that does not compile", "podFailureSpec: [{code: 5, podPatterns: [{reasonRegex: 'a('}]}]", "line 1: podFailureSpec[0].podPatterns[0].reasonRegex: error parsing regexp: missing closing ): `a(`"},
	{"a range from a word on", "podFailureSpec: [{code: 5, podPatterns: [{containers: [{codeRange: {min: one}}]}]}]", `line 1: podFailureSpec[0].podPatterns[0].containers[0].codeRange.min: must be a whole number of 32 bits, but is "one"`},
	{"several mistakes", "workerNumber: 0\nkubeClientBurst: -1", "line 1: workerNumber: must be from 1 to 10000, but is 0; the default is 200; line 2: kubeClientBurst: must be"},

	{"an empty file", "", "is empty: write {} to run with the defaults"},
	{"a tab", "logObjectSnapshot:\n\tpod: {}\n", "(line 2 begins with a tab, but YAML needs spaces)"},
	{"no YAML", "workerNumber: [", "did not find expected node content"},
	{"a binary", "\x00\x01\x02", "control characters are not allowed"},
	{"a list", "- workerNumber", "line 1: must be a mapping of keys to values, but is a list"},
	{"two documents", "workerNumber: 1\n---\nworkerNumber: 2", "a second YAML document, but only one is read: remove it"},
	{"an alias of itself", "podFailureSpec: &a [*a]", "line 1: podFailureSpec[0]: must be a mapping of keys to values, but is a list"},
}

func TestBadConfigurationEndsTheController(t *testing.T) {
	t.Parallel()
	unharmed(t)
	for _, row := range badFiles {
		t.Run(row.did, func(t *testing.T) {
			path := tempFile(t, row.file)
			requireExit1(t, "--check", "--config", path) // first, or a second controller would run beside the other tests'
			lines := requireExit1(t, "--config", path)
			if len(lines) != 1 || !strings.HasPrefix(lines[0], "frameworkcontroller: configuration "+path+": ") || !strings.Contains(lines[0], row.says) {
				t.Errorf("got %q, want %q", lines, row.says)
			}
		})
	}
}

// badFlags are answered like bad files, with the name of the flag.
var badFlags = []struct{ did, args, says string }{
	{"an unknown flag", "--conf x", "flag provided but not defined: -conf"},
	{"a log level that is a word", "-v debug", `invalid value "debug" for flag -v`},
	{"a flag without its value", "--config", "flag needs an argument: -config"},
	{"an argument that is no flag", "my.yaml", `unexpected argument "my.yaml": see --help`},
	{"a file that is missing", "--config /nowhere/my.yaml", "configuration /nowhere/my.yaml: does not exist: put the file there, or name another one with --config"},
	{"a directory", "--config /", "configuration /: is a directory: name the file in it"},
	{"a file that cannot be read", "--config /proc/self/mem", "configuration /proc/self/mem: read /proc/self/mem: input/output error"},
	{"no file in the working directory", "-v 2", "configuration ./frameworkcontroller.yaml: does not exist"},
}

func TestBadFlags(t *testing.T) {
	t.Parallel()
	for _, row := range badFlags {
		t.Run(row.did, func(t *testing.T) {
			lines := requireExit1(t, strings.Fields(row.args)...)
			if len(lines) != 1 || !strings.Contains(lines[0], row.says) {
				t.Errorf("got %q, want %q", lines, row.says)
			}
		})
	}
}

// The flags of klog, which old start scripts pass, are accepted quietly.
func TestKlogFlags(t *testing.T) {
	t.Parallel()
	_, log, err := runController(t, "-logtostderr=true", "-stderrthreshold", "WARNING", "-v=5", "--log_dir=/tmp", "--vmodule", "a=1", "--version")
	if err != nil || log != "" {
		t.Errorf("got %v, %q", err, log)
	}
}

// badServers are API servers that cannot be used. The line follows the log lines of the start; the controller gives up after
// crdEstablishedCheckTimeoutSec at the latest.
var badServers = []struct {
	did  string
	file func(*testing.T) string
	says string
}{
	{"a kubeconfig that is missing", file("kubeConfigFilePath: /nowhere/kubeconfig"), "kubeConfigFilePath: API server, kubeconfig /nowhere/kubeconfig: stat /nowhere/kubeconfig: no such file or directory"},
	{"a kubeconfig that is none", file("kubeConfigFilePath: /etc/hostname"), "kubeConfigFilePath: API server, kubeconfig /etc/hostname: error loading config file"},
	{"an address that is none", file("kubeApiServerAddress: 'http://a b'\nkubeConfigFilePath: ''"), "kubeApiServerAddress: API server, http://a b without credentials: host must be a URL or a host:port pair"},
	{"an unreachable API server", file("kubeApiServerAddress: 'http://127.0.0.1:1'\nkubeConfigFilePath: ''\ncrdEstablishedCheckTimeoutSec: 10"), "connection refused"},
	{"no permissions", nobodysKubeconfig, `forbidden: User "system:anonymous" cannot patch resource "customresourcedefinitions"`},
}

func file(content string) func(*testing.T) string { return func(*testing.T) string { return content } }

func TestBadServers(t *testing.T) {
	t.Parallel()
	unharmed(t)
	for _, row := range badServers {
		t.Run(row.did, func(t *testing.T) {
			t.Parallel()
			lines := requireExit1(t, "--config", tempFile(t, row.file(t)))
			last := lines[len(lines)-1]
			if !strings.HasPrefix(last, "frameworkcontroller: ") || !strings.Contains(last, row.says) {
				t.Errorf("got %q, want %q", last, row.says)
			}
		})
	}
}

// nobodysKubeconfig names the API server and no user.
func nobodysKubeconfig(t *testing.T) string {
	t.Helper()
	return "kubeConfigFilePath: " + clustertest.Kubeconfig(t, kube, func(config *clientcmdapi.Config) {
		for name := range config.AuthInfos {
			config.AuthInfos[name] = &clientcmdapi.AuthInfo{}
		}
	})
}

func tempFile(t *testing.T, content string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "my.yaml")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	return path
}

// requireExit1 runs the controller, which must not stay, and returns its lines on standard error.
func requireExit1(t *testing.T, args ...string) (lines []string) {
	t.Helper()
	out, log, err := runController(t, args...)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || out != "" {
		t.Fatalf("got %v, want exit code 1; standard output %q, standard error\n%s", err, out, log)
	}
	return strings.Split(strings.TrimSuffix(log, "\n"), "\n")
}

// runController runs the binary under test in an empty directory.
func runController(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), answerTime+10*time.Second)
	defer cancel()
	var out, log bytes.Buffer
	cmd := kube.Command(ctx, controller.binary, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = t.TempDir(), &out, &log
	err = cmd.Run()
	return out.String(), log.String(), err
}

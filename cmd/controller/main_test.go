package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/config"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/version"
)

// asMain in the environment makes the test binary behave like the program.
const asMain = "RUN_AS_FRAMEWORKCONTROLLER"

func TestMain(m *testing.M) {
	if os.Getenv(asMain) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A mistake in the configuration ends the program with exit code 1 and one line, which names the key.
func TestBadConfigurationEndsTheProgram(t *testing.T) {
	mistakes := map[string]string{
		"unknown key":   "workernumber: 5",
		"out of range":  "workerNumber: 0",
		"not a number":  "workerNumber: many",
		"two at a time": "workerNumber: 0\nkubeClientQps: -1",
		"rule":          "podFailureSpec: [{code: 5, podPatterns: [{reasonRegex: '('}]}]",
	}
	keys := map[string]string{"unknown key": "workernumber", "rule": "podFailureSpec[0].podPatterns[0].reasonRegex"}
	for name, text := range mistakes {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "config.yaml")
			require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
			key := keys[name]
			if key == "" {
				key = "workerNumber"
			}
			requireFatal(t, start(t, "--config", file), key)
		})
	}
	t.Run("no file", func(t *testing.T) {
		requireFatal(t, start(t, "--config", filepath.Join(t.TempDir(), "absent.yaml")), "absent.yaml")
	})
}

// A file can be checked without a cluster: --check connects to nothing.
func TestCheck(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(file, []byte("kubeApiServerAddress: http://127.0.0.1:1\nworkerNumber: 5"), 0o600))
	if ended := start(t, "--check", "--config", file); ended.code != 0 || ended.stdout != file+" is valid\n" || ended.stderr != "" {
		t.Errorf("exit code %d, %q, %q", ended.code, ended.stdout, ended.stderr)
	}
	require.NoError(t, os.WriteFile(file, []byte("workerNumber: 0"), 0o600))
	requireFatal(t, start(t, "--check", "--config", file), "workerNumber")
}

// Flags of old start scripts, for the logger of the original, are accepted.
func TestOldFlagsAreAccepted(t *testing.T) {
	ended := start(t, "-v=4", "-logtostderr=true", "-stderrthreshold", "INFO", "-version")
	if ended.code != 0 || len(ended.stderr) > 0 {
		t.Errorf("exit code %d, %q", ended.code, ended.stderr)
	}
}

// The log shows the configuration in one line, and with -v=4 in full, without possible secrets.
func TestConfigurationInTheLog(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yaml")
	text := "podFailureSpec: [{code: 5, podPatterns: [{reasonRegex: a}]}, {code: 6, podPatterns: [{reasonRegex: b}]}]\n" +
		"plugins: [{name: one, kind: FailureClassifier, command: a, env: {TOKEN: hush}}, {name: two, kind: SchedulerHints, command: b}]"
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	const nowhere = "192.0.2.1:1" // so that the controller ends after printing them
	if said := start(t, "--config", file, "--http-address", nowhere).stderr; strings.Count(said, "\n") != 3 ||
		!strings.Contains(said, "configuration: path="+file+` pod_failure_rules=2 plugins=["one", "two"]`+"\n") {
		t.Errorf("without a flag: %s", said)
	}
	said := start(t, "--config", file, "--http-address", nowhere, "-v=4").stderr
	if !strings.Contains(said, "workerNumber: 200\n") || !strings.Contains(said, "TOKEN: (not shown)") || strings.Contains(said, "hush") {
		t.Errorf("with -v=4: %s", said)
	}
}

// The namespace of the Lease must be given where it cannot be known.
func TestLeaseNeedsANamespace(t *testing.T) {
	if _, err := os.Stat(podNamespace); err == nil {
		t.Skipf("in a Pod it is known: %s exists", podNamespace)
	}
	file := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(file, []byte("kubeApiServerAddress: http://127.0.0.1:1"), 0o600))
	ended := start(t, "--config", file, "--leader-elect")
	if ended.code != 1 || !strings.Contains(ended.stderr, "frameworkcontroller: --leader-elect-namespace: there is no default outside a Pod") {
		t.Errorf("exit code %d, %q", ended.code, ended.stderr)
	}
}

// The dialer is set before an election wraps it.
func TestDialer(t *testing.T) {
	server := "http://127.0.0.1:1"
	rc, err := connect(&config.Config{KubeAPIServerAddress: &server}, hclog.NewNullLogger())
	if err != nil || rc.Dial == nil {
		t.Errorf("no dialer: %v", err)
	}
}

// ending describes how the program ended.
type ending struct {
	code   int
	stdout string
	stderr string
}

// start runs the program once, without an API server to talk to.
func start(t *testing.T, args ...string) ending {
	t.Helper()
	return startIn(t, nil, args...)
}

// startIn runs it with additional variables in its environment.
func startIn(t *testing.T, env []string, args ...string) ending {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	var stdout, stderr bytes.Buffer
	program := exec.CommandContext(t.Context(), self, args...)
	program.Env, program.Dir, program.Stderr = append(env, asMain+"=1"), t.TempDir(), &stderr
	program.Stdout = &stdout
	err = program.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return ending{program.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

func requireFatal(t *testing.T, got ending, want string) {
	t.Helper()
	line := strings.TrimSuffix(got.stderr, "\n")
	if got.code != 1 || strings.Contains(line, "\n") || !strings.Contains(line, want) {
		t.Errorf("exit code %d, %q", got.code, got.stderr)
	}
}

// `frameworkcontroller version` describes the build in one line, and --version prints the version alone, for scripts.
func TestVersion(t *testing.T) {
	if ended := start(t, "version"); ended.code != 0 || ended.stdout != version.Line("frameworkcontroller")+"\n" {
		t.Errorf("exit code %d, %q", ended.code, ended.stdout)
	}
	if ended := start(t, "--version"); ended.code != 0 || ended.stdout != version.Number()+"\n" {
		t.Errorf("exit code %d, %q", ended.code, ended.stdout)
	}
}

package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMistakes(t *testing.T) {
	const plugin = "plugins:\n- name: a\n  kind: SchedulerHints\n  command: a"
	const zero = "; the default is "
	tests := []struct{ name, text, want string }{
		{"workers", "workerNumber: 0", "line 1: workerNumber: must be from 1 to 10000, but is 0" + zero + "200"},
		{"workers without end", "workerNumber: 1000000000", "line 1: workerNumber: must be from 1 to 10000, but is 1000000000" + zero + "200"},
		{"interval", "crdEstablishedCheckIntervalSec: 0", "line 1: crdEstablishedCheckIntervalSec: must be at least 1, but is 0" + zero + "1"},
		{"timeout", "crdEstablishedCheckTimeoutSec: 9", "line 1: crdEstablishedCheckTimeoutSec: must be at least 10, but is 9" + zero + "60"},
		{"cache", "objectLocalCacheCreationTimeoutSec: 59", "line 1: objectLocalCacheCreationTimeoutSec: must be at least 60, but is 59" + zero + "300"},
		{"retention", "frameworkCompletedRetainSec: -1", "line 1: frameworkCompletedRetainSec: must be at least 0, but is -1" + zero + "2592000"},
		{"delay", "frameworkMinRetryDelaySecForTransientConflictFailed: -1",
			"line 1: frameworkMinRetryDelaySecForTransientConflictFailed: must be at least 0, but is -1" + zero + "60"},
		{"delays", "frameworkMinRetryDelaySecForTransientConflictFailed: 901",
			"frameworkMaxRetryDelaySecForTransientConflictFailed: must be at least frameworkMinRetryDelaySecForTransientConflictFailed, " +
				"which is 901, but is 900" + zero + "900"},
		{"qps", "kubeClientQps: 0", "line 1: kubeClientQps: must be above 0 and at most 10000, but is 0" + zero +
			"no limit if kubeClientQps and kubeClientBurst are both left out"},
		{"qps above", "kubeClientQps: 10001", "line 1: kubeClientQps: must be above 0 and at most 10000, but is 10001"},
		{"qps nan", "kubeClientQps: .nan", "line 1: kubeClientQps: must be above 0 and at most 10000, but is NaN"},
		{"burst", "kubeClientBurst: 10001", "line 1: kubeClientBurst: must be from 0 to 10000, but is 10001"},
		{"burst below", "kubeClientBurst: -1", "line 1: kubeClientBurst: must be from 0 to 10000, but is -1"},

		{"rule", "\npodFailureSpec:\n- code: 5\n  podPatterns:\n  - {}\n  - reasonRegex: 'a('\n",
			"line 6: podFailureSpec[0].podPatterns[1].reasonRegex: error parsing regexp: missing closing ): `a(`"},
		{"rule without code", "podFailureSpec:\n- {code: 5, podPatterns: [{}]}\n- podPatterns: [{}]", "line 3: podFailureSpec[1].code: is missing"},
		{"long remedy", "podFailureSpec:\n- code: 5\n  remedy: " + strings.Repeat("a", 1025) + "\n  podPatterns: [{}]\n",
			"line 3: podFailureSpec[0].remedy: has 1025 bytes, but at most 1024 are allowed"},
		{"null rule", "podFailureSpec:\n- code: 5\n  podPatterns: [{}]\n-\n", "line 4: podFailureSpec[1]: is empty: remove it"},
		{"several", "workerNumber: 0\npodFailureSpec: [{code: 0}]\n", "line 1: workerNumber: must be from 1 to 10000, but is 0" + zero +
			"200; line 2: podFailureSpec[0].code: 0 is reserved: use a number from 1 to 199, from 220, or up to -1000; " +
			"line 2: podFailureSpec[0].podPatterns: needs at least one pattern"},

		{"unknown key", "workerNumber: 1\nworkernumber: 2", "line 2: workernumber: no such key: correct or remove it"},
		{"unknown inner key", "podFailureSpec:\n- code: 5\n  podPattern: []", "line 3: podFailureSpec[0].podPattern: no such key"},
		{"duplicate key", "workerNumber: 1\nworkerNumber: 2", "line 2: workerNumber: is already set in line 1: remove one of them"},
		{"text for a number", "workerNumber: many", `line 1: workerNumber: must be a whole number, but is "many"`},
		{"long text for a number", "workerNumber: a long text that is cut", `line 1: workerNumber: must be a whole number, but is "a long `},
		{"fraction for a whole number", "workerNumber: 1.5", `line 1: workerNumber: must be a whole number, but is "1.5"`},
		{"fraction for a code", "podFailureSpec:\n- code: 5.5\n  podPatterns: [{}]", `line 2: podFailureSpec[0].code: must be a whole number, but is "5.5"`},
		{"fraction for seconds", "frameworkCompletedRetainSec: 0.5", `line 1: frameworkCompletedRetainSec: must be a whole number, but is "0.5"`},
		{"text for a fraction", "kubeClientQps: fast", `line 1: kubeClientQps: must be a number, but is "fast"`},
		{"number for a switch", "largeFrameworkCompression: 1", `line 1: largeFrameworkCompression: must be true or false, but is "1"`},
		{"list for a text", "kubeConfigFilePath: [a]", `line 1: kubeConfigFilePath: must be text, but is a list`},
		{"mapping for a list", "podFailureSpec: {code: 5}", "line 1: podFailureSpec: must be a list, but is a mapping"},
		{"text for a mapping", "podFailureSpec:\n- code: 5\n  type: Failed", `line 3: podFailureSpec[0].type: must be a mapping of keys to values, but is "Failed"`},
		{"too big for a code", "podFailureSpec: [{code: 3000000000}]", `line 1: podFailureSpec[0].code: must be a whole number of 32 bits, but is "3000000000"`},
		{"mapping for a type name", "podFailureSpec:\n- type: {name: {}}", "line 2: podFailureSpec[0].type.name: must be text, but is a mapping"},
		{"list for the file", "- a", "line 1: must be a mapping of keys to values, but is a list"},
		{"text for the file", "hello", `line 1: must be a mapping of keys to values, but is "hello"`},
		{"several of the decoder", "a: 1\nb: 2", "line 1: a: no such key: correct or remove it; line 2: b: no such key"},
		{"of the decoder and of ours", "workerNumbr: 3\nkubeClientQps: 0", "line 1: workerNumbr: no such key: correct or remove it; line 2: kubeClientQps: must be above 0"},
		{"a fraction and an empty range", "workerNumber: 1.5\ncrdEstablishedCheckTimeoutSec: 9",
			`line 1: workerNumber: must be a whole number, but is "1.5"; line 2: crdEstablishedCheckTimeoutSec: must be at least 10`},
		{"plugin without anything", "plugins:\n- {}", "line 2: plugins[0].name: is missing; line 2: plugins[0].kind: must be FailureClassifier, " +
			"CompletionPolicy, SchedulerHints or HistorySink, but is \"\"; line 2: plugins[0].command: is missing"},
		{"unknown key of a plugin", plugin + "\n  sha265: x", "line 5: plugins[0].sha265: no such key"},
		{"null plugin", "plugins:\n-\n- {name: a}", "line 2: plugins[0]: is empty: remove it"},
		{"mapping for plugins", "plugins: {name: a}", "line 1: plugins: must be a list, but is a mapping"},
		{"text for a plugin", "plugins: [a]", `line 1: plugins[0]: must be a mapping of keys to values, but is "a"`},
		{"plugin twice", plugin + "\n- name: a\n  kind: SchedulerHints\n  command: b", `line 5: plugins[1].name: "a" is already the name of plugins[0]`},
		{"kind", "plugins: [{name: a, kind: Classifier, command: a}]", `line 1: plugins[0].kind: must be FailureClassifier, CompletionPolicy, SchedulerHints or HistorySink, but is "Classifier"`},
		{"command", "plugins: [{name: a, kind: SchedulerHints, command: ./a}]", "line 1: plugins[0].command: must be the bare name of a file"},
		{"text for args", plugin + "\n  args: -v", `line 5: plugins[0].args: must be a list, but is "-v"`},
		{"text for frameworkParameters", plugin + "\n  frameworkParameters: queue", `line 5: plugins[0].frameworkParameters: must be a list, but is "queue"`},
		{"list for env", plugin + "\n  env: [A=b]", `line 5: plugins[0].env: must be a mapping of keys to values, but is a list`},
		{"env of the controller", plugin + "\n  env: {PLUGIN_CLIENT_CERT: b}", `line 5: plugins[0].env: PLUGIN_CLIENT_CERT is set by the controller`},
		{"file", plugin + "\n  files: {a.js: ''}", `line 5: plugins[0].files: must name absolute paths, but has "a.js"`},
		{"checksum", plugin + "\n  sha256: abc", `line 5: plugins[0].sha256: must be 64 hexadecimal digits, but is "abc"`},
		{"timeout without unit", plugin + "\n  timeout: 0.5", `line 5: plugins[0].timeout: must be a duration such as 500ms or 5s, or a whole number of seconds, but is "0.5"`},
		{"timeout as text", plugin + "\n  timeout: soon", `line 5: plugins[0].timeout: must be a duration such as 500ms or 5s, or a whole number of seconds, but is "soon"`},
		{"timeout as list", plugin + "\n  timeout: [1]", `line 5: plugins[0].timeout: must be a duration such as 500ms or 5s, or a whole number of seconds, but is a list`},
		{"timeout of nothing", plugin + "\n  timeout: 0", "line 5: plugins[0].timeout: must be above 0" + zero + "5s"},
		{"timeout too long", plugin + "\n  timeout: 1000000000000", "line 5: plugins[0].timeout: must be from 10ms to 5m0s, but is "},
		{"timeout below 0", plugin + "\n  timeout: -1s", "line 5: plugins[0].timeout: must be from 10ms to 5m0s, but is -1s"},
		{"memory limit as text", plugin + "\n  memoryLimit: much", `line 5: plugins[0].memoryLimit: must be a number of bytes, such as 512Mi or 2Gi, but is "much"`},
		{"memory limit in another form", plugin + "\n  memoryLimit: 512MB", `line 5: plugins[0].memoryLimit: must be a number of bytes, such as 512Mi or 2Gi, but is "512MB"`},
		{"memory limit of half a byte", plugin + "\n  memoryLimit: 0.5", `line 5: plugins[0].memoryLimit: must be a number of bytes, such as 512Mi or 2Gi, but is "0.5"`},
		{"memory limit beyond numbers", plugin + "\n  memoryLimit: 1e30", `line 5: plugins[0].memoryLimit: must be a number of bytes, such as 512Mi or 2Gi, but is "1e30"`},
		{"memory limit as list", plugin + "\n  memoryLimit: [1Gi]", `line 5: plugins[0].memoryLimit: must be a number of bytes, such as 512Mi or 2Gi, but is a list`},
		{"memory limit without unit", plugin + "\n  memoryLimit: 512", "line 5: plugins[0].memoryLimit: must be at least 16Mi, but is 512" + zero + "1Gi"},
		{"memory limit below 0", plugin + "\n  memoryLimit: -1Gi", "line 5: plugins[0].memoryLimit: must be at least 16Mi, but is -1Gi" + zero + "1Gi"},
		{"memory limit of nothing", plugin + "\n  memoryLimit: 0", "line 5: plugins[0].memoryLimit: must be above 0" + zero + "1Gi"},
		{"failure policy", plugin + "\n  failurePolicy: Ignore", `line 5: plugins[0].failurePolicy: must be Wait or Fallback for kind SchedulerHints, but is "Ignore"`},
		{"failure policy of a sink", "plugins:\n- name: a\n  kind: HistorySink\n  command: a\n  failurePolicy: Fallback",
			`line 5: plugins[0].failurePolicy: must be Wait or Drop for kind HistorySink, but is "Fallback"`},
		{"parameters", plugin + "\n  parameters: x", `line 5: plugins[0].parameters: must be a mapping of keys to values, but is "x"`},
		{"number that JSON cannot say", plugin + "\n  parameters: {a: [.inf]}", `line 5: plugins[0].parameters.a[0]: must be a number that JSON can express with at most 53 bits, or text in quotes, but is ".inf"`},
		{"number that would be rounded", plugin + "\n  parameters: {a: 9007199254740993}", `line 5: plugins[0].parameters.a: must be a number that`},
		{"parameter twice", plugin + "\n  parameters:\n    1: a\n    '1': b", `line 7: plugins[0].parameters.1: is already set in line 6: remove one of them`},
		{"second plugin", plugin + "\n- name: b\n  kind: SchedulerHints\n  command: b\n  timeout: 1h", `line 8: plugins[1].timeout: must be from 10ms to 5m0s, but is 1h0m0s`},
		{"unknown alias", "workerNumber: *n", "unknown anchor 'n' referenced"},

		{"bad syntax", "workerNumber: 1\n  x: [", "line 2: mapping values are not allowed in this context"},
		{"tab", "logObjectSnapshot:\n\tpod: {}\n", "found character that cannot start any token (line 2 begins with a tab, but YAML needs spaces)"},
		{"two documents", "workerNumber: 1\n---\nworkerNumber: 2", "a second YAML document, but only one is read: remove it"},
		{"a mapping as a key", "? {a: b}\n: c", "line 1: a mapping or a list cannot be a key: put it in quotes if it is text"},
		{"a list as a key", "podFailureSpec:\n- code: 5\n  {{ x }}: 1", "line 3: podFailureSpec[0]: a mapping or a list cannot be a key: put it in quotes if it is text"},
		{"a mapping as a key beside merged ones", "plugins:\n- parameters: {<<: {x: 1}, {y: 2}: 3}", "line 2: plugins[0].parameters: a mapping or a list cannot be a key: put it in quotes if it is text"},
		{"a mapping as a key by its alias", "plugins:\n- parameters: &p {x: 1}\n- parameters: {<<: *p, *p : 2}", "line 3: plugins[1].parameters: a mapping or a list cannot be a key: put it in quotes if it is text"},
		{"empty", " \n\t\n", "is empty: write {} to run with the defaults"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Parse([]byte(tt.text))
			if err == nil || c != nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("\n got %v\nwant %s", err, tt.want)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than one line: %q", err)
			}
		})
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "good.yaml"), filepath.Join(dir, "bad.yaml")
	write(t, good, "workerNumber: 3")
	write(t, bad, "workerNumber: 0")
	if c, err := Load(good); err != nil || c.WorkerNumber != 3 {
		t.Errorf("got %v, %v", c, err)
	}
	tests := map[string]string{
		bad:                          "configuration " + bad + ": line 1: workerNumber: must be from 1 to 10000",
		dir:                          "configuration " + dir + ": is a directory: name the file in it",
		filepath.Join(dir, "absent"): "absent: does not exist: put the file there, or name another one with --config",
		filepath.Join(good, "below"): "below: ",
	}
	for path, want := range tests {
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", path, err)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

// Mistakes that may only follow from another one are not reported.
func TestMistakesThatFollow(t *testing.T) {
	tests := map[string]string{
		"frameworkMinRetryDelaySecForTransientConflictFailed: few\nframeworkMaxRetryDelaySecForTransientConflictFailed: 5": `line 1: ` +
			`frameworkMinRetryDelaySecForTransientConflictFailed: must be a whole number, but is "few"`,
		"podFailureSpec:\n- 5\n- {code: 5}": `line 2: podFailureSpec[0]: must be a mapping of keys to values, but is "5"`,
	}
	for text, want := range tests {
		if _, err := Parse([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%s\n got %v\nwant %s", text, err, want)
		}
	}
}

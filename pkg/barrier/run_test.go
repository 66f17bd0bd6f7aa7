package barrier

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// start runs a barrier from its environment, and returns its exit code, its folder and its log. The termination log
// is in the folder too.
func start(t *testing.T, set map[string]string) (code int, dir, log string) {
	t.Helper()
	dir = t.TempDir()
	words := filepath.Join(dir, "termination-log")
	require.NoError(t, os.WriteFile(words, []byte("old"), 0o644))
	text := &logText{}
	code = Run(t.Context(), Options{Getenv: environment(set), Dir: dir, Version: "test", Stderr: text, TerminationLog: words})
	return code, dir, text.String()
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return string(text)
}

var fileModes = map[string]os.FileMode{
	"framework.json": 0o644, "peers.json": 0o644, "hosts": 0o644, "hostfile": 0o644, "injector.sh": 0o755,
}

func TestRunPasses(t *testing.T) {
	a := newAPI(t)
	a.set(ready, true)
	code, dir, log := start(t, map[string]string{"KUBE_APISERVER_ADDRESS": a.server.URL, "FC_FRAMEWORK_UID": "uid-train",
		"FC_FRAMEWORK_ATTEMPT_INSTANCE_UID": "0_cm"})
	if code != 0 {
		t.Fatalf("ended with %d\n%s", code, log)
	}
	requireKinds(t, a, "look", "watch", "ADDED")
	entries, _ := os.ReadDir(dir)
	if len(entries) != len(fileModes)+1 {
		t.Errorf("there are %v", entries)
	}
	for name, mode := range fileModes {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode() != mode {
			t.Errorf("%s: %v %v, want %v", name, info, err, mode)
		}
	}
	if got := read(t, dir, "termination-log"); got != "old" {
		t.Errorf("last words are %q", got)
	}
}

func TestRunFails(t *testing.T) {
	a := newAPI(t)
	empty := t.TempDir()
	garbage := filepath.Join(empty, "garbage")
	os.WriteFile(garbage, []byte("clusters: {"), 0o644)
	badCA := filepath.Join(empty, "badca")
	os.WriteFile(badCA, []byte(`{"apiVersion": "v1", "kind": "Config", "current-context": "c", "contexts": [{"name": "c", "context": {"cluster": "c"}}],
		"clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1", "certificate-authority-data": "bm8="}}]}`), 0o644)
	for name, c := range map[string]struct {
		set  map[string]string
		want int
		says string
	}{
		"invalid setting":         {map[string]string{"BARRIER_CHECK_TIMEOUT_SEC": "1"}, 210, "BARRIER_CHECK_TIMEOUT_SEC"},
		"no such Framework":       {map[string]string{"KUBE_APISERVER_ADDRESS": a.server.URL}, 210, "default/train"},
		"no API server":           {map[string]string{"HOME": empty}, 1, "KUBECONFIG"},
		"KUBECONFIG is not there": {map[string]string{"KUBECONFIG": filepath.Join(empty, "nothing")}, 1, "nothing"},
		"KUBECONFIG is garbage":   {map[string]string{"KUBECONFIG": garbage}, 1, "garbage"},
		"no client can be made":   {map[string]string{"KUBECONFIG": badCA}, 2, "client"},
		"the address is none":     {map[string]string{"KUBE_APISERVER_ADDRESS": "http://a b"}, 2, "client"},
	} {
		t.Run(name, func(t *testing.T) {
			code, dir, log := start(t, c.set)
			if code != c.want || !strings.Contains(log, c.says) {
				t.Errorf("ended with %d, want %d and %q:\n%s", code, c.want, c.says, log)
			}
			if words := read(t, dir, "termination-log"); !strings.Contains(words, c.says) {
				t.Errorf("last words are %q", words)
			}
			if _, err := os.Stat(filepath.Join(dir, "injector.sh")); err == nil {
				t.Error("leaves files behind")
			}
		})
	}
}

// Files that cannot be written are a failure, and no incomplete file is left.
func TestRunCannotWrite(t *testing.T) {
	a := newAPI(t)
	a.set(ready, true)
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "injector.sh"), 0o755))
	log := &logText{}
	code := Run(t.Context(), Options{Dir: dir, Stderr: log, Getenv: environment(map[string]string{"KUBE_APISERVER_ADDRESS": a.server.URL})})
	if code != 1 || !strings.Contains(log.String(), "injector.sh") {
		t.Errorf("ended with %d\n%s", code, log)
	}
	leftovers, _ := filepath.Glob(filepath.Join(dir, ".*"))
	if len(leftovers) > 0 {
		t.Errorf("leaves %v", leftovers)
	}
	code = Run(t.Context(), Options{Dir: filepath.Join(dir, "nowhere"), Stderr: log,
		Getenv: environment(map[string]string{"KUBE_APISERVER_ADDRESS": a.server.URL})})
	if code != 1 {
		t.Errorf("without a folder it ended with %d", code)
	}
}

// KUBECONFIG comes first, then the file in the home folder, and the address takes precedence over both.
func TestConnect(t *testing.T) {
	home := t.TempDir()
	write := func(path, server string) string {
		os.MkdirAll(filepath.Dir(path), 0o755)
		text, _ := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "Config", "current-context": "c",
			"contexts": []any{map[string]any{"name": "c", "context": map[string]any{"cluster": "c"}}},
			"clusters": []any{map[string]any{"name": "c", "cluster": map[string]any{"server": server}}}})
		require.NoError(t, os.WriteFile(path, text, 0o644))
		return path
	}
	write(filepath.Join(home, ".kube", "config"), "https://home:1")
	named := write(filepath.Join(home, "named"), "https://named:1")
	for want, set := range map[string]map[string]string{
		"home:1":    {"HOME": home},
		"named:1":   {"HOME": home, "KUBECONFIG": named},
		"address:1": {"HOME": home, "KUBECONFIG": named, "KUBE_APISERVER_ADDRESS": "https://address:1"},
		"alone:1":   {"KUBE_APISERVER_ADDRESS": "http://alone:1"},
	} {
		c, err := connect(environment(set), settings(), "test")
		require.NoError(t, err)
		if c.collection.Host != want || c.collection.Path != frameworksPath {
			t.Errorf("connects to %s, want %s", c.collection, want)
		}
	}
	if _, err := connect(environment(map[string]string{"HOME": home, "KUBECONFIG": home + "/none"}), settings(), "test"); err == nil {
		t.Error("a KUBECONFIG that is not there is passed over")
	}
}

package barrier

import (
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFiles(t *testing.T) {
	old := syscall.Umask(0o077) // has no effect on the files
	defer syscall.Umask(old)
	dir := t.TempDir()
	f := parse(t, sample([]string{"10.0.0.1"}, []string{"10.0.0.2", "fd00::3"}))
	for range 2 { // existing files are replaced
		require.NoError(t, writeFiles(dir, f))
	}
	for name, want := range map[string]string{
		"hosts":    "10.0.0.2\ttrain-worker-0\nfd00::3\ttrain-worker-1\n10.0.0.1\ttrain-server-0\n",
		"hostfile": "10.0.0.2 slots=1\nfd00::3 slots=1\n10.0.0.1 slots=1\n",
		"peers.json": `{"namespace":"default","framework":"train","frameworkAttemptInstanceUID":"0_cm","taskRoles":[` +
			`{"name":"worker","tasks":[{"index":0,"ip":"10.0.0.2","pod":"train-worker-0","node":"node-1"},` +
			`{"index":1,"ip":"fd00::3","pod":"train-worker-1","node":"node-1"}]},` +
			`{"name":"server","tasks":[{"index":0,"ip":"10.0.0.1","pod":"train-server-0","node":"node-1"}]}]}` + "\n",
	} {
		if got := read(t, dir, name); got != want {
			t.Errorf("%s is\n%s\nwant\n%s", name, got, want)
		}
	}
	if got := read(t, dir, "framework.json"); !strings.Contains(got, `"podIP":"fd00::3"`) {
		t.Errorf("framework.json is %s", got)
	}
}

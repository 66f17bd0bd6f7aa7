package barrier

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

func TestInjector(t *testing.T) {
	got := string(parse(t, sampleOf(1, 2, []string{"10.0.0.1", "10.0.0.9"}, []string{"10.0.0.2", "fd00::3"})).injector())
	want := `#!/bin/bash

echo 'frameworkbarrier: addresses of train'
export FB_WORKER_IPS='10.0.0.2,fd00::3'
`
	want = strings.ReplaceAll(want, "'10.0.0.2,fd00::3'", "10.0.0.2,fd00::3")
	want += `echo "FB_WORKER_IPS=${FB_WORKER_IPS}"
export FB_SERVER_IPS=10.0.0.1
echo "FB_SERVER_IPS=${FB_SERVER_IPS}"
fb_port=${FB_WORKER_PORT-}
case $fb_port in '' | *://*) fb_port=${FB_PORT-} ;; esac
case $fb_port in *://*) fb_port= ;; esac
export FB_WORKER_ADDRESSES="10.0.0.2:${fb_port},[fd00::3]:${fb_port}"
echo "FB_WORKER_ADDRESSES=${FB_WORKER_ADDRESSES}"
fb_port=${FB_SERVER_PORT-}
case $fb_port in '' | *://*) fb_port=${FB_PORT-} ;; esac
case $fb_port in *://*) fb_port= ;; esac
export FB_SERVER_ADDRESSES="10.0.0.1:${fb_port}"
echo "FB_SERVER_ADDRESSES=${FB_SERVER_ADDRESSES}"
echo 'frameworkbarrier: end of addresses'
`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestInjectorWithoutStatus(t *testing.T) {
	for _, f := range []*framework{parse(t, sampleWith(0, 0, nil)), parse(t, `{"metadata":{},"spec":{}}`)} {
		if got := string(f.injector()); got != "#!/bin/bash\n" {
			t.Errorf("got %q", got)
		}
	}
}

// shells returns the shells on this machine. Images of applications have various ones.
func shells(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, command := range [][]string{{"sh"}, {"dash"}, {"bash"}, {"bash", "--posix"}, {"busybox", "sh"}} {
		name := strings.Join(command, " ")
		if _, err := exec.LookPath(command[0]); err != nil {
			t.Logf("%s is not tried: %v", name, err)
			continue
		}
		out[name] = command
	}
	return out
}

// source runs a script beside the injector, and returns its output.
func source(t *testing.T, shell []string, injector []byte, script string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "injector.sh"), injector, 0o755))
	cmd := exec.Command(shell[0], append(shell[1:], "-c", script)...)
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", shell, err, out)
	}
	return string(out)
}

// Every shell gets the same addresses from it, again with other ports, and under the strictest options.
func TestInjectorIsSourced(t *testing.T) {
	f := parse(t, sample([]string{"10.0.0.1"}, []string{"10.0.0.2", "fd00::3"}))
	const show = `; echo "=$FB_WORKER_IPS $FB_WORKER_ADDRESSES $FB_SERVER_ADDRESSES"; `
	const worker = "=10.0.0.2,fd00::3 10.0.0.2:"
	for name, shell := range shells(t) {
		for title, c := range map[string]struct{ script, want string }{
			"as the original": {
				"FB_WORKER_PORT=1 FB_SERVER_PORT=2 . ./injector.sh >/dev/null" + show +
					"FB_WORKER_PORT=3 FB_SERVER_PORT=4 . ./injector.sh >/dev/null" + show,
				worker + "1,[fd00::3]:1 10.0.0.1:2\n" + worker + "3,[fd00::3]:3 10.0.0.1:4\n"},
			"one port for all": {
				"FB_PORT=1 . ./injector.sh >/dev/null" + show + "FB_PORT=2 . ./injector.sh >/dev/null" + show,
				worker + "1,[fd00::3]:1 10.0.0.1:1\n" + worker + "2,[fd00::3]:2 10.0.0.1:2\n"},
			"one of its own": {
				"export FB_PORT=1; FB_SERVER_PORT=2; . ./injector.sh >/dev/null" + show, worker + "1,[fd00::3]:1 10.0.0.1:2\n"},
			"no ports, strict": {
				"set -eu; . ./injector.sh >/dev/null" + show + `echo "${FB_WORKER_PORT-unset}"`,
				worker + ",[fd00::3]: 10.0.0.1:\nunset\n"},
			"exported": {
				"FB_PORT=1 . ./injector.sh >/dev/null; printenv FB_SERVER_IPS FB_SERVER_ADDRESSES", "10.0.0.1\n10.0.0.1:1\n"},
			"odd port": {
				"FB_SERVER_PORT='1 * 2' . ./injector.sh >/dev/null; printenv FB_SERVER_ADDRESSES", "10.0.0.1:1 * 2\n"},
			"a Service named fb-worker": {
				"export FB_WORKER_PORT=tcp://10.0.0.9:80 FB_WORKER_PORT_80_TCP=tcp://10.0.0.9:80; " +
					"FB_PORT=1 . ./injector.sh >/dev/null" + show + "FB_PORT=3 FB_WORKER_PORT=2 . ./injector.sh >/dev/null" + show +
					"printenv FB_WORKER_PORT_80_TCP",
				worker + "1,[fd00::3]:1 10.0.0.1:1\n" + worker + "2,[fd00::3]:2 10.0.0.1:3\ntcp://10.0.0.9:80\n"},
			"a Service named fb": {
				"export FB_PORT=udp://[fd00::9]:53; FB_SERVER_PORT=2; . ./injector.sh >/dev/null" + show + `echo "$FB_PORT"`,
				worker + ",[fd00::3]: 10.0.0.1:2\nudp://[fd00::9]:53\n"},
			"a Service's variable is left as it is": {
				"export FB_WORKER_PORT=tcp://10.0.0.9:80; set -eu; . ./injector.sh >/dev/null; printenv FB_WORKER_PORT",
				"tcp://10.0.0.9:80\n"},
			"told": {
				"FB_PORT=1 . ./injector.sh | grep ^FB_SERVER", "FB_SERVER_IPS=10.0.0.1\nFB_SERVER_ADDRESSES=10.0.0.1:1\n"},
		} {
			t.Run(name+"/"+title, func(t *testing.T) {
				if got := source(t, shell, f.injector(), c.script); got != c.want {
					t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
				}
			})
		}
	}
}

// A value that no environment takes is still there for the shell, and programs can be started.
func TestInjectorOfManyTasks(t *testing.T) {
	many := &framework{name: "train", status: []byte("{}"), roles: []role{{name: "worker"}}}
	require.NoError(t, json.Unmarshal([]byte(`{"taskRoles": [{"name": "worker", "taskNumber": 10000}]}`), &many.spec))
	for i := range 10000 {
		many.roles[0].tasks = append(many.roles[0].tasks, task{ip: fmt.Sprintf("10.100.%d.%d", 100+i/250, 100+i%150)})
	}
	script := `FB_WORKER_PORT=65535 . ./injector.sh >/dev/null; env >/dev/null && echo "${#FB_WORKER_IPS} ${#FB_WORKER_ADDRESSES}"`
	want := fmt.Sprintf("%d %d\n", 10000*len("10.100.100.100,")-1, 10000*len("10.100.100.100:65535,")-1)
	for name, shell := range shells(t) {
		if got := source(t, shell, many.injector(), script); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// FuzzInjector: whatever the names and addresses, sourcing defines exactly these values, and does nothing else.
func FuzzInjector(f *testing.F) {
	for _, seed := range [][3]string{
		{"worker", "10.0.0.1", "80"}, {"worker", "'; touch pwned; '", "80"}, {"worker", "$(touch pwned)`touch pwned`\"", "\""},
		{"a-b; touch pwned", "10.0.0.1", "1"}, {"worker\ntouch pwned", "x\ny", "$(touch pwned)"},
		{"w", "\\", "\\"}, {"0", "*", "*"},
		{"path", "[::1]", ""}, {"w", "::1", ";"}, {"w", "1", "tcp://10.0.0.9:80"}, {"w", "1", ")://*"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, name, ip, port string) {
		if strings.ContainsRune(name+ip+port, 0) {
			t.Skip("no variable can hold a zero byte")
		}
		fw := &framework{name: name, status: []byte("{}"), roles: []role{{name: name, tasks: []task{{ip: ip}, {ip: ip}}}}}
		spec, _ := json.Marshal(map[string]any{"taskRoles": []any{map[string]any{"name": "", "taskNumber": 2}}})
		require.NoError(t, json.Unmarshal(spec, &fw.spec))
		fw.spec.TaskRoles[0].Name = name
		dir := t.TempDir()
		os.WriteFile(filepath.Join(dir, "injector.sh"), fw.injector(), 0o755)
		for _, shell := range []string{"sh", "bash"} {
			if _, err := exec.LookPath(shell); err != nil {
				continue
			}
			cmd := exec.Command(shell, "-euc", `. ./injector.sh >/dev/null; exec env -0`)
			cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "FB_PORT=" + port}
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, fw.injector())
			}
			want := map[string]string{"PATH": os.Getenv("PATH"), "FB_PORT": port}
			if prefix, ok := variablePrefix(name); ok {
				host := addressHost(ip)
				want[prefix+"_IPS"] = ip + "," + ip
				taken := port
				if strings.Contains(port, "://") {
					taken = "" // a Service's variable
				}
				want[prefix+"_ADDRESSES"] = host + ":" + taken + "," + host + ":" + taken
			}
			requireEnvironment(t, out, want, fw.injector())
			if entries, _ := os.ReadDir(dir); len(entries) != 1 {
				t.Fatalf("something else was done: %v\n%s", entries, fw.injector())
			}
		}
	})
}

func requireEnvironment(t *testing.T, got []byte, want map[string]string, script []byte) {
	t.Helper()
	for entry := range bytes.SplitSeq(bytes.TrimSuffix(got, []byte{0}), []byte{0}) {
		name, value, _ := strings.Cut(string(entry), "=")
		switch name {
		case "PWD", "OLDPWD", "SHLVL", "_": // the shell's own
			continue
		}
		if wanted, ok := want[name]; !ok || wanted != value {
			t.Fatalf("%s is %q, want %q\n%s", name, value, wanted, script)
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Fatalf("missing: %q\n%s", want, script)
	}
}

// The manual shows what a container prints when it reads the addresses of the Framework on the page.
func TestPageShowsWhatTheInjectorPrints(t *testing.T) {
	text, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"name": "gang"},
		"spec":     map[string]any{"taskRoles": []any{map[string]any{"name": "worker", "taskNumber": 2}}},
		"status":   map[string]any{"attemptStatus": map[string]any{"taskRoleStatuses": []any{roleStatus("worker", []string{"10.0.1.5", "10.0.2.7"})}}},
	})
	require.NoError(t, err)
	f := parse(t, string(text))
	blocks := page.Blocks(page.Read(t, "../../docs/tasks/start-tasks-together.md"), "console")
	require.Len(t, blocks, 1)
	command, want, _ := strings.Cut(strings.TrimPrefix(blocks[0].Text, "$ "), "\n")
	got := source(t, []string{"sh"}, f.injector(), strings.ReplaceAll(command, "/mnt/frameworkbarrier/", "./"))
	require.Equal(t, want, got)
}

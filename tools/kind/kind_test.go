package kind

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// standIn records its calls. It fails, or prints something, if the environment asks for that.
const standIn = `#!/bin/sh
echo "$(basename "$0") $*" >>"$CALLS"
if [ "$FAILS" = "$(basename "$0") $1" ]; then exit 7; fi
if [ "$(basename "$0") $*" = "kind get clusters" ]; then printf '%s\n' "$CLUSTERS"; fi
`

// run runs kind.sh in a copy of a checkout, with only these programs on the PATH, beside the system programs that it uses.
func run(t *testing.T, command, programs string, env ...string) (calls []string, output string, err error) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "path")
	script := filepath.Join(dir, "tools", "kind", "kind.sh")
	require.NoError(t, os.MkdirAll(filepath.Dir(script), 0o755))
	require.NoError(t, os.MkdirAll(path, 0o755))
	text, err := os.ReadFile("kind.sh")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(script, text, 0o755))
	for _, name := range []string{"sh", "awk", "basename", "cat", "dirname", "mkdir", "rm", "uname"} {
		found, err := exec.LookPath(name)
		require.NoError(t, err)
		require.NoError(t, os.Symlink(found, filepath.Join(path, name)))
	}
	for _, name := range strings.Fields(programs) {
		require.NoError(t, os.WriteFile(filepath.Join(path, name), []byte(standIn), 0o755))
	}
	log := filepath.Join(dir, "calls")
	cmd := exec.Command(filepath.Join(path, "sh"), script, command)
	cmd.Env = append([]string{"PATH=" + path, "CALLS=" + log, "CLUSTERS=other", "FAILS="}, env...)
	out, err := cmd.CombinedOutput()
	told, _ := os.ReadFile(log)
	for line := range strings.Lines(string(told)) {
		calls = append(calls, strings.ReplaceAll(strings.TrimSpace(line), dir, "DIR"))
	}
	return calls, string(out), err
}

func up(engine, arch string) []string {
	return []string{
		engine + " info",
		"kind get clusters",
		"make images VERSION=dev ARCH=" + arch,
		"kind create cluster --name frameworkcontroller --kubeconfig DIR/bin/kind/kubeconfig --wait 5m",
		"kind load image-archive bin/images/frameworkcontroller-" + arch + ".tar --name frameworkcontroller",
		"kind load image-archive bin/images/frameworkbarrier-" + arch + ".tar --name frameworkcontroller",
		"kind load image-archive bin/images/frameworkhistory-" + arch + ".tar --name frameworkcontroller",
		"helm install frameworkcontroller deploy/chart --kubeconfig DIR/bin/kind/kubeconfig --namespace frameworkcontroller --create-namespace " +
			"--set image.tag=dev --set history.image.tag=dev --set replicaCount=1 --set barrier.namespaces={default} --wait --timeout 5m",
	}
}

// The programs are called in this order, and none after a failure.
func TestUp(t *testing.T) {
	arch := runtime.GOARCH
	for name, c := range map[string]struct {
		programs string
		env      []string
		calls    []string
		says     string
		fails    bool
	}{
		"docker":          {programs: "docker kind helm make", calls: up("docker", arch), says: "make kind-down removes the cluster"},
		"podman":          {programs: "podman kind helm make", calls: up("podman", arch)},
		"docker first":    {programs: "docker podman kind helm make", calls: up("docker", arch)},
		"chosen":          {programs: "docker podman kind helm make", env: []string{"KIND_EXPERIMENTAL_PROVIDER=podman"}, calls: up("podman", arch)},
		"no kind":         {programs: "docker helm make", fails: true, says: "there is no kind on the PATH"},
		"no containers":   {programs: "kind helm make", fails: true, says: "neither docker nor podman"},
		"no helm":         {programs: "docker kind make", calls: up("docker", arch)[:1], fails: true, says: "there is no helm on the PATH"},
		"silent engine":   {programs: "docker kind helm make", env: []string{"FAILS=docker info"}, calls: up("docker", arch)[:1], fails: true, says: "docker does not answer"},
		"exists":          {programs: "docker kind helm make", env: []string{"CLUSTERS=other\nframeworkcontroller"}, calls: up("docker", arch)[:2], fails: true, says: "exists already: make kind-down removes it"},
		"similar name":    {programs: "docker kind helm make", env: []string{"CLUSTERS=frameworkcontroller2"}, calls: up("docker", arch)},
		"images fail":     {programs: "docker kind helm make", env: []string{"FAILS=make images"}, calls: up("docker", arch)[:3], fails: true},
		"no cluster":      {programs: "docker kind helm make", env: []string{"FAILS=kind create"}, calls: up("docker", arch)[:4], fails: true},
		"image not there": {programs: "docker kind helm make", env: []string{"FAILS=kind load"}, calls: up("docker", arch)[:5], fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			calls, output, err := run(t, "up", c.programs, c.env...)
			if (err != nil) != c.fails || !strings.Contains(output, c.says) {
				t.Errorf("%v: %s", err, output)
			}
			require.Equal(t, c.calls, calls)
		})
	}
}

// Another name, node image and tag go where they belong.
func TestChoices(t *testing.T) {
	calls, output, err := run(t, "up", "docker kind helm make", "KIND_CLUSTER=mine", "KIND_IMAGE=kindest/node:v1.34.0", "VERSION=v2")
	require.NoError(t, err, output)
	all := strings.Join(calls, "\n")
	for _, want := range []string{"create cluster --name mine", "--image kindest/node:v1.34.0", "make images VERSION=v2", ".tar --name mine", "--set image.tag=v2"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in\n%s", want, all)
		}
	}
}

func TestDown(t *testing.T) {
	calls, output, err := run(t, "down", "docker kind")
	require.NoError(t, err, output)
	require.Equal(t, []string{"docker info", "kind delete cluster --name frameworkcontroller --kubeconfig DIR/bin/kind/kubeconfig"}, calls)
	for _, command := range []string{"", "sideways"} {
		if _, output, err := run(t, command, "docker kind"); err == nil || !strings.Contains(output, "kind.sh up") {
			t.Errorf("%q: %v: %s", command, err, output)
		}
	}
}

// shellcheck, if available, reports nothing, and neither does a shell other than bash.
func TestScriptIsPOSIX(t *testing.T) {
	for _, check := range []string{"sh -n", "dash -n", "shellcheck --shell=sh"} {
		args := strings.Fields(check)
		if _, err := exec.LookPath(args[0]); err != nil {
			t.Logf("there is no %s", args[0])
			continue
		}
		if out, err := exec.Command(args[0], append(args[1:], "kind.sh")...).CombinedOutput(); err != nil {
			t.Error(fmt.Errorf("%s: %w: %s", check, err, out))
		}
	}
}

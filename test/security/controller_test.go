package security

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

// quiet is a configuration in which no objects are written to the log.
const quiet = `
logObjectSnapshot:
  framework: {onFrameworkRetry: false, onFrameworkDeletion: false}
  task: {onTaskRetry: false, onTaskDeletion: false}
  pod: {onPodDeletion: false}
`

// process is a controller, as the ServiceAccount that the manifests install.
type process struct {
	t       *testing.T
	cmd     *exec.Cmd
	log     string // path
	address string // of probes and metrics
	ended   chan struct{}
}

// startController runs the only controller, until the test ends.
func startController(t *testing.T, configuration string) *process {
	t.Helper()
	err := admin.CoordinationV1().Leases(installed).Delete(t.Context(), installed, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
	p := startAnother(t, configuration)
	eventually(t, "it is ready to lead", func(context.Context) error { return p.says("/readyz?verbose", "leading") })
	return p
}

// startAnother runs a controller, until the test ends. It stands by if there is one.
func startAnother(t *testing.T, configuration string) *process {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "frameworkcontroller.yaml"), []byte(configuration), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, log: filepath.Join(dir, "log"), ended: make(chan struct{})}
	log, err := os.Create(p.log)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	p.cmd = kube.Command(context.Background(), binary, "--leader-elect", "--leader-elect-namespace="+installed, "--http-address=127.0.0.1:0")
	p.cmd.Env = append(p.cmd.Env, "KUBECONFIG="+clustertest.KubeconfigOf(t, kube, installed, installed))
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, log, log
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		p.cmd.Wait()
	}()
	t.Cleanup(func() {
		p.kill()
		if text := p.text(); t.Failed() {
			t.Logf("the controller's log:\n%s", text[max(0, len(text)-6000):])
		}
	})
	eventually(t, "the log names the address", func(context.Context) error {
		if p.address = clustertest.AddressIn(p.text()); p.address == "" {
			return fmt.Errorf("the log is %q", p.text())
		}
		return nil
	})
	return p
}

// kill ends it at once.
func (p *process) kill() {
	p.cmd.Process.Signal(syscall.SIGKILL)
	<-p.ended
}

// text is all that it has written.
func (p *process) text() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// get returns what it answers with success.
func (p *process) get(path string) (string, error) {
	code, body := clustertest.GetFrom(p.address, path)
	if code != http.StatusOK {
		return "", fmt.Errorf("%d: %s", code, body)
	}
	return body, nil
}

// says returns nil if an answer has that text in it.
func (p *process) says(path, want string) error {
	text, err := p.get(path)
	if err == nil && !strings.Contains(text, want) {
		err = fmt.Errorf("%s does not say %q: %s", path, want, text[:min(len(text), 1000)])
	}
	return err
}

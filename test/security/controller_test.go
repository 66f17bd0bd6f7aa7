package security

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
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
	p.cmd.Env = append(p.cmd.Env, "KUBECONFIG="+kubeconfig(t, dir))
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
		found := regexp.MustCompile(`serving /healthz, /readyz and /metrics: address=(\S+)`).FindStringSubmatch(p.text())
		if found == nil {
			return fmt.Errorf("the log is %q", p.text())
		}
		p.address = found[1]
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

// get returns what it answers to.
func (p *process) get(path string) (string, error) {
	client := http.Client{Timeout: 5 * time.Second}
	answer, err := client.Get("http://" + p.address + path)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", answer.Status, text)
	}
	return string(text), err
}

// says returns nil if an answer has that text in it.
func (p *process) says(path, want string) error {
	text, err := p.get(path)
	if err == nil && !strings.Contains(text, want) {
		err = fmt.Errorf("%s does not say %q: %s", path, want, text[:min(len(text), 1000)])
	}
	return err
}

// kubeconfig is that of the cluster with a token of the ServiceAccount instead of its credentials.
func kubeconfig(t *testing.T, dir string) (path string) {
	t.Helper()
	token, err := admin.CoreV1().ServiceAccounts(installed).CreateToken(t.Context(), installed,
		&authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.LoadFromFile(kube.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	for who := range config.AuthInfos {
		config.AuthInfos[who] = &api.AuthInfo{Token: token.Status.Token}
	}
	path = filepath.Join(dir, "kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	return path
}

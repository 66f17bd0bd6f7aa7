package rbac

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

// process is the controller, as the ServiceAccount that the manifests install.
type process struct {
	cmd   *exec.Cmd
	ended chan struct{} // closed when it has ended
	log   string
}

// How the controller fills its caches: with a stream, or as it does from API servers that do not stream lists.
const (
	withWatchList    = "KUBE_FEATURE_WatchListClient=true"
	withoutWatchList = "KUBE_FEATURE_WatchListClient=false"
)

// startController runs the controller until the test ends.
func startController(t *testing.T, env ...string) *process {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "frameworkcontroller.yaml"), "crdEstablishedCheckTimeoutSec: 30\n")
	p := &process{log: filepath.Join(dir, "log"), ended: make(chan struct{})}
	log, err := os.Create(p.log)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	// The one before was killed, and so has not given the lease back.
	if err := core.CoordinationV1().Leases(name).Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
	p.cmd = kube.Command(context.Background(), binary, "--leader-elect", "--leader-elect-namespace="+name)
	p.cmd.Env = append(append(p.cmd.Env, env...), "KUBECONFIG="+clustertest.KubeconfigOf(t, kube, name, name))
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, log, log
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		p.cmd.Wait()
	}()
	t.Cleanup(func() { p.stop(t) })
	return p
}

// stop ends the controller at once, and shows its log if the test has failed.
func (p *process) stop(t *testing.T) {
	p.cmd.Process.Signal(syscall.SIGKILL)
	<-p.ended
	if text, err := os.ReadFile(p.log); err == nil && t.Failed() {
		t.Logf("the controller's log:\n%s", text[max(0, len(text)-8000):])
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

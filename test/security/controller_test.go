package security

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
)

// quiet is a configuration that writes no objects to the log.
const quiet = `
logObjectSnapshot:
  framework: {onFrameworkRetry: false, onFrameworkDeletion: false}
  task: {onTaskRetry: false, onTaskDeletion: false}
  pod: {onPodDeletion: false}
`

// process is a controller, as the ServiceAccount that the manifests install.
type process struct {
	*clustertest.Controller
	t *testing.T
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
	p := &process{t: t, Controller: clustertest.StartController(t, kube, launch.Options{
		Binary: binary, Config: configuration, Env: []string{"KUBECONFIG=" + clustertest.KubeconfigOf(t, kube, installed, installed)},
		Args: []string{"--leader-elect", "--leader-elect-namespace=" + installed, "--http-address=127.0.0.1:0"},
	})}
	p.AwaitAddress(patience)
	return p
}

// get returns a successful answer.
func (p *process) get(path string) (string, error) {
	code, body := p.Get(path)
	if code != http.StatusOK {
		return "", fmt.Errorf("%d: %s", code, body)
	}
	return body, nil
}

// says returns nil if an answer contains that text.
func (p *process) says(path, want string) error {
	text, err := p.get(path)
	if err == nil && !strings.Contains(text, want) {
		err = fmt.Errorf("%s does not say %q: %s", path, want, text[:min(len(text), 1000)])
	}
	return err
}

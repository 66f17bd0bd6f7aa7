package metrics

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Probes are answered from the first moment, and a controller is ready when it has finished its start.
func TestStart(t *testing.T) {
	road.Refuse()
	c := startController(t)
	c.says("/readyz", http.StatusServiceUnavailable, "[-]crd failed: the CRD is not installed yet", "[-]caches failed", "readyz check failed")
	c.says("/livez?verbose", http.StatusOK, "[+]rounds ok", "[+]queue ok", "[+]requests ok", "livez check passed")
	restore(t)
	c.says("/readyz", http.StatusOK, "ok")
	c.says("/readyz?verbose", http.StatusOK, "[+]crd ok", "[+]caches ok", "[+]api-server ok", "[+]status-subresource ok", "[+]shutdown ok")
	if err := c.stop(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	if code, _ := c.Get("/healthz"); code != 0 {
		t.Errorf("probes are still answered, with %d", code)
	}
}

func restore(t *testing.T) {
	t.Helper()
	require.NoError(t, road.Accept())
}

// An API server that is down, or silent, makes the controller not ready. The controller is ready again when the API server is back.
func TestAPIServerDoesNotAnswer(t *testing.T) {
	c := startController(t)
	c.says("/readyz", http.StatusOK)
	t.Run("refuses", func(t *testing.T) {
		road.Refuse()
		c.says("/readyz", http.StatusServiceUnavailable, "[-]api-server failed: no answer for", "connection refused", "[+]crd ok")
		restore(t)
		c.says("/readyz", http.StatusOK)
	})
	t.Run("is silent", func(t *testing.T) {
		road.Hold(true)
		defer road.Hold(false)
		c.says("/readyz", http.StatusServiceUnavailable, "[-]api-server failed: no answer for", "deadline exceeded")
		road.Hold(false)
		c.says("/readyz", http.StatusOK)
	})
	c.grows(`api_requests_total{code="<error>",method="GET"}`)
}

// The CRD of the original has no status subresource. The controller puts its own back, and is not ready meanwhile.
func TestSubresourceTakenAway(t *testing.T) {
	c := startController(t)
	c.says("/readyz", http.StatusOK)
	installOriginalCRD(t)
	c.says("/readyz", http.StatusServiceUnavailable, "[-]status-subresource failed: frameworks have no status subresource", "[+]crd ok")
	c.says("/readyz", http.StatusOK)
	if !strings.Contains(c.Text(), "[ERROR] frameworkcontroller: frameworks have lost their status subresource") {
		t.Error("the log does not say so")
	}
	create(t, "after", 0)
	c.has(`framework_attempts_completed_total{code="0",type="Succeeded"} 1`)
}

// installOriginalCRD replaces the CRD as the original does when it starts.
func installOriginalCRD(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile("../api/testdata/original-crd.yaml")
	require.NoError(t, err)
	original := &unstructured.Unstructured{}
	require.NoError(t, yaml.Unmarshal(text, &original.Object))
	now, err := crds.Get(t.Context(), v1.CRDName, metav1.GetOptions{})
	require.NoError(t, err)
	now.Object["spec"] = original.Object["spec"]
	if _, err := crds.Update(t.Context(), now, metav1.UpdateOptions{FieldManager: "the-original"}); err != nil {
		t.Fatal(err)
	}
}

// A CRD that an administrator deletes is not put back, as its objects are gone with it. It shows.
func TestCRDDeleted(t *testing.T) {
	c := startController(t)
	c.says("/readyz", http.StatusOK)
	require.NoError(t, crds.Delete(t.Context(), v1.CRDName, metav1.DeleteOptions{}))
	c.says("/readyz", http.StatusServiceUnavailable, "[-]crd failed: the API server does not serve Frameworks: somebody has deleted the CRD")
	c.grows(`watch_errors_total{resource="frameworks"}`)
	if err := c.stop(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	c = startController(t)
	c.says("/readyz", http.StatusOK)
}

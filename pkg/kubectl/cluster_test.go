package kubectl

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// Warnings of the API server are shown as kubectl shows them, and once.
func TestWarningsAreShown(t *testing.T) {
	t.Setenv("KUBECONFIG", "")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Warning", `299 - "this version is deprecated"`)
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(server.Close)
	streams, _, _, errOut := genericiooptions.NewTestIOStreams()
	Run(t.Context(), streams, []string{"list", "--server=" + server.URL, "-n", "default"})
	if n := strings.Count(errOut.String(), "Warning: this version is deprecated\n"); n != 1 {
		t.Errorf("the warning is shown %d times:\n%s", n, errOut)
	}
}

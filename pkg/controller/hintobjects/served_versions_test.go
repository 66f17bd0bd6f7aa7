package hintobjects

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// restClientOf returns a client of a server that answers like that.
func restClientOf(t *testing.T, answer http.HandlerFunc) rest.Interface {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	client, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL})
	require.NoError(t, err)
	return client.CoreV1().RESTClient()
}

// The served versions are requested once in a while, and not again because of an error, or if the request is forbidden.
func TestServedVersions(t *testing.T) {
	t.Parallel()
	var status, asked atomic.Int32
	client := restClientOf(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(int(status.Load()))
		if r.URL.Path == "/apis" && status.Load() == http.StatusOK {
			_, _ = w.Write([]byte(`{"groups": [{"versions": [{"groupVersion": "apps/v1"}]}, {"versions": [{"groupVersion": "b/v2"}, {"groupVersion": "b/v1"}]}]}`))
		}
	})
	now := time.Now()
	s := NewServedVersions(client, func() time.Time { return now })
	for i, step := range []struct {
		status  int32
		passes  time.Duration
		want    []string
		fails   bool
		inTotal int32
	}{
		{http.StatusBadRequest, 0, nil, true, 1},
		{http.StatusOK, unservedFor - 1, nil, true, 1},
		{http.StatusOK, 1, []string{"apps/v1", "b/v2", "b/v1"}, false, 2},
		{http.StatusBadRequest, servedFor - 1, []string{"apps/v1", "b/v2", "b/v1"}, false, 2},
		{http.StatusForbidden, 1, nil, false, 3},
		{http.StatusOK, servedFor - 1, nil, false, 3},
	} {
		status.Store(step.status)
		now = now.Add(step.passes)
		got, err := s.Get(t.Context())
		if !slices.Equal(got, step.want) || (err != nil) != step.fails || asked.Load() != step.inTotal {
			t.Errorf("step %d: %q, %v, after %d requests", i, got, err, asked.Load())
		}
	}
}

package server

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"
)

// A sink is asked to retry if too many send at once.
func TestBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Server{log: hclog.NewNullLogger(), places: make(chan struct{})}
		w := httptest.NewRecorder()
		s.handler(route{raw: s.ingest}).ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/api/v1/records", http.NoBody))
		require.Equal(t, http.StatusTooManyRequests, w.Code)
		require.Equal(t, "1", w.Header().Get("Retry-After"))
	})
}

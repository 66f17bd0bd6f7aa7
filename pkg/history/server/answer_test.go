package server

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// A client that has the answer gets 304, and long answers are compressed for clients that accept it.
func TestReply(t *testing.T) {
	h := handler(t)
	r := httptest.NewRequest(http.MethodGet, "/api/v1/openapi.json", nil)
	r.Header.Set("Accept-Encoding", "gzip")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	require.Equal(t, "gzip", w.Header().Get("Content-Encoding"))
	r.Header.Set("If-None-Match", w.Header().Get("ETag"))
	w = httptest.NewRecorder()
	h.ServeHTTP(w, r)
	require.Equal(t, 304, w.Code)
	require.Empty(t, w.Body.Bytes())
}

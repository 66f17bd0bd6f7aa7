package historyclient

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
)

// The proxy sends the credentials of the client. It forwards neither credentials nor cookies of the sender, and returns no cookies.
func TestProxy(t *testing.T) {
	var seen http.Header
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = r.Header
		http.SetCookie(w, &http.Cookie{Name: "of", Value: "server"})
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, r.URL.String())
	}))
	defer server.Close()
	c, err := Connect(t.Context(), &rest.Config{BearerToken: "own"}, Options{URL: server.URL})
	require.NoError(t, err)
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:1/api/v1/frameworks/a/b%2Fc?limit=1", nil)
	for name, value := range map[string]string{"Authorization": "Bearer foreign", "Cookie": "framework-ui-1=secret", "X-Remote-User": "admin", "Accept": "application/json"} {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	c.Proxy().ServeHTTP(w, r)
	require.Equal(t, http.StatusForbidden, w.Code)
	require.Equal(t, "/api/v1/frameworks/a/b%2Fc?limit=1", w.Body.String())
	require.Equal(t, "Bearer own", seen.Get("Authorization"))
	require.Equal(t, "application/json", seen.Get("Accept"))
	for _, name := range []string{"Cookie", "X-Remote-User", "Origin"} {
		require.Empty(t, seen.Get(name), name)
	}
	require.Empty(t, w.Result().Cookies())

	server.Close()
	w = httptest.NewRecorder()
	c.Proxy().ServeHTTP(w, r)
	require.Equal(t, http.StatusBadGateway, w.Code)
	require.Contains(t, w.Body.String(), "does not answer")
}

package localpage

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const host = "127.0.0.1:4711"

// newDoor returns a door in front of a handler that answers "in".
func newDoor() (http.Handler, string) {
	return NewDoor(host, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "in") }))
}

func ask(d http.Handler, method, url string, headers ...string) *http.Response {
	r := httptest.NewRequest(method, url, nil)
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w.Result()
}

// The address opens the door once; then the cookie does, which scripts and other sites cannot use.
func TestAddressOpensOnce(t *testing.T) {
	d, address := newDoor()
	require.Equal(t, http.StatusUnauthorized, ask(d, "GET", "http://"+host+"/").StatusCode)
	require.Equal(t, http.StatusUnauthorized, ask(d, "GET", "http://"+host+"/?key=").StatusCode)
	require.Equal(t, http.StatusUnauthorized, ask(d, "GET", "http://"+host+"/?key=guess").StatusCode)
	first := ask(d, "GET", address)
	require.Equal(t, http.StatusSeeOther, first.StatusCode)
	require.Equal(t, "/", first.Header.Get("Location"))
	require.Equal(t, http.StatusUnauthorized, ask(d, "GET", address).StatusCode)
	require.Len(t, first.Cookies(), 1)
	cookie := first.Cookies()[0]
	require.True(t, cookie.HttpOnly)
	require.Equal(t, http.SameSiteStrictMode, cookie.SameSite)
	require.Contains(t, cookie.Name, "4711")
	require.NotContains(t, address, cookie.Value)

	own := cookie.Name + "=" + cookie.Value
	require.Equal(t, http.StatusOK, ask(d, "GET", "http://"+host+"/api/v1/frameworks", "Cookie", own).StatusCode)
	require.Equal(t, http.StatusSeeOther, ask(d, "GET", address, "Cookie", own).StatusCode, "the same browser may use the address again")
}

// With the cookie too, other hosts, origins, sites and methods get nothing.
func TestOnlyOwnOriginReads(t *testing.T) {
	d, address := newDoor()
	cookie := ask(d, "GET", address).Cookies()[0]
	own := cookie.Name + "=" + cookie.Value
	for name, c := range map[string]struct {
		method  string
		headers []string
		status  int
	}{
		"own page":              {"GET", []string{"Origin", "http://" + host, "Sec-Fetch-Site", "same-origin"}, 200},
		"typed address":         {"GET", []string{"Sec-Fetch-Site", "none"}, 200},
		"name that resolves":    {"GET", []string{"Host", "evil.example:4711"}, 421},
		"localhost":             {"GET", []string{"Host", "localhost:4711"}, 421},
		"other port":            {"GET", []string{"Host", "127.0.0.1:4712"}, 421},
		"other origin":          {"GET", []string{"Origin", "http://evil.example"}, 403},
		"no origin":             {"GET", []string{"Origin", "null"}, 403},
		"other port's page":     {"GET", []string{"Sec-Fetch-Site", "same-site"}, 403},
		"link from another one": {"GET", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		"writing":               {"POST", nil, 405},
		"asking for CORS":       {"OPTIONS", []string{"Origin", "http://evil.example"}, 405},
	} {
		answer := ask(d, c.method, "http://"+host+"/api/v1/frameworks", append(c.headers, "Cookie", own)...)
		require.Equal(t, c.status, answer.StatusCode, name)
		for header := range answer.Header {
			require.False(t, strings.HasPrefix(header, "Access-Control-"), name)
		}
	}
}

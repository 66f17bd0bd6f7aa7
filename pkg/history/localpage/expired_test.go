package localpage

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/eventstream"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyclient"
)

// While the page is open, the token of the user expires, the server goes away, and both come back. Each state has its own status and
// message, and the page continues afterwards.
func TestStatesOfTheServer(t *testing.T) {
	var expired atomic.Bool
	answer := func(w http.ResponseWriter, r *http.Request) {
		switch {
		case expired.Load():
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"status": 401, "message": "the token or certificate is not valid in this cluster"}`)
		case r.URL.Path == "/api/v1/frameworks/closed/x":
			w.WriteHeader(http.StatusForbidden)
		default:
			_, _ = io.WriteString(w, "rows")
		}
	}
	server := httptest.NewServer(http.HandlerFunc(answer))
	at := server.Listener.Addr().String()
	client, err := historyclient.Connect(t.Context(), &rest.Config{BearerToken: "own"}, historyclient.Options{URL: server.URL, Timeout: 10 * time.Second})
	require.NoError(t, err)
	defer client.Close()
	d, address := NewDoor(host, Handler(client.Proxy(), nil))
	own := cookieOf(t, d, address)
	read := func(path string) (status int, said historyapi.Error) {
		a := ask(d, "GET", "http://"+host+path, "Cookie", own)
		if a.StatusCode != http.StatusOK {
			_ = json.NewDecoder(a.Body).Decode(&said) // the 403 of this test has no text
		}
		return a.StatusCode, said
	}
	status, _ := read("/api/v1/frameworks")
	require.Equal(t, http.StatusOK, status)
	status, _ = read("/api/v1/frameworks/closed/x")
	require.Equal(t, http.StatusForbidden, status)

	expired.Store(true)
	status, said := read("/api/v1/frameworks")
	require.Equal(t, http.StatusUnauthorized, status)
	require.Equal(t, http.StatusUnauthorized, said.Status)
	require.Contains(t, said.Message, "have expired")
	expired.Store(false)
	status, _ = read("/api/v1/frameworks")
	require.Equal(t, http.StatusOK, status)

	server.Close()
	status, said = read("/api/v1/frameworks")
	require.Equal(t, http.StatusBadGateway, status)
	require.Contains(t, said.Message, "does not answer")
	again := httptest.NewUnstartedServer(http.HandlerFunc(answer))
	require.NoError(t, again.Listener.Close())
	again.Listener = listenAgain(t, at)
	again.Start()
	defer again.Close()
	status, _ = read("/api/v1/frameworks")
	require.Equal(t, http.StatusOK, status)

	a := ask(d, "GET", "http://"+host+"/api/v1/frameworks")
	require.NoError(t, json.NewDecoder(a.Body).Decode(&said))
	require.Equal(t, http.StatusUnauthorized, said.Status, "another browser")
	require.Contains(t, said.Message, "run the command again")
}

func cookieOf(t *testing.T, d http.Handler, address string) string {
	t.Helper()
	cookies := ask(d, "GET", address).Cookies()
	require.Len(t, cookies, 1)
	return cookies[0].Name + "=" + cookies[0].Value
}

// listenAgain takes the address of a server that has ended.
func listenAgain(t *testing.T, address string) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", address)
	require.NoError(t, err)
	return l
}

// An event of the history server gets to the page at once, through the door and the proxy, and the server learns that the page was closed.
func TestStreamsAreHandedOn(t *testing.T) {
	gone := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = eventstream.Begin(w).Send("changed", historyapi.Change{})
		<-r.Context().Done()
		close(gone)
	}))
	defer server.Close()
	client, err := historyclient.Connect(t.Context(), &rest.Config{}, historyclient.Options{URL: server.URL, Timeout: time.Second})
	require.NoError(t, err)
	defer client.Close()
	listener := listenAgain(t, "127.0.0.1:0")
	d, address := NewDoor(listener.Addr().String(), Handler(client.Proxy(), running{}))
	page := httptest.NewUnstartedServer(d)
	require.NoError(t, page.Listener.Close())
	page.Listener = listener
	page.Start()
	defer page.Close()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	browser := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	opened, err := browser.Get(address)
	require.NoError(t, err)
	require.NoError(t, opened.Body.Close())
	answer, err := browser.Get(page.URL + "/api/v1/changes?namespace=a")
	require.NoError(t, err)
	require.Equal(t, "text/event-stream", answer.Header.Get("Content-Type"))
	line, err := bufio.NewReader(answer.Body).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "event: changed\n", line)
	require.NoError(t, answer.Body.Close())
	<-gone
}

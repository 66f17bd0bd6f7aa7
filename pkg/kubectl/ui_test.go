package kubectl

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// The command prints an address that opens the server's page, at the view that its flags choose, and ends when it is asked to.
func TestUI(t *testing.T) {
	withoutCluster(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "page "+r.URL.Path) }))
	defer server.Close()
	for args, view := range map[string]string{
		"":                             "#/?namespace=default",
		"-n research --since 30d":      "#/?namespace=research&since=30d",
		"-A":                           "#/?",
		"train -n research":            "#/frameworks/research/train",
		"fw/train":                     "#/frameworks/default/train",
		"od?d/#%20x":                   "#/frameworks/default/od%3Fd%2F%23%2520x",
		"--request-timeout 5s evening": "#/frameworks/default/evening",
	} {
		ctx, stop := context.WithCancel(t.Context())
		r, w := io.Pipe()
		ended := make(chan int, 1)
		go func() {
			ended <- Run(ctx, genericiooptions.IOStreams{In: strings.NewReader(""), Out: w, ErrOut: io.Discard}, append(strings.Fields("ui --no-open --history-url "+server.URL), strings.Fields(args)...))
		}()
		line, err := bufio.NewReader(r).ReadString('\n')
		require.NoError(t, err, args)
		address, fragment, _ := strings.Cut(strings.TrimSpace(line), "#")
		require.Equal(t, view, "#"+fragment, args)
		jar, err := cookiejar.New(nil)
		require.NoError(t, err)
		browser := &http.Client{Jar: jar}
		answer, err := browser.Get(address)
		require.NoError(t, err)
		body, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		answer.Body.Close()
		require.Equal(t, "page /", string(body), args)
		stop()
		require.Equal(t, exitBrokenOff, <-ended, args)
	}
}

// The page gets an explanation of a Framework that runs in any namespace, as far as the user may read it.
func TestUIExplains(t *testing.T) {
	t.Setenv("KUBECONFIG", "")
	cluster := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasSuffix(r.URL.Path, "/namespaces/research/frameworks/train"), strings.HasSuffix(r.URL.Path, "/namespaces/closed/frameworks/train"):
			fmt.Fprint(w, `{"metadata": {"name": "train", "namespace": "research", "uid": "u1"}, "spec": {}, "status": {"state": "AttemptRunning",
				"attemptStatus": {"id": 3, "startTime": "2026-03-01T10:00:00Z", "taskRoleStatuses": []}}}`)
		case r.URL.Path == "/api/v1/namespaces/research/events":
			fmt.Fprint(w, `{"kind": "EventList", "apiVersion": "v1", "items": []}`)
		default:
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": 403, "message": "events is forbidden"}`)
		}
	}))
	defer cluster.Close()
	history := httptest.NewServer(http.NotFoundHandler())
	defer history.Close()
	ctx, stop := context.WithCancel(t.Context())
	r, w := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- Run(ctx, genericiooptions.IOStreams{In: strings.NewReader(""), Out: w, ErrOut: io.Discard}, strings.Fields("ui --no-open --history-url "+history.URL+" --server "+cluster.URL))
	}()
	line, err := bufio.NewReader(r).ReadString('\n')
	require.NoError(t, err)
	address, _, _ := strings.Cut(strings.TrimSpace(line), "#")
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	browser := &http.Client{Jar: jar}
	in, err := browser.Get(address)
	require.NoError(t, err)
	in.Body.Close()
	read := func(namespace string, into any) int {
		at, err := in.Request.URL.Parse("/live/explain?name=train&namespace=" + namespace)
		require.NoError(t, err)
		answer, err := browser.Get(at.String())
		require.NoError(t, err)
		defer answer.Body.Close()
		require.NoError(t, json.NewDecoder(answer.Body).Decode(into))
		return answer.StatusCode
	}
	var e historyapi.Explanation
	require.Equal(t, http.StatusOK, read("research", &e))
	require.EqualValues(t, 3, e.FrameworkAttempt)
	require.Contains(t, e.Statements[0].Sentence, "Framework train is running: attempt 3 began at 2026-03-01T10:00:00Z")
	require.NotEmpty(t, e.Statements[0].Parts)
	var refused historyapi.Error
	require.Equal(t, http.StatusForbidden, read("closed", &refused))
	require.Contains(t, refused.Message, "events is forbidden")
	stop()
	require.Equal(t, exitBrokenOff, <-ended)
}

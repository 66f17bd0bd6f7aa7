package kubectl

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// kubectl framework ui shows the Frameworks of the cluster beside the ones of the history, and sends an event when one of them changes. It
// also has the links of a Framework, and so has explain.
func TestUI(t *testing.T) {
	t.Parallel()
	s := newScene(t, "browsing")
	history := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(history.Close)
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	cmd := kube.Command(ctx, filepath.Join(bin, "kubectl-framework"), "ui", "--no-open", "--history-url", history.URL, "-n", s.namespace)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		stop()
		_ = cmd.Wait() // it was killed
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	address, _, _ := strings.Cut(line, "#")
	origin, _, _ := strings.Cut(address, "/?")
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	browser := &http.Client{Jar: jar}
	read := func(url string) *http.Response {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		require.NoError(t, err)
		answer, err := browser.Do(r)
		require.NoError(t, err)
		t.Cleanup(func() { _ = answer.Body.Close() })
		return answer
	}
	require.Equal(t, http.StatusNotFound, read(address).StatusCode, "the server of this test has nothing, but the door is open now")

	changes := bufio.NewScanner(read(origin + "/live/changes?namespace=" + s.namespace).Body)
	event := func() string {
		for changes.Scan() {
			if name, ok := strings.CutPrefix(changes.Text(), "event: "); ok {
				return name
			}
		}
		require.NoError(t, changes.Err())
		return "none"
	}
	require.Equal(t, "changed", event())
	s.create("train", specOf("", role{}))
	require.Equal(t, "changed", event())
	s.patch("train", `{"metadata": {"annotations": {"`+v1.LinkAnnotationPrefix+`logs": "https://logs.example.com/{{FC_FRAMEWORK_NAME}}", "`+v1.LinkAnnotationPrefix+`bad": "javascript:alert(1)"}}}`)
	require.Equal(t, "changed", event())
	var rows struct {
		Items []struct {
			Name  string
			Links []struct{ Name, URL string }
		}
	}
	require.NoError(t, json.NewDecoder(read(origin+"/live/frameworks?namespace="+s.namespace).Body).Decode(&rows))
	require.Len(t, rows.Items, 1)
	require.Equal(t, []struct{ Name, URL string }{{"logs", "https://logs.example.com/train"}}, rows.Items[0].Links)
	said := kubectl(t, "explain", "train", "-n", s.namespace).out
	require.Contains(t, said, "\nlogs: https://logs.example.com/train\n")
	require.Contains(t, said, "The link bad is ignored: its address does not begin with http:// or https://")
}

package kubectl

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// The output of commands that read the history is in testdata/history; -rewrite writes it.
func TestHistory(t *testing.T) {
	server := httptest.NewServer(pastServer{t})
	t.Cleanup(server.Close)
	t.Setenv(historyURL, server.URL)
	withoutCluster(t)
	paths, err := filepath.Glob("testdata/history/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			var got strings.Builder
			for _, text := range strings.SplitAfter(read(t, path), "\n") {
				command, isCommand := strings.CutPrefix(text, "$ kubectl framework ")
				if strings.HasPrefix(text, "#") {
					got.WriteString(text)
				}
				if isCommand {
					got.WriteString(text + transcribe(t.Context(), strings.Fields(command)))
				}
			}
			if *rewrite {
				require.NoError(t, os.WriteFile(path, []byte(got.String()), 0o644))
				return
			}
			require.Equal(t, read(t, path), got.String())
		})
	}
}

// withoutCluster lets a command find no configuration of a cluster.
func withoutCluster(t *testing.T) {
	t.Helper()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
}

// transcribe returns the output of a command, as a terminal would show it.
func transcribe(ctx context.Context, args []string) string {
	var out bytes.Buffer
	if code := Run(ctx, genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &out}, args); code != 0 {
		fmt.Fprintf(&out, "exit code %d\n", code)
	}
	text := strings.ReplaceAll(out.String(), "\r\n", "\n")
	text = agesInRows.ReplaceAllString(agesInText.ReplaceAllString(text, "5d ago"), "${1}5d")
	return timesRead.ReplaceAllString(text, `${1}"2026-11-29T12:00:00Z"`)
}

// Ages of times of the history grow, in sentences and at the end of the rows of a table. An explanation has the time of reading.
var (
	agesInText = regexp.MustCompile(`\b[0-9]+[a-z][0-9a-z]* ago\b`)
	agesInRows = regexp.MustCompile(`(?m)(  )[0-9]+d(?:[0-9]+h)?$`)
	timesRead  = regexp.MustCompile(`(?m)^(time: ).*$`)
)

// pastServer answers as a history server, with the JSON files of testdata/history, which are named after its paths.
type pastServer struct{ *testing.T }

func (s pastServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch q := r.URL.Query(); {
	case q.Get("namespace") == "closed":
		s.refuse(w, http.StatusForbidden, "ada may not get frameworks in namespace closed")
	case q.Get("namespace") == "unknown":
		s.refuse(w, http.StatusUnauthorized, "no token or client certificate of this cluster")
	case r.URL.Path == "/api/v1/frameworks":
		answerPage(s, w, r, "frameworks.json", func(f historyapi.Framework) bool {
			return (q.Get("namespace") == "" || f.Namespace == q.Get("namespace")) && (q.Get("code") == "" || f.Completion != nil && fmt.Sprint(f.Completion.Code) == q.Get("code")) &&
				(q.Get("failed") == "" || f.Completion != nil && f.Completion.Type == "Failed")
		})
	case r.URL.Path == "/api/v1/frameworks/default/train" && q.Get("uid") != "other":
		s.answer(w, readJSON[historyapi.FrameworkDetail](s.T, "train.json"))
	case r.URL.Path == "/api/v1/frameworks/default/tune":
		at := time.Date(2026, 11, 24, 14, 0, 0, 0, time.UTC)
		s.answer(w, historyapi.FrameworkDetail{Framework: historyapi.Framework{Name: "tune", State: "AttemptRunning", Created: at, Tasks: 16, UID: "s"},
			Happenings: []historyapi.Happening{{Time: at.Add(time.Second), Reason: "WaitBegan", Facts: map[string]string{"task": "worker-0", "reason": "PodsPending"}}}})
	case r.URL.Path == "/api/v1/frameworks/default/unseen":
		at := time.Date(2026, 11, 24, 14, 0, 0, 0, time.UTC)
		s.answer(w, historyapi.FrameworkDetail{Framework: historyapi.Framework{Name: "unseen", State: historyapi.StateDeleted, Created: at,
			DeletedBefore: new(at.Add(time.Hour)), Tasks: 1, UID: "t"}})
	case r.URL.Path == "/api/v1/frameworks/default/train/tasks":
		answerPage(s, w, r, "tasks.json", func(a historyapi.TaskAttempt) bool {
			return (q.Get("attempt") == "" || fmt.Sprint(a.FrameworkAttempt) == q.Get("attempt")) && (q.Get("role") == "" || a.Role == q.Get("role")) &&
				(q.Get("index") == "" || fmt.Sprint(a.Index) == q.Get("index")) && (q.Get("failed") == "" || a.Completion.Type == "Failed")
		})
	case r.URL.Path == "/api/v1/frameworks/default/train/first-failure" && q.Get("attempt") == "2":
		s.answer(w, historyapi.FirstFailure{FrameworkAttempt: 2, Why: historyapi.NoneFailed})
	case r.URL.Path == "/api/v1/frameworks/default/train/first-failure":
		s.answer(w, readJSON[historyapi.FirstFailure](s.T, "first.json"))
	case r.URL.Path == "/api/v1/frameworks/default/train/around":
		answerPage(s, w, r, "around.json", func(l historyapi.LogLine) bool {
			return q.Get("window") != "1s" && (q.Get("window") == "10m0s" || !strings.HasPrefix(l.Text, "good"))
		})
	case r.URL.Path == "/api/v1/frameworks/default/train/logs":
		answerPage(s, w, r, "logs.json", func(k historyapi.Log) bool {
			return (q.Get("role") == "" || k.Role == q.Get("role")) && (q.Get("index") == "" || fmt.Sprint(k.Index) == q.Get("index"))
		})
	case strings.HasPrefix(r.URL.Path, "/api/v1/frameworks/default/train/tasks/worker/3/log"):
		fmt.Fprintf(w, "the log that was asked for with %s\n... 12345 bytes not kept ...\nno line feed\r at the end", r.URL.RawQuery)
	case strings.HasPrefix(r.URL.Path, "/api/v1/frameworks/default/train/tasks/"):
		s.refuse(w, http.StatusNotFound, "no log was kept of attempt 0 of Task worker-2 in attempt 3 of the Framework: the server may be configured to keep none")
	case r.URL.Path == "/api/v1/tasks":
		answerPage(s, w, r, "tasks.json", func(historyapi.TaskAttempt) bool { return true })
	case r.URL.Path == "/api/v1/shadow" && q.Get("namespace") == "quiet":
		s.answer(w, historyapi.ShadowReport{})
	case r.URL.Path == "/api/v1/shadow" && q.Get("namespace") == "old":
		s.refuse(w, http.StatusNotFound, "there is no such path")
	case r.URL.Path == "/api/v1/shadow":
		s.answer(w, readJSON[historyapi.ShadowReport](s.T, "shadow.json"))
	case r.URL.Path == "/api/v1/shadow/verdicts":
		answerPage(s, w, r, "shadow_verdicts.json", func(historyapi.ShadowVerdict) bool { return true })
	case r.URL.Path == "/api/v1/verdicts":
		answerPage(s, w, r, "verdicts.json", func(v historyapi.Verdict) bool { return q.Get("namespace") == "" || v.Namespace == q.Get("namespace") })
	case r.URL.Path == "/api/v1/frameworks/default/train/object":
		s.answer(w, json.RawMessage(`{"apiVersion":"frameworkcontroller.microsoft.com/v1","kind":"Framework","metadata":{"namespace":"default","name":"train","uid":"train-uid",
			"annotations":{"a":"b"}},"spec":{"plugins":[{"name":"exitcodes","disabled":true}],"taskRoles":[]}}`))
	case r.URL.Path == "/api/v1/report":
		report := readJSON[historyapi.Report](s.T, "report.json")
		s.answer(w, report)
	default:
		s.refuse(w, http.StatusNotFound, "there is no Framework "+strings.TrimPrefix(r.URL.Path, "/api/v1/frameworks/"))
	}
}

func readJSON[T any](t *testing.T, name string) (v T) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(read(t, "testdata/history/"+name)), &v))
	return v
}

func (s pastServer) answer(w http.ResponseWriter, body any) {
	if err := json.NewEncoder(w).Encode(body); err != nil {
		s.Error(err)
	}
}

func (s pastServer) refuse(w http.ResponseWriter, status int, message string) {
	w.WriteHeader(status)
	s.answer(w, historyapi.Error{Status: status, Message: message})
}

// answerPage answers with two at most, so that a list has several pages.
func answerPage[T any](s pastServer, w http.ResponseWriter, r *http.Request, name string, chooses func(T) bool) {
	var page historyapi.Page[T]
	var from, limit int
	_, _ = fmt.Sscan(r.URL.Query().Get("continue"), &from)
	_, _ = fmt.Sscan(r.URL.Query().Get("limit"), &limit)
	all := readJSON[[]T](s.T, name)
	for i := from; i < len(all); i++ {
		if len(page.Items) == min(limit, 2) && name != "around.json" { // around.json has one page
			page.Next = fmt.Sprint(i)
			break
		}
		if chooses(all[i]) {
			page.Items = append(page.Items, all[i])
		}
	}
	s.answer(w, page)
}

// The flags of a command are asked of the server, and nothing else.
func TestHistoryAsks(t *testing.T) {
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if since := q.Get("since"); since != "" {
			at, err := time.Parse(time.RFC3339, since)
			require.NoError(t, err)
			q.Set("since", time.Since(at).Round(time.Hour).String())
		}
		asked = append(asked, r.Header.Get("Authorization")+" "+r.URL.EscapedPath()+"?"+q.Encode())
		fmt.Fprintln(w, `{}`)
	}))
	t.Cleanup(server.Close)
	t.Setenv(historyURL, server.URL)
	withoutCluster(t)
	for command, want := range map[string]string{
		"history":             " /api/v1/frameworks?limit=500&namespace=default&since=168h0m0s",
		"history -A --code 0": " /api/v1/frameworks?code=0&limit=500&since=168h0m0s",
		"history -n a --since 1d12h --failed --node n -l x=y,!z --limit 2000": " /api/v1/frameworks?failed=true&labelSelector=x%3Dy%2C%21z&limit=1000&namespace=a&node=n&since=36h0m0s",
		"history fw/train --uid u":                     " /api/v1/frameworks/default/train?uid=u",
		"history a/../b":                               " /api/v1/frameworks/default/a%2F..%2Fb?",
		"history train worker/0 --attempt 0":           " /api/v1/frameworks/default/train/tasks?attempt=0&index=0&limit=500&role=worker",
		"history train --failed --code -101 --node n":  " /api/v1/frameworks/default/train/tasks?code=-101&failed=true&limit=500&node=n",
		"history --shadow -A":                          " /api/v1/shadow?since=168h0m0s",
		"history train worker/0 --shadow":              " /api/v1/frameworks/default/train/tasks?index=0&limit=500&role=worker",
		"report --by label:a/b":                        " /api/v1/report?by=label%3Aa%2Fb&namespace=default&since=720h0m0s",
		"export - -A --since 1h":                       " /api/v1/tasks?limit=1000&since=1h0m0s",
		"history --server https://elsewhere --token t": "Bearer t /api/v1/frameworks?limit=500&namespace=default&since=168h0m0s",
	} {
		asked = nil
		printed := transcribe(t.Context(), strings.Fields(command))
		require.Equal(t, []string{want}, asked, "%s\n%s", command, printed)
	}
}

func TestAge(t *testing.T) {
	for text, want := range map[string]string{
		"7d": "7d", "1d12h": "1d12h", "90m": "1h30m", "12h": "12h", "10s": "10s", "48h": "2d", "0d": "0s", "0s": "0s", "1d1s": "1d1s",
	} {
		var a age
		require.NoError(t, a.Set(text), text)
		require.Equal(t, want, a.String(), text)
	}
	for _, text := range []string{"", "7", "d", "-1d", "1.5d", "1d2d", "1d-2h", "99999d", "week", "1d "} {
		require.Error(t, new(age).Set(text), "%q", text)
	}
}

// A server that cannot be reached, or whose certificate is not trusted, gets no request.
func TestHistoryOutOfReach(t *testing.T) {
	withoutCluster(t)
	closed := httptest.NewServer(nil)
	closed.Close()
	require.Regexp(t, "^error: the history server does not answer: .*connection refused; check whether it runs", transcribe(t.Context(), []string{"history", "--history-url", closed.URL}))

	secret := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, `{"items": []}`) }))
	secret.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(secret.Close)
	args := []string{"history", "--history-url", secret.URL, "--server", "https://elsewhere", "--token", "t"}
	require.Regexp(t, "^error: the certificate of the history server is not accepted: .* add --history-insecure", transcribe(t.Context(), args))
	require.Regexp(t, "^No such Frameworks", transcribe(t.Context(), append(args, "--history-insecure")))
}

// A user without permission for all namespaces may have it for one.
func TestAllNamespacesRefused(t *testing.T) {
	withoutCluster(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		pastServer{t}.refuse(w, http.StatusForbidden, "ada may not get frameworks in all namespaces")
	}))
	t.Cleanup(server.Close)
	require.Equal(t, "error: the history server refuses: ada may not get frameworks in all namespaces; "+
		"you need the permission to get frameworks in all namespaces: leave out -A, or ask an administrator\nexit code 1\n",
		transcribe(t.Context(), []string{"report", "-A", "--history-url", server.URL}))
}

// Something else that answers, such as a page of a proxy, is no history.
func TestNoHistoryServer(t *testing.T) {
	withoutCluster(t)
	for status, want := range map[int]string{
		http.StatusOK:                 "^error: http://127.0.0.1:[0-9]+ does not answer as a history server does: ",
		http.StatusNotFound:           "^error: the answer is 404 Not Found; kubectl framework history -A shows all Frameworks of the history\n",
		http.StatusFound:              "^error: the history server refuses: the answer is 302 Found\n", // it is not followed
		http.StatusServiceUnavailable: "^error: the history server is busy: the answer is 503 Service Unavailable; try again later\n",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(status)
			fmt.Fprintln(w, "<html>")
		}))
		require.Regexp(t, want, transcribe(t.Context(), []string{"history", "--history-url", server.URL}))
		server.Close()
	}
}

// A file is complete, or does not exist.
func TestExportIntoAFile(t *testing.T) {
	withoutCluster(t)
	server := httptest.NewServer(pastServer{t})
	t.Setenv(historyURL, server.URL)
	path := filepath.Join(t.TempDir(), "attempts.csv")
	require.Equal(t, "7 attempts written to "+path+"\n", transcribe(t.Context(), []string{"export", path}))
	written := read(t, path)
	records, err := csv.NewReader(strings.NewReader(written)).ReadAll()
	require.NoError(t, err)
	require.Len(t, records, 8)
	require.NotContains(t, strings.ReplaceAll(written, "\r\n", ""), "\n")

	server.Close()
	require.Contains(t, transcribe(t.Context(), []string{"export", path, "-o", "json"}), "does not answer")
	require.Equal(t, written, read(t, path))
	left, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, left, 1)
}

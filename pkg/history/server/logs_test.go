package server

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/logs"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/store"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

var begun = time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)

// withLog has a log of 1,000 lines, one a second, without its middle, in attempt 2 of prod/train, and one that is not complete yet.
func withLog(t *testing.T) http.Handler {
	s := database(t)
	kept := logs.NewKept(logs.Limits{Head: 1000, Tail: 1000}, nil)
	for i := range 1000 {
		require.NoError(t, kept.Add(logs.Line{Time: begun.Add(time.Duration(i) * time.Second).UnixNano(), Text: fmt.Appendf(nil, "line %03d \xff\n", i)}))
	}
	l := store.NewLog{LogKey: store.LogKey{Cluster: "default", PodUID: "p", Container: "main"}, Role: "worker", Index: 3, TaskAttempt: 1,
		Framework: &pluginpb.Framework{Namespace: "prod", Name: "train", Uid: "u", AttemptId: 2}, Pod: "train-worker-3",
		State: historyapi.LogComplete, Parts: kept.Parts(nil), Time: begun}
	require.NoError(t, s.SaveLog(t.Context(), l))
	l.PodUID, l.Index, l.State = "q", 4, historyapi.LogReading
	require.NoError(t, s.SaveLog(t.Context(), l))
	return New(Options{Store: s, Access: cluster(), Log: hclog.NewNullLogger()}).Handler()
}

const ofWorker3 = "/api/v1/frameworks/prod/train/tasks/worker/3/log"

// Logs need the permission to read logs of Pods, and mistakes name the parameter.
func TestAccessToLogs(t *testing.T) {
	h := withLog(t)
	for _, c := range []struct {
		path, token string
		status      int
		text        string
	}{
		{ofWorker3, "", 401, ""},
		{ofWorker3, "bob", 403, `user \"bob\" may not get pods/log in namespace \"prod\"`},
		{"/api/v1/frameworks/prod/train/logs", "bob", 403, "pods/log"},
		{"/api/v1/frameworks/prod/train/around?time=2026-11-29T10:00:00Z", "bob", 403, "pods/log"},
		{"/api/v1/frameworks/prod/train", "bob", 200, ""},
		{"/api/v1/frameworks/dev/train/logs", "ann", 403, "Frameworks"},
		{"/api/v1/frameworks/prod/train/logs", "ann", 200, `"skippedBytes":9020`},
		{"/api/v1/frameworks/prod/none/logs", "ann", 404, ""},
		{ofWorker3, "ann", 200, "line 000"},
		{ofWorker3 + "?attempt=2&taskAttempt=1&container=main&uid=u", "ann", 200, "line 999"},
		{ofWorker3 + "?attempt=1", "ann", 404, "no such attempt"},
		{ofWorker3 + "?container=side", "ann", 404, "no log was kept"},
		{ofWorker3 + "?previous=true", "ann", 404, "not started again"},
		{ofWorker3 + "?tailLines=-1", "ann", 400, "tailLines"},
		{ofWorker3 + "?since=today", "ann", 400, "since"},
		{"/api/v1/frameworks/prod/train/tasks/worker/x/log", "ann", 400, "index"},
		{"/api/v1/frameworks/prod/train/around", "ann", 400, "parameter time"},
		{"/api/v1/frameworks/prod/train/around?time=2026-11-29T10:00:00Z&window=2h", "ann", 400, "window"},
		{"/api/v1/frameworks/prod/train/around?time=2026-11-29T10:00:01Z&window=1s&limit=3", "ann", 200, "line 001 \uFFFD"},
		{"/api/v1/frameworks/prod/train/around?time=2026-11-29T10:00:01Z&attempt=1", "ann", 200, `{"items":[]}`},
	} {
		answer := ask(h, "GET", c.path, c.token, nil)
		require.Equal(t, c.status, answer.Code, "%+v: %s", c, answer.Body)
		require.Contains(t, answer.Body.String(), c.text, "%+v", c)
	}
}

// A log is sent byte for byte, in full or the requested part, and only once to a client that has it.
func TestTextOfLog(t *testing.T) {
	h := withLog(t)
	whole := ask(h, "GET", ofWorker3, "ann", nil)
	require.Equal(t, "text/plain; charset=utf-8", whole.Header().Get("Content-Type"))
	body := whole.Body.String()
	require.True(t, strings.HasPrefix(body, "line 000 \xff\n") && strings.HasSuffix(body, "line 999 \xff\n"))
	require.Contains(t, body, "line 089 \xff\n... 9020 bytes not kept ...\nline 910 \xff\n")
	for query, want := range map[string]string{
		"tailLines=2":                "line 998 \xff\nline 999 \xff\n",
		"search=line+00&tailLines=1": "line 009 \xff\n",
		"since=2026-11-29T10:00:03Z&until=2026-11-29T10:00:04Z&timestamps=true": "2026-11-29T10:00:03.000000000Z line 003 \xff\n",
	} {
		require.Equal(t, want, ask(h, "GET", ofWorker3+"?"+query, "ann", nil).Body.String(), query)
	}

	r := httptest.NewRequest(http.MethodGet, ofWorker3, nil)
	r.Header.Set("Authorization", "Bearer ann")
	r.Header.Set("Accept-Encoding", "gzip")
	packed := httptest.NewRecorder()
	h.ServeHTTP(packed, r)
	z, err := gzip.NewReader(packed.Body)
	require.NoError(t, err)
	text, err := io.ReadAll(z)
	require.NoError(t, err)
	require.Equal(t, body, string(text))

	r.Header.Set("If-None-Match", whole.Header().Get("ETag"))
	again := httptest.NewRecorder()
	h.ServeHTTP(again, r)
	require.Equal(t, http.StatusNotModified, again.Code)
	reading := ask(h, "GET", "/api/v1/frameworks/prod/train/tasks/worker/4/log", "ann", nil)
	require.Empty(t, reading.Header().Get("ETag"), "a log that is still read changes")
	require.Equal(t, body, reading.Body.String())
}

// noted is a collector that records its requests.
type noted struct {
	asked []string
	err   error
}

func (n *noted) Collect(_ context.Context, cluster string, r *pluginpb.CollectLogsRequest) error {
	n.asked = append(n.asked, cluster+" "+r.GetPodName())
	return n.err
}

// Only a writer can have logs collected, and a server that keeps no logs reports that.
func TestCollect(t *testing.T) {
	s, collector := database(t), &noted{}
	h := New(Options{Store: s, Access: cluster(), Collector: collector, Log: hclog.NewNullLogger()}).Handler()
	request := &pluginpb.CollectLogsRequest{PodName: "train-worker-0", PodUid: "p", Framework: &pluginpb.Framework{Namespace: "prod", Uid: "u"}}
	body := func(change func(*pluginpb.CollectLogsRequest)) []byte {
		r := proto.Clone(request).(*pluginpb.CollectLogsRequest)
		change(r)
		text, err := proto.Marshal(r)
		require.NoError(t, err)
		return text
	}
	good := body(func(*pluginpb.CollectLogsRequest) {})
	const path = "/api/v1/logs/collect"
	require.Equal(t, 401, ask(h, "POST", path, "", good).Code)
	require.Equal(t, 403, ask(h, "POST", path, "ann", good).Code)
	for text, bad := range map[string][]byte{
		"no CollectLogsRequest": []byte("x"),
		"UID or namespace":      body(func(r *pluginpb.CollectLogsRequest) { r.Framework.Uid = "" }),
		"name or UID":           body(func(r *pluginpb.CollectLogsRequest) { r.PodUid = "" }),
		"201 containers":        body(func(r *pluginpb.CollectLogsRequest) { r.Containers = make([]*pluginpb.LoggedContainer, 201) }),
	} {
		answer := ask(h, "POST", path, "sink", bad)
		require.Equal(t, 400, answer.Code)
		require.Contains(t, answer.Body.String(), text)
	}
	require.Empty(t, collector.asked)
	answer := ask(h, "POST", path, "sink", good)
	require.Equal(t, 200, answer.Code)
	require.Equal(t, protobuf, answer.Header().Get("Content-Type"))
	require.NoError(t, proto.Unmarshal(answer.Body.Bytes(), &pluginpb.CollectLogsResponse{}))
	require.Equal(t, []string{"default train-worker-0"}, collector.asked)
	collector.err = errors.New("no database")
	require.Equal(t, 503, ask(h, "POST", path, "sink", good).Code)

	var refused historyapi.Error
	answer = ask(New(Options{Store: s, Access: cluster(), Log: hclog.NewNullLogger()}).Handler(), "POST", path, "sink", good)
	require.Equal(t, 404, answer.Code)
	require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &refused))
	require.Contains(t, refused.Message, "--logs-config")
}

// A log that cannot be read to its end breaks the connection, rather than looking whole.
func TestBrokenText(t *testing.T) {
	s := &Server{log: hclog.NewNullLogger()}
	for _, encoding := range []string{"", "gzip"} {
		api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			err := s.send(w, r, func(out io.Writer) error {
				if r.URL.Path == "/begun" {
					_, _ = io.WriteString(out, strings.Repeat("text", 100_000))
				}
				return errors.New("no database")
			})
			s.fail(w, r, err)
		}))
		for path, whole := range map[string]bool{"/begun": false, "/": true} {
			r := &http.Request{Method: http.MethodGet, URL: &url.URL{Scheme: "http", Host: strings.TrimPrefix(api.URL, "http://"), Path: path},
				Header: http.Header{"Accept-Encoding": {encoding}}}
			answer, err := http.DefaultTransport.RoundTrip(r)
			if err == nil {
				_, err = io.ReadAll(answer.Body)
				answer.Body.Close()
			}
			require.Equal(t, whole, err == nil, path+encoding)
		}
		api.Close()
	}
}

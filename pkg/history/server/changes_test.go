package server

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"
	authentication "k8s.io/api/authentication/v1"
	authorization "k8s.io/api/authorization/v1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
)

// watched is a server whose streams can be read as a browser does, with time limits as short as they can be.
type watched struct {
	*testing.T
	*Server
	url string
	// expired is whether the token "ann" is no longer valid.
	expired atomic.Bool
}

func watch(t *testing.T, p pace) *watched {
	w := &watched{T: t}
	c := &fakeCluster{
		token: func(s authentication.TokenReviewSpec) authentication.TokenReviewStatus {
			return authentication.TokenReviewStatus{Authenticated: !w.expired.Load(), User: authentication.UserInfo{Username: s.Token}}
		},
		access: func(s authorization.SubjectAccessReviewSpec) bool {
			return s.ResourceAttributes.Namespace == "prod" || s.User == "admin"
		},
	}
	access := ClusterAccess(c, []string{"sink"}, "")
	looks := 0
	access.users.now = func() time.Time { // nothing is remembered
		looks++
		return time.Time{}.Add(time.Duration(looks) * cacheTime)
	}
	w.Server = New(Options{Store: database(t), Access: access, Log: hclog.NewNullLogger()})
	w.pace = p
	server := httptest.NewUnstartedServer(w.Handler())
	server.Config.ReadTimeout, server.Config.WriteTimeout = 200*time.Millisecond, 200*time.Millisecond
	server.Start()
	t.Cleanup(func() {
		w.EndStreams()
		server.Close()
	})
	w.url = server.URL
	return w
}

func (w *watched) open(query, token string) *http.Response {
	w.Helper()
	r, err := http.NewRequestWithContext(w.Context(), http.MethodGet, w.url+"/api/v1/changes?"+query, http.NoBody)
	require.NoError(w, err)
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Accept-Encoding", "gzip")
	answer, err := http.DefaultClient.Do(r)
	require.NoError(w, err)
	w.Cleanup(func() { _ = answer.Body.Close() })
	return answer
}

// event is an event as an EventSource returns it. A comment has no name.
type event struct {
	name string
	data struct {
		Time    time.Time
		State   string
		Status  int
		Message string
	}
}

// events reads a stream until it ends.
func (w *watched) events(answer *http.Response) <-chan event {
	w.Helper()
	require.Equal(w, http.StatusOK, answer.StatusCode)
	require.Equal(w, "text/event-stream", answer.Header.Get("Content-Type"))
	require.Empty(w, answer.Header.Get("Content-Encoding"))
	all := make(chan event, 100)
	go func() {
		defer close(all)
		var e event
		for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
			switch name, value, _ := strings.Cut(lines.Text(), ": "); name {
			case "event":
				e.name = value
			case "data":
				if json.Unmarshal([]byte(value), &e.data) != nil {
					e.name = "broken: " + value
				}
			case "":
				all <- e
				e = event{}
			}
		}
	}()
	return all
}

// next returns the next event that is no comment; "end" if the stream has ended.
func (w *watched) next(events <-chan event) event {
	w.Helper()
	late := time.After(machine.Within(10 * time.Second))
	for {
		select {
		case e, ok := <-events:
			switch {
			case !ok:
				return event{name: "end"}
			case e.name != "":
				return e
			}
		case <-late:
			require.Fail(w, "no event came")
		}
	}
}

func (w *watched) save(namespace, name, state string) {
	w.Helper()
	now := timestamppb.Now()
	record := &pluginpb.FrameworkRecord{Revision: time.Now().UnixNano(), Created: now, State: state}
	if state == "Completed" {
		record.Completed = now
	}
	body, err := proto.Marshal(&pluginpb.StoreRequest{Records: []*pluginpb.Record{{Key: name + time.Now().String(), Time: now,
		Framework: &pluginpb.Framework{Namespace: namespace, Name: name, Uid: "uid-" + name}, Content: &pluginpb.Record_FrameworkRecord{FrameworkRecord: record}}}})
	require.NoError(w, err)
	require.Equal(w, http.StatusOK, ask(w.Handler(), "POST", "/api/v1/records", "sink", body).Code)
}

var fast = pace{gap: time.Millisecond, heartbeat: 10 * time.Millisecond, reviews: time.Hour}

// A stream has an event at once and after rows of its Framework were stored, and ends with it. It outlives the time limits of the server.
func TestChangesOfOne(t *testing.T) {
	w := watch(t, fast)
	w.save("prod", "train", "AttemptRunning")
	events := w.events(w.open("namespace=prod&name=train&uid=uid-train", "ann"))
	require.Equal(t, "changed", w.next(events).name)
	w.save("prod", "other", "AttemptRunning")
	time.Sleep(300 * time.Millisecond) // beyond the limits of the server; only comments may arrive
	for len(events) > 0 {
		require.Empty(t, (<-events).name)
	}
	w.save("prod", "train", "AttemptPreparing")
	require.Equal(t, "changed", w.next(events).name)
	w.save("prod", "train", "Completed")
	require.Equal(t, "changed", w.next(events).name)
	last := w.next(events)
	require.Equal(t, "ended Completed", last.name+" "+last.data.State)
	require.Equal(t, "end", w.next(events).name)
	require.Equal(t, http.StatusNoContent, w.open("namespace=prod&name=train", "ann").StatusCode)
}

// A stream of a namespace has events of all its Frameworks, and of no others; one event covers many rows.
func TestChangesOfNamespace(t *testing.T) {
	const gap = 200 * time.Millisecond
	w := watch(t, pace{gap: gap, heartbeat: time.Hour, reviews: time.Hour})
	events, all := w.events(w.open("namespace=prod", "ann")), w.events(w.open("", "admin"))
	require.Equal(t, "changed", w.next(events).name)
	require.Equal(t, "changed", w.next(all).name)
	w.save("dev", "a", "Completed")
	require.Equal(t, "changed", w.next(all).name)
	require.Empty(t, events)
	begun := time.Now()
	for i := range 20 {
		w.save("prod", fmt.Sprint("f", i), "Completed")
	}
	require.Equal(t, "changed", w.next(events).name)
	w.EndStreams()
	n := 1
	for w.next(events).name == "changed" {
		n++
	}
	require.LessOrEqual(t, n, 1+int(time.Since(begun)/gap))
}

// A user without permission gets no stream, and a user who loses permission loses the stream.
func TestChangesNeedPermission(t *testing.T) {
	w := watch(t, pace{gap: time.Millisecond, heartbeat: time.Hour, reviews: 20 * time.Millisecond})
	w.save("prod", "train", "AttemptRunning")
	for query, status := range map[string]int{"namespace=dev": 403, "": 403, "namespace=prod&name=none": 404, "namespace=prod&name=train&uid=other": 404,
		"name=train": 400, "namespace=prod&uid=uid-train": 400, "namespace=prod&node=n": 400} {
		answer := w.open(query, "ann")
		require.Equal(t, status, answer.StatusCode, query)
		var refused historyapi.Error
		require.NoError(t, json.NewDecoder(answer.Body).Decode(&refused))
		require.Equal(t, status, refused.Status)
	}
	events := w.events(w.open("namespace=prod", "ann"))
	require.Equal(t, "changed", w.next(events).name)
	w.expired.Store(true)
	last := w.next(events)
	require.Equal(t, "refused", last.name)
	require.Equal(t, http.StatusUnauthorized, last.data.Status)
	require.Equal(t, "end", w.next(events).name)
	require.Equal(t, http.StatusUnauthorized, w.open("namespace=prod", "ann").StatusCode)
}

// The number of streams is limited, in total and for each user. A client that leaves frees its place and its goroutine.
func TestChangesAreBounded(t *testing.T) {
	w := watch(t, fast)
	w.streams.most, w.streams.mostOfUser = 3, 2
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	ended := make(chan struct{}, 3)
	for _, token := range []string{"ann", "ann", "bob"} {
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/v1/changes?namespace=prod", http.NoBody)
		r.Header.Set("Authorization", "Bearer "+token)
		go func() {
			w.Handler().ServeHTTP(httptest.NewRecorder(), r)
			ended <- struct{}{}
		}()
	}
	require.Eventually(t, func() bool { return w.streams.count() == 3 }, machine.Within(10*time.Second), time.Millisecond)
	refused := func(token string) {
		full := w.open("namespace=prod", token)
		require.Equal(t, http.StatusTooManyRequests, full.StatusCode)
		require.NotEmpty(t, full.Header.Get("Retry-After"))
		require.NoError(t, full.Body.Close())
	}
	refused("eve")
	w.streams.most = 10
	refused("ann")
	leave()
	for range 3 {
		<-ended
	}
	require.Zero(t, w.streams.count())
	require.Empty(t, w.streams.byUser)
	stacks := make([]byte, 1<<20)
	require.NotContains(t, string(stacks[:runtime.Stack(stacks, true)]), "server.(*Server).changes(")
	require.Equal(t, http.StatusOK, w.open("namespace=prod", "ann").StatusCode)
}

// A server that stops ends its streams, and so does not wait for them.
func TestStopEndsStreams(t *testing.T) {
	w := watch(t, fast)
	events := w.events(w.open("namespace=prod", "ann"))
	require.Equal(t, "changed", w.next(events).name)
	w.EndStreams()
	w.EndStreams()
	require.Equal(t, "end", w.next(events).name)
}

package barrier

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
)

// api stands in for an API server with one Framework. test/barrier has a real one; this one can be made to misbehave.
type api struct {
	t      *testing.T
	server *httptest.Server

	mu       sync.Mutex
	body     string // the Framework as JSON; empty if there is none
	version  int
	open     bool          // the gate
	ungated  bool          // the controller knows of no gate
	changed  chan struct{} // closed with every change
	requests []string      // kinds of the requests received and of the events sent, in their order
	selector string        // field selector of the last watch
	seconds  float64       // timeout of the last watch
	// refuse answers a request of that kind, and returns true, or leaves it alone. May be nil.
	refuse func(kind string, nth int, w http.ResponseWriter) bool
}

func newAPI(t *testing.T) *api {
	a := &api{t: t, changed: make(chan struct{}), version: 100}
	a.server = httptest.NewServer(a)
	t.Cleanup(func() { a.server.CloseClientConnections(); a.server.Close() })
	return a
}

// set stores the Framework, with the gate open or not.
func (a *api) set(body string, open bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.body, a.open = body, open
	a.version++
	close(a.changed)
	a.changed = make(chan struct{})
}

func (a *api) count(kind string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := 0
	for _, one := range a.requests {
		if one == kind {
			n++
		}
	}
	return n
}

// await returns once n requests of the kind have arrived.
func (a *api) await(kind string, n int) {
	a.t.Helper()
	for start := time.Now(); a.count(kind) < n; time.Sleep(5 * time.Millisecond) {
		if time.Since(start) > 5*time.Second {
			a.t.Fatalf("there are no %d of %s", n, kind)
		}
	}
}

const frameworksPath = "/apis/frameworkcontroller.microsoft.com/v1/namespaces/default/frameworks"

func (a *api) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	kind := "look"
	switch {
	case req.URL.Path == frameworksPath+"/train":
		kind = "get"
	case req.URL.Path != frameworksPath:
		a.t.Errorf("there came %s", req.URL)
	case req.URL.Query().Get("watch") == "true":
		kind = "watch"
	case !strings.Contains(req.Header.Get("Accept"), "as=Table"):
		a.t.Errorf("listed whole Frameworks: %s", req.URL)
	}
	a.mu.Lock()
	a.requests = append(a.requests, kind)
	nth := 0
	for _, one := range a.requests {
		if one == kind {
			nth++
		}
	}
	if kind == "watch" {
		a.selector = req.URL.Query().Get("fieldSelector")
		a.seconds, _ = strconv.ParseFloat(req.URL.Query().Get("timeoutSeconds"), 64)
	}
	refuse := a.refuse
	a.mu.Unlock()
	if refuse != nil && refuse(kind, nth, w) {
		return
	}
	switch kind {
	case "get":
		a.get(w)
	case "look":
		a.look(w)
	case "watch":
		a.watch(w, req)
	}
}

func refuseWith(w http.ResponseWriter, code int, message string) bool {
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(map[string]any{"kind": "Status", "code": code, "message": message})
	return true
}

func notFound(w http.ResponseWriter) bool {
	w.WriteHeader(http.StatusNotFound)
	w.Write([]byte(`{"kind": "Status", "code": 404, "message": "frameworks \"train\" not found", "details": {"name": "train"}}`))
	return true
}

func (a *api) get(w http.ResponseWriter) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.body == "" {
		notFound(w)
		return
	}
	w.Write([]byte(a.object()))
}

func (a *api) object() string {
	version, _ := json.Marshal(a.version)
	return strings.Replace(a.body, `"resourceVersion":"0"`, `"resourceVersion":"`+string(version)+`"`, 1)
}

func (a *api) look(w http.ResponseWriter) {
	a.mu.Lock()
	defer a.mu.Unlock()
	table := map[string]any{"kind": "Table", "columnDefinitions": []any{
		map[string]any{"name": "Name"}, map[string]any{"name": "State"}, map[string]any{"name": "Total"},
	}, "rows": []any{}}
	if a.body != "" {
		total := any(2)
		if a.ungated {
			total = nil
		}
		var whole struct{ Metadata json.RawMessage }
		json.Unmarshal([]byte(a.object()), &whole)
		table["rows"] = []any{map[string]any{
			"cells":  []any{"train", "AttemptPreparing", total},
			"object": map[string]any{"metadata": whole.Metadata},
		}}
	}
	json.NewEncoder(w).Encode(table)
}

// revisionSeen is the revision of gates that a watch excludes; ok is false if it does not watch gates of roles.
func revisionSeen(req *http.Request) (seen string, ok bool) {
	_, seen, ok = strings.Cut(req.URL.Query().Get("fieldSelector"), "status.gates.revision!=")
	return seen, ok
}

func (a *api) revision() string {
	var f struct {
		Status struct{ Gates struct{ Revision string } }
	}
	json.Unmarshal([]byte(a.body), &f)
	return f.Status.Gates.Revision
}

func (a *api) watch(w http.ResponseWriter, req *http.Request) {
	seen, ofRoles := revisionSeen(req)
	w.(http.Flusher).Flush()
	for in := false; ; {
		a.mu.Lock()
		changed, matches, kind := a.changed, a.body != "" && a.open && !a.ungated, ""
		if ofRoles {
			matches = a.body != "" && a.revision() != seen
		}
		switch {
		case matches && !in:
			kind = "ADDED"
		case matches:
			kind = "MODIFIED"
		case in:
			kind = "DELETED"
		}
		if in = matches; kind != "" {
			w.Write([]byte(`{"type":"` + kind + `","object":` + a.object() + "}\n"))
			w.(http.Flusher).Flush()
			a.requests = append(a.requests, kind)
		}
		a.mu.Unlock()
		select {
		case <-changed:
		case <-req.Context().Done():
			return
		}
	}
}

// settings returns the settings of a Pod of the Framework's attempt. The timeout is longer than any test should take.
func settings() Settings {
	return Settings{Namespace: "default", Name: "train", OwnUID: "uid-train", OwnAttempt: "0_cm",
		Interval: 50 * time.Millisecond, Timeout: 10 * time.Second}
}

// waiter returns one for the Framework, and its log.
func (a *api) waiter(s Settings) (*waiter, *logText) {
	client, err := newClient(&rest.Config{Host: a.server.URL}, s)
	require.NoError(a.t, err)
	log := &logText{}
	w := newWaiter(client, s, hclog.New(&hclog.LoggerOptions{Output: log, Level: hclog.Debug}))
	w.insists, w.pauses = 300*time.Millisecond, pauses{20 * time.Millisecond, 200 * time.Millisecond}
	return w, log
}

// logText is a log that can be read while it is written.
type logText struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (l *logText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(p)
}

func (l *logText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

// sample is a Framework of two roles. Each Task is given as its address; "-" is a Task that is being removed, and "" a Task without an
// address.
func sample(servers, workers []string) string {
	return sampleOf(len(servers), len(workers), servers, workers)
}

func sampleOf(wantedServers, wantedWorkers int, servers, workers []string) string {
	roles := []any{roleStatus("worker", workers), roleStatus("server", servers)} // not in the order of the spec
	return sampleWith(wantedServers, wantedWorkers, map[string]any{
		"state": "AttemptPreparing",
		"tasks": map[string]any{"total": len(servers) + len(workers)},
		"conditions": []any{map[string]any{"type": "Waiting", "status": "True", "reason": "Unschedulable",
			"message": "train-worker-1: 0/3 nodes are available"}},
		"attemptStatus": map[string]any{"id": 0, "instanceUID": "0_cm", "taskRoleStatuses": roles},
	})
}

func sampleWith(wantedServers, wantedWorkers int, status any) string {
	roleSpec := func(name string, n int) any { return map[string]any{"name": name, "taskNumber": n} }
	text, _ := json.Marshal(map[string]any{
		"apiVersion": "frameworkcontroller.microsoft.com/v1", "kind": "Framework",
		"metadata": map[string]any{"namespace": "default", "name": "train", "uid": "uid-train", "resourceVersion": "0"},
		"spec":     map[string]any{"taskRoles": []any{roleSpec("server", wantedServers), roleSpec("worker", wantedWorkers)}},
		"status":   status,
	})
	return string(text)
}

func roleStatus(name string, addresses []string) any {
	tasks := []any{}
	for i, address := range addresses {
		ip := any(strings.TrimPrefix(address, "-"))
		if ip == "" {
			ip = nil
		}
		tasks = append(tasks, map[string]any{
			"index": i, "state": "AttemptPreparing", "deletionPending": strings.HasPrefix(address, "-"),
			"attemptStatus": map[string]any{"id": 0, "podName": fmt.Sprintf("train-%s-%d", name, i), "podUID": "u",
				"podIP": ip, "podNodeName": "node-1"},
		})
	}
	return map[string]any{"name": name, "taskStatuses": tasks}
}

func (a *api) kinds() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.requests)
}

package election

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
)

// scene is an API server, and a client whose writes are guarded by a fence with a clock of its own.
type scene struct {
	fence  *fence
	client *http.Client
	url    string

	mu    sync.Mutex
	clock time.Duration
	heard []string // requests that have arrived
}

func newScene(t *testing.T, answer http.HandlerFunc) *scene {
	s := &scene{clock: time.Hour}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.heard = append(s.heard, r.Method+" "+r.URL.RequestURI())
		s.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	s.fence = newFence(Defaults, s.now)
	e := &Election{fence: s.fence}
	config := &rest.Config{Host: server.URL}
	e.Guard(config)
	var err error
	if s.client, err = rest.HTTPClientFor(config); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *scene) now() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clock
}

func (s *scene) pass(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock += d
}

func (s *scene) arrived() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.heard, ", ")
}

func (s *scene) send(method, path string) (text string, err error) {
	r, err := http.NewRequest(method, s.url+path, strings.NewReader("{}"))
	if err != nil {
		return "", err
	}
	answer, err := s.client.Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return string(body), err
}

func fine(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "fine") }

// Reads always pass; requests that may change something pass only while the lease lasts. The API server gets their timeout.
func TestGuard(t *testing.T) {
	s := newScene(t, fine)
	try := func(method, path string, want error) {
		t.Helper()
		text, err := s.send(method, path)
		if !errors.Is(err, want) || want == nil && text != "fine" {
			t.Errorf("%s: got %q, %v, want %v", method, text, err, want)
		}
	}
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE"} {
		try(method, "/standby", errStandingBy)
	}
	try("GET", "/standby?watch=1", nil)
	s.fence.renewed(s.now())
	try("PUT", "/leading?timeout=30s&dryRun=All", nil)
	try("DELETE", "/leading", nil)
	s.pass(6 * time.Second)
	if _, err := s.send("POST", "/late"); err == nil || !strings.Contains(err.Error(), "the lease was not renewed for 6s") {
		t.Error(err)
	}
	try("GET", "/late", nil)
	s.fence.renewed(s.now())
	try("POST", "/again", nil)
	want := "GET /standby?watch=1, PUT /leading?dryRun=All&timeout=2.5s, DELETE /leading?timeout=2.5s, GET /late, " +
		"POST /again?timeout=2.5s"
	if got := s.arrived(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	s.fence.drain()
	if s.fence.underWay != 0 {
		t.Errorf("%d writes count as under way", s.fence.underWay)
	}
	try("PUT", "/sealed", errOver)
}

// A write that is under way when the lease is lost is broken off, and so is its connection.
func TestLossBreaksRequestsOff(t *testing.T) {
	reached := make(chan struct{})
	s := newScene(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		close(reached)
		<-r.Context().Done() // returns when the connection breaks
	})
	s.fence.renewed(s.now())
	ended := make(chan error, 1)
	go func() {
		_, err := s.send("POST", "/hangs")
		ended <- err
	}()
	<-reached
	s.fence.revoke()
	if err := <-ended; err == nil {
		t.Error("the write has succeeded")
	}
	if _, err := s.send("GET", "/after"); err == nil {
		t.Error("a connection is still in use")
	}
}

// paused stops its writer before the kernel gets to see anything, as a process is that is stopped at the worst moment.
type paused struct {
	net.Conn
	sent *bytes.Buffer
}

func (p paused) Write(b []byte) (int, error) { return p.sent.Write(b) }

// A process that is paused just before it sends an admitted request does not send it after its lease has expired, even if nothing has
// noticed that yet.
func TestNothingIsSentAfterAPause(t *testing.T) {
	clock := time.Hour
	f := newFence(Defaults, func() time.Duration { return clock })
	f.renewed(clock)
	_, end, err := f.begin(t.Context())
	require.NoError(t, err)
	defer end()
	ours, theirs := net.Pipe()
	defer theirs.Close()
	var sent bytes.Buffer
	w := &fencedConn{Conn: paused{ours, &sent}, fence: f, forget: func() bool { return true }}
	if _, err := w.Write([]byte("first ")); err != nil {
		t.Fatal(err)
	}
	clock += Defaults.LeaseDuration
	if _, err := w.Write([]byte("second")); !errors.Is(err, errOver) {
		t.Errorf("got %v", err)
	}
	if sent.String() != "first " {
		t.Errorf("sent %q", sent.String())
	}
	_ = theirs.SetReadDeadline(time.Now().Add(time.Second))
	if _, err := theirs.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("the connection is still open: %v", err)
	}
}

// A write that waits for room in the connection when the lease ends does not go on when there is room again.
func TestNothingIsSentAfterAWaitForRoom(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere the fence is asked once for each write")
	}
	var clock, asked atomic.Int64
	f := newFence(Defaults, func() time.Duration {
		asked.Add(1)
		return time.Duration(clock.Load())
	})
	f.renewed(0)
	_, end, err := f.begin(t.Context())
	require.NoError(t, err)
	defer end()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	ours, err := f.dialer(nil)(t.Context(), "tcp", listener.Addr().String())
	require.NoError(t, err)
	theirs, err := listener.Accept()
	require.NoError(t, err)
	defer theirs.Close()

	request := make([]byte, 64<<20) // more than any buffer
	type result struct {
		sent int
		err  error
	}
	ended := make(chan result, 1)
	go func() {
		sent, err := ours.Write(request)
		ended <- result{sent, err}
	}()
	for before := int64(-1); asked.Load() != before; time.Sleep(100 * time.Millisecond) {
		before = asked.Load() // stable once the writer waits
	}
	clock.Store(int64(Defaults.LeaseDuration))
	go func() { _, _ = io.Copy(io.Discard, theirs) }()
	r := <-ended
	if !errors.Is(r.err, errOver) || r.sent == 0 || r.sent == len(request) {
		t.Errorf("%d bytes were sent of %d: %v", r.sent, len(request), r.err)
	}
	if _, err := ours.Write([]byte("more")); err == nil {
		t.Error("the connection is still open")
	}
}

package apitest

import (
	"net/http/httptest"
	"sync"
	"testing"

	"k8s.io/client-go/rest"
)

// Namespace of all namespaced objects.
const Namespace = "default"

// Resources, by the names that they have in requests.
const (
	Frameworks = "frameworks"
	ConfigMaps = "configmaps"
	Pods       = "pods"
	Events     = "events"
	CRDs       = "customresourcedefinitions"
)

// Server is the API server. Its methods may be called at any time, from anywhere.
type Server struct {
	http *httptest.Server

	mu      sync.Mutex
	store   store
	changed chan struct{}    // closed at the next change of anything that a watch may show
	news    chan struct{}    // closed at the next change or request
	broken  chan struct{}    // closed to end all watches
	held    map[string]int64 // resources whose watches and lists stand still, and at which version
	oldest  int64            // version after which watches may begin
	faults  []*injected
	judge   func(Request) Fault // may be nil
	denied  map[string]bool     // "verb resource" that the controller has no permission for
	log     []*Request
	lazy    lazy
}

// lazy are the parts of a cluster that a test may keep from doing their work.
type lazy struct {
	kubelets bool // terminating Pods stay
	garbage  bool // the garbage collector does nothing
}

// Start runs a server until the test ends. It does not speak TLS.
func Start(t testing.TB) *Server {
	s := newServer()
	s.http.Start()
	t.Cleanup(s.stop)
	return s
}

// StartTLS runs a server that speaks HTTP/2 over TLS, as real ones do.
func StartTLS(t testing.TB) *Server {
	s := newServer()
	s.http.EnableHTTP2 = true
	s.http.StartTLS()
	t.Cleanup(s.stop)
	return s
}

func newServer() *Server {
	s := &Server{
		store:   newStore(),
		changed: make(chan struct{}),
		news:    make(chan struct{}),
		broken:  make(chan struct{}),
		held:    map[string]int64{},
		denied:  map[string]bool{},
	}
	s.http = httptest.NewUnstartedServer(s)
	s.http.Config.ErrorLog = silent()
	return s
}

func (s *Server) stop() {
	s.BreakWatches()
	s.http.CloseClientConnections()
	s.http.Close()
}

// Config is for clients of the server.
func (s *Server) Config() *rest.Config {
	c := &rest.Config{Host: s.http.URL}
	if s.http.TLS != nil {
		c.TLSClientConfig.CAData = certificate(s.http)
	}
	return c
}

// Hold makes the watches and lists of a resource stand still, as a cache that lags does. Requests for single
// objects are answered with the truth.
func (s *Server) Hold(resource string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held[resource] = s.store.version()
}

// HoldAt is Hold at a moment in the past. What was held at an earlier one catches up to it.
func (s *Server) HoldAt(resource string, version int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held[resource] = version
	s.wake()
}

// Release lets the watches and lists of a resource catch up.
func (s *Server) Release(resource string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.held, resource)
	s.wake()
}

// BreakWatches ends all watches. Their clients start new ones.
func (s *Server) BreakWatches() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.broken)
	s.broken = make(chan struct{})
}

// Compact ends all watches, held ones too, and forgets the changes so far: their clients have to list anew, and see
// only what is left.
func (s *Server) Compact() {
	s.steer(func() { s.oldest, s.held = s.store.version(), map[string]int64{} })
}

// KeepTerminating lets scheduled Pods that terminate stay until they are stopped (StopPod), or no longer.
func (s *Server) KeepTerminating(keep bool) {
	s.steer(func() { s.lazy.kubelets = keep })
}

// KeepGarbage stops the garbage collector, or lets it go on.
func (s *Server) KeepGarbage(keep bool) {
	s.steer(func() { s.lazy.garbage = keep })
}

// Deny takes a permission of the controller away, such as "create pods".
func (s *Server) Deny(permission string) { s.steer(func() { s.denied[permission] = true }) }

// Permit gives it back.
func (s *Server) Permit(permission string) { s.steer(func() { delete(s.denied, permission) }) }

// steer changes the server, and lets the cluster do what it can do then.
func (s *Server) steer(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	s.settle()
}

// settle lets the cluster do what follows from the last change, and tells the watches.
func (s *Server) settle() {
	for s.killTerminating() || s.collectGarbage() {
	}
	s.wake()
}

func (s *Server) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
	s.tell()
}

func (s *Server) tell() {
	close(s.news)
	s.news = make(chan struct{})
}

// News is closed at the next change of anything, or the next request.
func (s *Server) News() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.news
}

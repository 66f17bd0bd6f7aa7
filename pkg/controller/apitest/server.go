package apitest

import (
	"context"
	"net"
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
	Services   = "services"
	Secrets    = "secrets"
	Claims     = "persistentvolumeclaims"
)

// Server is the API server. Its methods may be called at any time, from anywhere.
type Server struct {
	Cluster
	http   *httptest.Server
	dial   func(ctx context.Context, network, address string) (net.Conn, error) // nil for the network's
	faults []*injected
	judge  func(Request) Fault // may be nil
	denied map[string]bool     // "verb resource" that the controller has no permission for
	log    []*Request
}

// Cluster is the content of the server, with the other actors that change it: users, kubelets and the garbage collector.
type Cluster struct {
	mu      sync.Mutex // also of the server
	store   store
	changed chan struct{}    // closed at the next change of anything that a watch may show
	changes chan struct{}    // closed at the next change or request
	broken  chan struct{}    // closed to end all watches
	held    map[string]int64 // resources whose watches and lists are frozen, and at which version
	oldest  int64            // version after which watches may begin
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
		Cluster: Cluster{
			store:   newStore(),
			changed: make(chan struct{}),
			changes: make(chan struct{}),
			broken:  make(chan struct{}),
			held:    map[string]int64{},
		},
		denied: map[string]bool{},
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
	c := &rest.Config{Host: s.http.URL, Dial: s.dial}
	if s.http.TLS != nil {
		c.TLSClientConfig.CAData = certificate(s.http)
	}
	return c
}

// Hold makes the watches and lists of a resource stand still, as a cache that lags does. Requests for single
// objects are answered with the truth.
func (c *Cluster) Hold(resource string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held[resource] = c.store.version()
}

// HoldAt is Hold at a version of the past. A resource that is held at an earlier version catches up to this one.
func (c *Cluster) HoldAt(resource string, version int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held[resource] = version
	c.wake()
}

// Release lets the watches and lists of a resource catch up.
func (c *Cluster) Release(resource string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.held, resource)
	c.wake()
}

// BreakWatches ends all watches. Their clients start new ones.
func (c *Cluster) BreakWatches() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.broken)
	c.broken = make(chan struct{})
}

// Compact ends all watches, held ones too, and forgets the changes so far: their clients have to list again, and see only the
// remaining ones.
func (c *Cluster) Compact() {
	c.steer(func() { c.oldest, c.held = c.store.version(), map[string]int64{} })
}

// KeepTerminating lets scheduled Pods that terminate stay until they are stopped (StopPod), or no longer.
func (c *Cluster) KeepTerminating(keep bool) {
	c.steer(func() { c.lazy.kubelets = keep })
}

// KeepGarbage stops the garbage collector, or lets it continue.
func (c *Cluster) KeepGarbage(keep bool) {
	c.steer(func() { c.lazy.garbage = keep })
}

// Deny takes a permission of the controller away, such as "create configmaps".
func (s *Server) Deny(permission string) { s.steer(func() { s.denied[permission] = true }) }

// Permit gives it back.
func (s *Server) Permit(permission string) { s.steer(func() { delete(s.denied, permission) }) }

// steer changes the server, and lets the cluster react.
func (c *Cluster) steer(change func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change()
	c.settle()
}

// settle lets the cluster react to the last change, and notifies the watches.
func (c *Cluster) settle() {
	for c.killTerminating() || c.collectGarbage() {
	}
	c.wake()
}

func (c *Cluster) wake() {
	close(c.changed)
	c.changed = make(chan struct{})
	c.notify()
}

func (c *Cluster) notify() {
	close(c.changes)
	c.changes = make(chan struct{})
}

// Changes is closed at the next change of anything, or the next request.
func (c *Cluster) Changes() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changes
}

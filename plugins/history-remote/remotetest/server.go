package remotetest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// RefusedNamespace is the namespace of records that the server refuses for good, with all others of the request.
const RefusedNamespace = "refused"

const token = "the right token"

// Server stores keys of records. It has a certificate of its own, and takes one token.
type Server struct {
	// Parameters for the plugin.
	Parameters map[string]any
	TokenFile  string

	t       *testing.T
	address string

	mu       sync.Mutex
	server   *httptest.Server // nil while it is down
	behavior http.HandlerFunc
	stored   []string
	logs     []string
	requests int
}

// New starts a server that ends with the test.
func New(t *testing.T) *Server {
	t.Helper()
	directory := t.TempDir()
	s := &Server{t: t, TokenFile: filepath.Join(directory, "token")}
	s.WriteToken(token)
	s.Up()
	t.Cleanup(s.Down)
	caFile := filepath.Join(directory, "ca.crt")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.server.Certificate().Raw})
	if err := os.WriteFile(caFile, certificate, 0o600); err != nil {
		t.Fatal(err)
	}
	s.Parameters = map[string]any{"url": s.server.URL, "cluster": "c1", "caFile": caFile, "tokenFile": s.TokenFile}
	return s
}

// WriteToken replaces the token of the plugin.
func (s *Server) WriteToken(text string) {
	s.t.Helper()
	if err := os.WriteFile(s.TokenFile, []byte(text+"\n"), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// WriteRightToken replaces the token of the plugin by the token that the server takes.
func (s *Server) WriteRightToken() { s.WriteToken(token) }

// Up starts the server at the address that it had before.
func (s *Server) Up() {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server != nil {
		return
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	if s.address != "" {
		_ = server.Listener.Close()
		listener, err := net.Listen("tcp", s.address)
		if err != nil {
			s.t.Fatal(err)
		}
		server.Listener = listener
	}
	server.StartTLS()
	s.server, s.address = server, server.Listener.Addr().String()
}

// Down closes the server's port and its connections.
func (s *Server) Down() {
	s.mu.Lock()
	server := s.server
	s.server = nil
	s.mu.Unlock()
	if server != nil {
		server.CloseClientConnections()
		server.Close()
	}
}

// Behave makes the server answer by f, which is nil for the right behavior.
func (s *Server) Behave(f http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.behavior = f
}

// Answer makes the server answer every request with a status.
func (s *Server) Answer(status int) {
	s.Behave(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "on purpose", status) })
}

// Stored returns the keys that were stored, in the order of their arrival, each once.
func (s *Server) Stored() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.stored)
}

// Logs returns the names of the Pods whose logs were asked for, in the order of the requests.
func (s *Server) Logs() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.logs)
}

// Requests returns the number of requests so far.
func (s *Server) Requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests++
	behavior := s.behavior
	s.mu.Unlock()
	body, err := io.ReadAll(r.Body) // only after that the context ends with the connection
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if behavior != nil {
		behavior(w, r)
		return
	}
	if r.URL.Path == logsPath {
		s.collect(w, r)
		return
	}
	s.Store(w, r)
}

// Store is the right behavior for records.
func (s *Server) Store(w http.ResponseWriter, r *http.Request) {
	q := &pluginpb.StoreRequest{}
	if !s.accept(w, r, "/api/v1/records", q) {
		return
	}
	for _, record := range q.GetRecords() {
		if record.GetFramework().GetNamespace() == RefusedNamespace {
			refuse(w, "a record is wrong")
			return
		}
	}
	answer := &pluginpb.StoreResponse{}
	s.mu.Lock()
	for _, record := range q.GetRecords() {
		answer.Keys = append(answer.Keys, record.GetKey())
		if !slices.Contains(s.stored, record.GetKey()) {
			s.stored = append(s.stored, record.GetKey())
		}
	}
	s.mu.Unlock()
	body, err := proto.Marshal(answer)
	if err != nil {
		s.t.Error(err)
	}
	_, _ = w.Write(body)
}

// refuse answers as the history server does.
func refuse(w http.ResponseWriter, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_ = json.NewEncoder(w).Encode(map[string]any{"status": http.StatusBadRequest, "message": message})
}

// collect is the right behavior for logs.
func (s *Server) collect(w http.ResponseWriter, r *http.Request) {
	q := &pluginpb.CollectLogsRequest{}
	if s.accept(w, r, logsPath, q) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.logs = append(s.logs, q.GetPodName())
	}
}

const logsPath = "/api/v1/logs/collect"

// accept reads a request into q, and reports whether it is right. Otherwise it has answered.
func (s *Server) accept(w http.ResponseWriter, r *http.Request, path string, q proto.Message) bool {
	if got := r.Method + " " + r.URL.Path + " " + r.Header.Get("Content-Type") + " " + r.Header.Get("X-Cluster"); got != "POST "+path+" application/x-protobuf c1" {
		s.t.Errorf("request %s", got)
	}
	if r.Header.Get("Authorization") != "Bearer "+token {
		http.Error(w, "who is there", http.StatusUnauthorized)
		return false
	}
	if err := read(r, q); err != nil {
		s.t.Error(err)
		refuse(w, err.Error())
		return false
	}
	return true
}

func read(r *http.Request, q proto.Message) error {
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		var err error
		if body, err = gzip.NewReader(r.Body); err != nil {
			return err
		}
	}
	b, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	return proto.Unmarshal(b, q)
}

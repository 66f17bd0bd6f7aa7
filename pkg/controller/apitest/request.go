package apitest

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Request is a request that the server has received.
type Request struct {
	// Verb of Kubernetes: get, list, watch, create, update, patch, delete.
	Verb string
	// Resource with its subresource, such as frameworks/status.
	Resource string
	// Name of the object, even of a new one.
	Name string
	// Version is the oldest resourceVersion that the answer may have; empty for the latest.
	Version string
	// Body as a tree; nil if there was none.
	Body map[string]any
	// Code of the answer; 0 while there is none.
	Code int
	// At is the time of arrival, and Connection the origin.
	At         time.Time
	Connection string

	// MetadataOnly: the client requests only the metadata of objects.
	MetadataOnly bool

	version int64 // of the store just before the request was performed
	changed bool  // the store, when it was
	query   url.Values
}

// String is the form that patterns are written in.
func (q *Request) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", q.Verb, q.Resource, q.Name))
}

// matches reports whether a pattern means the request.
func (q *Request) matches(pattern string) bool {
	fields := strings.Fields(pattern)
	return (fields[0] == "*" || fields[0] == q.Verb) &&
		(len(fields) < 2 || fields[1] == q.Resource) &&
		(len(fields) < 3 || fields[2] == q.Name)
}

// Requests returns copies of the requests so far that match the pattern, in order of arrival.
func (s *Server) Requests(pattern string) []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Request
	for _, q := range s.log {
		if q.matches(pattern) {
			out = append(out, *q)
		}
	}
	return out
}

// Stored returns an object as it was when the request was performed; nil if there was none.
func (s *Server) Stored(q Request, resource, name string) *unstructured.Unstructured {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.store.at(q.version, key{resource, name})
}

// StoredBefore returns every version of an object that was stored before the request was performed, in order.
func (s *Server) StoredBefore(q Request, resource, name string) []*unstructured.Unstructured {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*unstructured.Unstructured
	for _, c := range s.store.history[:q.version] {
		if c.key == (key{resource, name}) && c.is != nil {
			out = append(out, c.is)
		}
	}
	return out
}

// parse reads an HTTP request.
func parse(r *http.Request) (*Request, error) {
	q := &Request{At: time.Now(), Connection: r.RemoteAddr, query: r.URL.Query()}
	q.MetadataOnly = strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadata")
	q.parsePath(r.URL.Path)
	q.Verb, q.Version = q.verb(r.Method), q.query.Get("resourceVersion")
	body, err := io.ReadAll(r.Body)
	if err != nil || len(body) == 0 {
		return q, err
	}
	if q.Body, err = decode(body); err != nil {
		return q, err
	}
	if q.Verb == "create" {
		q.Name, _, _ = unstructured.NestedString(q.Body, "metadata", "name")
	}
	return q, nil
}

// parsePath reads /api/{version}/... or /apis/{group}/{version}/..., with or without namespaces/{namespace}.
func (q *Request) parsePath(path string) {
	segments := strings.Split(strings.Trim(path, "/"), "/")
	skip := 2
	if segments[0] == "apis" {
		skip = 3
	}
	rest := segments[min(skip, len(segments)):]
	if len(rest) > 2 && rest[0] == "namespaces" {
		rest = rest[2:]
	}
	if len(rest) > 0 {
		q.Resource = rest[0]
	}
	if len(rest) > 1 {
		q.Name = rest[1]
	}
	if len(rest) > 2 {
		q.Resource += "/" + rest[2]
	}
}

func (q *Request) verb(method string) string {
	switch {
	case method == http.MethodGet && q.query.Get("watch") == "true":
		return "watch"
	case method == http.MethodGet && q.Name == "":
		return "list"
	}
	return map[string]string{
		http.MethodGet:    "get",
		http.MethodPost:   "create",
		http.MethodPut:    "update",
		http.MethodPatch:  "patch",
		http.MethodDelete: "delete",
	}[method]
}

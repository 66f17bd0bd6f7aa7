package main

import (
	"bytes"
	"net/http"
	"path"
	"slices"
	"sync"
	"time"
)

// oldest is how far an API server may be behind.
const oldest = 15 * time.Second

// lists are earlier answers to requests for lists.
//
// A client that asks for the version 0 leaves it to the API server how old the answer is, and may get the state of a server that lags
// behind its etcd. The watch that begins there delivers the later changes. A client that asks for no version must get the current state,
// and one that asks for another version a state that is not older: those lists are never stale.
type lists struct {
	mu     sync.Mutex
	before map[string][]listed
}

type listed struct {
	at     time.Time
	header http.Header
	body   []byte
}

// mayBeStale reports whether the request is for a list of any age.
func mayBeStale(r *http.Request) bool {
	kind := path.Base(r.URL.Path)
	return r.Method == http.MethodGet && r.URL.Query().Get("resourceVersion") == "0" &&
		slices.Contains([]string{"pods", "configmaps", "frameworks"}, kind)
}

// list answers with an earlier answer, if there is one.
func (p *hostileProxy) list(w http.ResponseWriter, r *http.Request, forward http.Handler) {
	if p.number(2) == 0 {
		if old, ok := p.lists.choose(r, p.number); ok {
			p.figures.count("lists: stale")
			for key, values := range old.header {
				w.Header()[key] = values
			}
			w.WriteHeader(http.StatusOK)
			w.Write(old.body)
			return
		}
	}
	p.figures.count("lists: fresh")
	copied := &copied{ResponseWriter: w, code: http.StatusOK}
	forward.ServeHTTP(copied, r)
	if copied.code == http.StatusOK {
		p.lists.keep(r, listed{time.Now(), w.Header().Clone(), copied.body.Bytes()})
	}
}

// question identifies requests that get the same answer.
func question(r *http.Request) string {
	query := r.URL.Query()
	query.Del("timeout")
	return r.URL.Path + "?" + query.Encode() + " " + r.Header.Get("Accept") + " " + r.Header.Get("Accept-Encoding")
}

func (l *lists) keep(r *http.Request, one listed) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.before == nil {
		l.before = map[string][]listed{}
	}
	l.before[question(r)] = append(l.before[question(r)], one)
}

// choose returns any that is not too old.
func (l *lists) choose(r *http.Request, number func(int) int) (listed, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	young := slices.DeleteFunc(l.before[question(r)], func(one listed) bool { return time.Since(one.at) > oldest })
	if len(young) == 0 {
		return listed{}, false
	}
	l.before[question(r)] = young
	return young[number(len(young))], true
}

// copied keeps a copy of the answer that it passes on.
type copied struct {
	http.ResponseWriter
	code int
	body bytes.Buffer
}

func (c *copied) WriteHeader(code int) {
	c.code = code
	c.ResponseWriter.WriteHeader(code)
}

func (c *copied) Write(b []byte) (int, error) {
	c.body.Write(b)
	return c.ResponseWriter.Write(b)
}

// Unwrap lets the answer be flushed.
func (c *copied) Unwrap() http.ResponseWriter { return c.ResponseWriter }

package apitest

import (
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
)

// silent discards the messages of net/http about connections that a test breaks.
func silent() *log.Logger { return log.New(io.Discard, "", 0) }

func certificate(s *httptest.Server) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
}

// ServeHTTP answers one request. Watches run until their client goes or BreakWatches ends them.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q, err := parse(r)
	if err != nil {
		badRequest(err).send(w, q)
		return
	}
	fault := s.enter(q)
	if fault.Wait != nil {
		select {
		case <-fault.Wait:
		case <-r.Context().Done():
			return
		}
	}
	s.answer(w, r, q, fault)
}

// answer performs a request, as far as the fault permits, and answers it.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, q *Request, fault Fault) {
	switch {
	case fault.Drop:
		reset(w)
	case fault.Late != nil:
		go func() {
			<-fault.Late
			s.finish(q, answer{})
		}()
		reset(w)
	case fault.Refuse != nil:
		s.finish(q, answer{object: fault.Refuse, code: int(fault.Refuse.Code)}).send(w, q)
	case q.Verb == "watch":
		s.watch(w, r, q)
	default:
		a := s.finish(q, answer{})
		if fault.Lose || fault.LoseIf != nil && fault.LoseIf(q.changed) {
			reset(w)
			return
		}
		if fault.Instead != nil {
			a = answer{object: fault.Instead, code: int(fault.Instead.Code)}
		}
		a.warnings = append(a.warnings, fault.Warnings...)
		a.send(w, q)
	}
}

// reset breaks the connection, as a load balancer might. On a shared connection it can only break this request.
func reset(w http.ResponseWriter) {
	if h, ok := w.(http.Hijacker); ok {
		if c, _, err := h.Hijack(); err == nil {
			if tcp, ok := c.(*net.TCPConn); ok {
				_ = tcp.SetLinger(0)
			}
			_ = c.Close()
			return
		}
	}
	panic(http.ErrAbortHandler)
}

// enter logs a request, and returns its fault.
func (s *Server) enter(q *Request) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	q.version = s.store.version()
	s.log = append(s.log, q)
	s.notify()
	return s.faultOf(q)
}

// finish performs a request, unless it has its answer already.
func (s *Server) finish(q *Request, a answer) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	q.version = s.store.version()
	if a.code == 0 {
		a = s.perform(q)
		q.changed = s.store.version() != q.version
		s.settle()
	}
	q.Code = a.code
	return a
}

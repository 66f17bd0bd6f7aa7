package apitest

import (
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
)

// silent is a log for what net/http has to say about connections that a test breaks.
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
	switch {
	case fault.Drop:
		panic(http.ErrAbortHandler)
	case fault.Late != nil:
		go func() {
			<-fault.Late
			s.finish(q, answer{})
		}()
		panic(http.ErrAbortHandler)
	case fault.Refuse != nil:
		s.finish(q, answer{object: fault.Refuse, code: int(fault.Refuse.Code)}).send(w, q)
	case q.Verb == "watch":
		s.watch(w, r, q)
	default:
		a := s.finish(q, answer{})
		if fault.Lose {
			panic(http.ErrAbortHandler)
		}
		a.warnings = append(a.warnings, fault.Warnings...)
		a.send(w, q)
	}
}

// enter logs a request, and finds out what goes wrong with it.
func (s *Server) enter(q *Request) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	q.id = len(s.log)
	q.version = s.store.version()
	s.log = append(s.log, q)
	s.tell()
	return s.faultOf(q)
}

// finish performs a request, unless it has its answer already.
func (s *Server) finish(q *Request, a answer) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	q.version = s.store.version()
	if a.code == 0 {
		a = s.perform(q)
		s.settle()
	}
	q.Code = a.code
	return a
}

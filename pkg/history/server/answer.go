package server

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// Answers that are shorter are not compressed, in bytes.
const leastGzip = 1 << 10

// failure is an error with a status.
type failure struct {
	status  int
	message string
}

func (f failure) Error() string { return f.message }

func problem(status int, format string, args ...any) error {
	return failure{status, fmt.Sprintf(format, args...)}
}

// fail answers with an error. Causes within the server are for its log, not for its users.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	var f failure
	if !errors.As(err, &f) {
		s.log.Warn("answering a request", "path", r.URL.Path, "error", err)
		f = failure{http.StatusServiceUnavailable, "the history cannot be read at the moment: try again"}
		if errors.Is(err, context.DeadlineExceeded) {
			f.message = "the query took too long: choose a shorter time range with since, or a namespace"
		}
	}
	h := w.Header()
	switch f.status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", "Bearer")
	case http.StatusServiceUnavailable, http.StatusTooManyRequests:
		h.Set("Retry-After", "1")
	}
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(f.status)
	_ = json.NewEncoder(w).Encode(historyapi.Error{Status: f.status, Message: f.message})
}

// reply answers with JSON, or with 304 if the client has it already.
func (s *Server) reply(w http.ResponseWriter, r *http.Request, answer any) {
	body, err := json.Marshal(answer)
	if err != nil {
		s.fail(w, r, fmt.Errorf("writing JSON: %w", err))
		return
	}
	sum := sha256.Sum256(body)
	tag := `"` + hex.EncodeToString(sum[:16]) + `"`
	h := w.Header()
	h.Set("ETag", tag)
	// Only the client itself may keep it, and it asks each time, as rights may have changed.
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Vary", "Accept-Encoding, Authorization")
	h.Set("X-Content-Type-Options", "nosniff")
	if strings.Contains(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", "application/json")
	if len(body) >= leastGzip && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		body = compressed(body)
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}

func compressed(body []byte) []byte {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		return nil // the level is valid
	}
	_, _ = z.Write(body)
	_ = z.Close()
	return b.Bytes()
}

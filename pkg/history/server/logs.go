package server

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/logs"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/store"
)

const (
	defaultWindow = 2 * time.Minute
	mostWindow    = time.Hour
	// writeTimeout limits how long a client may take for the next part of a log.
	writeTimeout = time.Minute
)

func (s *Server) logs(r *http.Request, v values) (any, error) {
	q := store.LogQuery{Namespace: r.PathValue("namespace"), Name: r.PathValue("name"), UID: v.Get("uid"), Attempt: v.number("attempt"),
		Role: v.Get("role"), Index: v.number("index"), After: v.Get("continue")}
	if err := s.mayReadLogs(r, q.Namespace); err != nil {
		return nil, err
	}
	var err error
	if q.Limit, err = v.limit(); err != nil {
		return nil, err
	}
	page, err := s.store.Logs(r.Context(), q)
	return page, queryError(err)
}

func (s *Server) around(r *http.Request, v values) (any, error) {
	q := store.AroundQuery{Namespace: r.PathValue("namespace"), Name: r.PathValue("name"), UID: v.Get("uid"), Attempt: v.number("attempt"),
		Window: defaultWindow}
	if err := s.mayReadLogs(r, q.Namespace); err != nil {
		return nil, err
	}
	var err error
	if q.Time, err = time.Parse(time.RFC3339, v.Get("time")); err != nil {
		return nil, problem(http.StatusBadRequest, "parameter time: required, as in RFC 3339, such as 2026-01-31T12:00:00Z")
	}
	if text := v.Get("window"); text != "" {
		q.Window, err = time.ParseDuration(text)
		if err != nil || q.Window <= 0 || q.Window > mostWindow {
			return nil, problem(http.StatusBadRequest, "parameter window: %q is not a duration up to 1h, such as 2m", text)
		}
	}
	if q.Limit, err = v.limit(); err != nil {
		return nil, err
	}
	page, err := s.store.Around(r.Context(), q)
	return page, queryError(err)
}

// taskLog answers with the text of one log.
func (s *Server) taskLog(w http.ResponseWriter, r *http.Request, v values) error {
	q := store.TaskLogQuery{Namespace: r.PathValue("namespace"), Name: r.PathValue("name"), Role: r.PathValue("role"), UID: v.Get("uid"),
		Attempt: v.number("attempt"), TaskAttempt: v.number("taskAttempt"), Container: v.Get("container"), Previous: v.flag("previous")}
	if err := s.mayReadLogs(r, q.Namespace); err != nil {
		return err
	}
	index, err := strconv.ParseInt(r.PathValue("index"), 10, 32)
	if err != nil {
		return problem(http.StatusBadRequest, "%q is not the index of a Task", r.PathValue("index"))
	}
	q.Index = int32(index)
	view, err := viewOf(v)
	if err != nil {
		return err
	}
	found, err := s.store.TaskLog(r.Context(), q)
	if err != nil {
		return queryError(err)
	}
	h := w.Header()
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Vary", "Accept-Encoding, Authorization")
	h.Set("X-Content-Type-Options", "nosniff")
	if found.State == historyapi.LogComplete {
		tag := tagOf(found.Log, v)
		h.Set("ETag", tag)
		if strings.Contains(r.Header.Get("If-None-Match"), tag) {
			w.WriteHeader(http.StatusNotModified)
			return nil
		}
	}
	h.Set("Content-Type", "text/plain; charset=utf-8")
	return s.send(w, r, func(out io.Writer) error { return view.Write(out, found.Text(r.Context())) })
}

func viewOf(v values) (view logs.View, err error) {
	view = logs.View{Search: v.Get("search"), Timestamps: v.flag("timestamps")}
	if n := v.number("tailLines"); n != nil {
		if *n < 0 {
			return view, problem(http.StatusBadRequest, "parameter tailLines: %d is below 0", *n)
		}
		view.TailLines = new(int(*n))
	}
	for name, at := range map[string]*time.Time{"since": &view.Since, "until": &view.Until} {
		if text := v.Get(name); text != "" {
			if *at, err = time.Parse(time.RFC3339, text); err != nil {
				return view, problem(http.StatusBadRequest, "parameter %s: %v", name, err)
			}
		}
	}
	return view, nil
}

// tagOf identifies a text: a log that is complete does not change.
func tagOf(l historyapi.Log, v values) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %d %d %s", l.PodUID, l.Container, l.Start, l.Bytes, v.Encode()))
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// send sends a text of any length. If it fails after the beginning, it breaks the connection, so that no client takes a part for the whole.
func (s *Server) send(w http.ResponseWriter, r *http.Request, write func(io.Writer) error) error {
	out := &patientWriter{w: w, control: http.NewResponseController(w)}
	var err error
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		z, _ := gzip.NewWriterLevel(out, gzip.BestSpeed) // the level is valid
		if err = write(z); err == nil {
			err = z.Close()
		}
	} else {
		buffered := bufio.NewWriterSize(out, 64<<10)
		if err = write(buffered); err == nil {
			err = buffered.Flush()
		}
	}
	if err != nil && out.begun {
		s.log.Debug("sending a log", "path", r.URL.Path, "error", err)
		panic(http.ErrAbortHandler)
	}
	if err != nil {
		for _, name := range []string{"Content-Encoding", "ETag"} {
			w.Header().Del(name)
		}
	}
	return err
}

// patientWriter gives a client time for each part, rather than for the whole.
type patientWriter struct {
	w       io.Writer
	control *http.ResponseController
	begun   bool
}

func (p *patientWriter) Write(b []byte) (int, error) {
	p.begun = true
	_ = p.control.SetWriteDeadline(time.Now().Add(writeTimeout)) // not supported in tests
	return p.w.Write(b)
}

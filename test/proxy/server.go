package proxy

import (
	"bytes"
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"

	"k8s.io/client-go/rest"
)

// Server answers requests in place of an API server.
type Server struct {
	// URL is the address to connect to, without TLS and credentials.
	URL string

	server *http.Server
}

// Serve listens on loopback. The handler returned by around gets each request, with its whole body read; the handler passed to around
// forwards to the API server. Connections, unless it is nil, gives each connection its context.
func Serve(config *rest.Config, around func(forward http.Handler) http.Handler, connections func(context.Context) context.Context) (*Server, error) {
	to, err := url.Parse(config.Host)
	if err != nil {
		return nil, err
	}
	transport, err := rest.TransportFor(config)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	silent := log.New(io.Discard, "", 0)
	handler := around(&httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(to) },
		Transport:     transport,
		FlushInterval: -1,
		ErrorLog:      silent,
	})
	s := &Server{URL: "http://" + listener.Addr().String()}
	s.server = &http.Server{ErrorLog: silent, ReadHeaderTimeout: time.Minute}
	s.server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if TakeBody(r) {
			handler.ServeHTTP(w, r)
		}
	})
	if connections != nil {
		s.server.ConnContext = func(ctx context.Context, _ net.Conn) context.Context { return connections(ctx) }
	}
	go s.server.Serve(listener)
	return s, nil
}

// Stop breaks all connections, and takes no more.
func (s *Server) Stop() { s.server.Close() }

// TakeBody reads the whole body, and reports whether it was complete. Only then does the server notice when the client is killed, and end
// the request's context.
func TakeBody(r *http.Request) bool {
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	return err == nil
}

package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/health"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/metrics"
)

// contactEvery is the interval at which to check that the API server answers, for /readyz and for the log.
const contactEvery = 5 * time.Second

// listen opens the address for probes and scrapes; nil without an address. It is called before everything slow, so that a mistake shows at
// once and early probes wait for an answer instead of being refused.
func listen(address string) (net.Listener, error) {
	if address == "" {
		return nil, nil
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf(
			"--http-address: %w: choose another address, or leave it out to have no probes and metrics", err)
	}
	return l, nil
}

// handler answers probes and scrapes. The probes are named as in Kubernetes' own components; /healthz is the older name of /livez.
func handler(liveness, readiness []health.Check, m *metrics.Set) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /healthz", health.Handler("healthz", liveness))
	mux.Handle("GET /livez", health.Handler("livez", liveness))
	mux.Handle("GET /readyz", health.Handler("readyz", readiness))
	mux.Handle("GET /metrics", m.Handler())
	return mux
}

// startHTTP serves until stop is called, which waits for answers under way. Without a listener it does nothing.
func startHTTP(l net.Listener, h http.Handler, log hclog.Logger) (stop func()) {
	if l == nil {
		return func() {}
	}
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          log.Named("http").StandardLogger(&hclog.StandardLoggerOptions{ForceLevel: hclog.Debug}),
	}
	log.Info("serving /healthz, /readyz and /metrics", "address", l.Addr().String())
	go func() {
		if err := server.Serve(l); err != http.ErrServerClosed {
			log.Error("probes and metrics are no longer served", "error", err)
		}
	}()
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if server.Shutdown(ctx) != nil {
			_ = server.Close()
		}
	}
}

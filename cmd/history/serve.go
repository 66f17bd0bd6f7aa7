package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/hashicorp/go-hclog"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/kubeclient"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/server"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/store"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/version"
)

const (
	// expireEvery is the pause between two looks for old Frameworks.
	expireEvery = 10 * time.Minute
	// stopTimeout limits the answers under way at the stop.
	stopTimeout = 10 * time.Second
)

// serve runs the server until ctx ends.
func serve(ctx context.Context, f flags) error {
	log := newLog(f)
	log.Info("starting", "version", version.Number(), "commit", version.Commit(), "pid", os.Getpid())
	listener, err := net.Listen("tcp", f.address)
	if err != nil {
		return fmt.Errorf("--address: %w", err)
	}
	defer listener.Close()
	access, err := newAccess(f)
	if err != nil {
		return err
	}
	s, err := store.Open(ctx, store.Options{Database: f.database, Retain: f.retain, RetainBytes: f.retainBytes,
		RetainLogBytes: f.retainLogBytes, Log: log.Named("store")})
	if err != nil && ctx.Err() != nil {
		log.Info("stopping") // a change of the tables that was interrupted is undone, and begins again with the next start
		return nil
	}
	if err != nil {
		return err
	}
	options := server.Options{Store: s, Access: access, UserLabel: f.userLabel, Log: log.Named("server")}
	stopCollector := func() {}
	if f.logsConfig != "" {
		collector, err := newCollector(f, s, log.Named("logs"))
		if err != nil {
			return errors.Join(err, s.Close())
		}
		options.Collector, stopCollector = collector, collector.Close
		if collector.Config.EarlyHead {
			go collector.ReadHeads(ctx)
		}
	}
	api := server.New(options)
	expired := make(chan struct{})
	background, cancel := context.WithCancel(ctx)
	go func() {
		defer close(expired)
		expire(background, s, log)
	}()
	err = serveAll(ctx, f, listener, api, log)
	cancel()
	<-expired
	stopCollector() // before the store: it stores what it has read
	return errors.Join(err, s.Close())
}

func newLog(f flags) hclog.Logger {
	level := hclog.Info
	if f.verbosity >= 4 {
		level = hclog.Debug
	}
	return hclog.New(&hclog.LoggerOptions{Name: "history", Level: level, Output: os.Stderr})
}

// newAccess returns nil without authentication.
func newAccess(f flags) (*server.Access, error) {
	if f.noAuth {
		return nil, nil
	}
	config, err := apiServer(f)
	if err != nil {
		return nil, fmt.Errorf("finding the API server, which knows who may read: %w: run in a Pod, or give --kubeconfig, or --no-auth", err)
	}
	config.QPS, config.Burst, config.Timeout = 50, 100, 10*time.Second
	client, err := kubeclient.New(config)
	if err != nil {
		return nil, err
	}
	return server.ClusterAccess(client, f.writers, f.writerAudience), nil
}

func apiServer(f flags) (*rest.Config, error) {
	if f.kubeconfig != "" {
		return clientcmd.BuildConfigFromFlags("", f.kubeconfig)
	}
	return rest.InClusterConfig()
}

// expire deletes old Frameworks until ctx ends.
func expire(ctx context.Context, s *store.Store, log hclog.Logger) {
	for {
		n, err := s.Expire(ctx, time.Now())
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			log.Warn("deleting old frameworks", "error", err)
		case n > 0:
			log.Info("old frameworks deleted", "frameworks", n)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(expireEvery):
		}
	}
}

// serveAll serves the API and the metrics until ctx ends or one fails.
func serveAll(ctx context.Context, f flags, l net.Listener, api *server.Server, log hclog.Logger) error {
	failed := make(chan error, 2)
	main := newServer(api.Handler(), log)
	main.RegisterOnShutdown(api.EndStreams)
	servers := []*http.Server{main}
	if f.metricsAddress != "" { // first, so that they are available once the API answers
		l, err := net.Listen("tcp", f.metricsAddress)
		if err != nil {
			return fmt.Errorf("--metrics-address: %w", err)
		}
		mux := http.NewServeMux()
		mux.Handle("GET /metrics", api.Metrics().Handler())
		scraped := newServer(mux, log)
		servers = append(servers, scraped)
		go func() { failed <- scraped.Serve(l) }()
	}
	if f.noAuth {
		go func() { failed <- main.Serve(l) }()
	} else {
		certificates, err := server.NewCertificates(f.tlsCert, f.tlsKey)
		if err != nil {
			return err
		}
		// Certificates of clients are verified with each request, as the authorities may change.
		main.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: certificates.Get, ClientAuth: tls.RequestClientCert}
		go func() { failed <- main.ServeTLS(l, "", "") }()
	}
	log.Info("serving", "address", l.Addr().String(), "database", store.Redacted(f.database), "auth", !f.noAuth)
	var err error
	select {
	case <-ctx.Done():
		log.Info("stopping")
	case err = <-failed:
	}
	stop, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	for _, s := range servers {
		if s.Shutdown(stop) != nil {
			_ = s.Close()
		}
	}
	return err
}

func newServer(h http.Handler, log hclog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       time.Minute,
		WriteTimeout:      time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          log.Named("http").StandardLogger(&hclog.StandardLoggerOptions{ForceLevel: hclog.Debug}),
	}
}

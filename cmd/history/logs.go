package main

import (
	"fmt"
	"os"

	"github.com/hashicorp/go-hclog"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/collect"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/kubeclient"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/logs"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/store"
)

// newCollector returns the reader of the logs of Pods.
func newCollector(f flags, s *store.Store, log hclog.Logger) (*collect.Collector, error) {
	text, err := os.ReadFile(f.logsConfig)
	if err != nil {
		return nil, fmt.Errorf("--logs-config: %w", err)
	}
	config, err := logs.ParseConfig(text)
	if err != nil {
		return nil, fmt.Errorf("--logs-config: %s: %w", f.logsConfig, err)
	}
	api, err := apiServer(f)
	if err != nil {
		return nil, fmt.Errorf("--logs-config: finding the API server, which has the logs: %w: run in a Pod, or give --kubeconfig", err)
	}
	// The collector limits itself. A log may be followed for days, so there is no timeout. With HTTP/1.1, a log that is read slowly
	// waits in the kernel's buffers rather than in memory.
	api.QPS, api.Timeout, api.NextProtos = -1, 0, []string{"http/1.1"}
	client, err := kubeclient.New(api)
	if err != nil {
		return nil, err
	}
	return collect.New(collect.Options{Cluster: client, Store: s, Config: config, Log: log}), nil
}

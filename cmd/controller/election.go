package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/hashicorp/go-hclog"
	"k8s.io/client-go/rest"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/config"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/election"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/health"
)

const (
	// leaseName is the name of the Lease.
	leaseName = "frameworkcontroller"
	// podNamespace is the file that holds the namespace of the Pod in which the process runs.
	podNamespace = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"
)

// newElection makes all writes of clients created from the config depend on a Lease; nil if leader election is off.
func newElection(flags config.Flags, c *rest.Config, log hclog.Logger) (*election.Election, error) {
	if !flags.LeaderElect {
		return nil, nil
	}
	namespace, err := leaseNamespace(flags)
	if err != nil {
		return nil, err
	}
	e, err := election.New(c, election.Options{
		Namespace: namespace, Name: leaseName, Timing: flags.LeaseTiming, Log: log.Named("election"),
	})
	if err != nil {
		return nil, err
	}
	e.Guard(c)
	return e, nil
}

func leaseNamespace(flags config.Flags) (string, error) {
	if flags.LeaseNamespace != "" {
		return flags.LeaseNamespace, nil
	}
	text, err := os.ReadFile(podNamespace)
	if errors.Is(err, fs.ErrNotExist) {
		return "", errors.New("--leader-elect-namespace: there is no default outside a Pod: name the namespace of the " +
			"Lease, such as kube-system")
	}
	if err != nil {
		return "", fmt.Errorf("--leader-elect-namespace: finding the namespace of the Pod: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// runElected runs the controller; with leader election, only while this process is the leader. Plugins start before
// that: a plugin that cannot start is noticed early, and starting plugins does not delay a fail-over.
func runElected(ctx context.Context, e *election.Election, c *controller.Controller) error {
	if e == nil {
		return c.Run(ctx)
	}
	c.StandBy(ctx)
	return e.Run(ctx, c.Run)
}

// leads returns a function that reports, for metrics, whether the process may write.
func leads(e *election.Election) func() bool {
	if e == nil {
		return func() bool { return true }
	}
	return e.Leading
}

func liveness(e *election.Election, c *controller.Controller) []health.Check {
	if e == nil {
		return c.Liveness()
	}
	return append(c.Liveness(), e.Liveness())
}

func readiness(e *election.Election, c *controller.Controller) []health.Check {
	if e == nil {
		return c.Readiness()
	}
	return append(c.Readiness(), e.Readiness())
}

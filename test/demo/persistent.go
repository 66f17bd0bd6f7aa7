package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/discovery"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

// persistent is the name of the cluster that outlives a command.
const persistent = "dev"

const nodes = 10

func up(ctx context.Context, wanted scheduler) error {
	if c, err := cluster.Open(persistent); err == nil {
		if alive(c) {
			return alreadyUp(c, wanted)
		}
		if err := c.Stop(); err != nil {
			return err
		}
	}
	c, err := cluster.Start(ctx, cluster.Options{Nodes: nodes, ComponentArgs: wanted.componentArgs(), Persistent: persistent, Log: os.Stdout})
	if err != nil {
		return err
	}
	if err := wanted.remember(c); err != nil {
		return errors.Join(err, c.Stop())
	}
	explainNext(c)
	return nil
}

func alreadyUp(c *cluster.Cluster, wanted scheduler) error {
	has, err := schedulerOf(c)
	if err != nil {
		return err
	}
	if has != wanted {
		return fmt.Errorf("the cluster is already up with %s, and not with %s: make cluster-down removes it", has, wanted)
	}
	fmt.Println("the cluster is already up")
	explainNext(c)
	return nil
}

func explainNext(c *cluster.Cluster) {
	fmt.Println("run the controller on it with: make run")
	fmt.Println("remove it with: make cluster-down")
	lookAround(c)
}

// alive reports whether the API server answers. It does not after a restart of the machine.
func alive(c *cluster.Cluster) bool {
	config := *c.Config
	config.Timeout = 5 * time.Second
	client, err := discovery.NewDiscoveryClientForConfig(&config)
	if err != nil {
		return false
	}
	_, err = client.ServerVersion()
	return err == nil
}

func down(ctx context.Context) error {
	c, err := cluster.Open(persistent)
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Println("no cluster is up")
		return nil
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return errors.Join(removal(c.Dir).prepare(ctx), c.Stop())
}

// keptHistory is the database of make run. It outlives the clusters.
var keptHistory = filepath.Join("bin", "history.db")

// runController returns when the controller ends: by itself, on Ctrl-C, or because the cluster is being removed.
func runController(ctx context.Context) error {
	c, err := cluster.Open(persistent)
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("no cluster is up: make cluster-up starts one")
	}
	if err != nil {
		return err
	}
	r := removal(c.Dir)
	ctx, release, err := r.attend(ctx)
	if err != nil {
		return err
	}
	defer release()
	h, err := startHistory(c, keptHistory)
	if err != nil {
		return err
	}
	defer h.stop() // after the controller has ended, which sends to it until then
	fmt.Printf("the history is kept in %s; ask it in another terminal with:\n  export FRAMEWORK_HISTORY_URL=%s\n  bin/kubectl-framework history -A\n",
		keptHistory, h.url())
	controller, err := startController(ctx, c, os.Stderr, h.plugin())
	if err != nil {
		return err
	}
	err = <-controller
	if r.requested() && (err == nil || errors.Is(err, context.Canceled)) {
		fmt.Println("the cluster was removed, and the controller with it")
		return nil
	}
	return err
}

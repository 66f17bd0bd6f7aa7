package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
)

// past is a history server for this machine alone.
type past struct {
	address string
	process *launch.Process
}

// startHistory starts a server that ends with the cluster at the latest. Database is the path of its file.
func startHistory(c *cluster.Cluster, database string) (past, error) {
	database, err := filepath.Abs(database)
	if err != nil {
		return past{}, err
	}
	h := past{}
	if h.address, err = launch.FreeAddress(); err != nil {
		return past{}, err
	}
	h.process, err = launch.History(c, launch.Options{
		Binary: "bin/history", Dir: filepath.Join(c.Dir, "history"), Log: filepath.Join(c.Dir, "history.log"),
		Attributes: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM},
	}, h.address, database)
	return h, err
}

// stop lets the server store the records that it has received.
func (h past) stop() { _, _ = h.process.Terminate(patience) }

func (h past) url() string { return "http://" + h.address }

// plugin is the entry of the configuration with which a controller sends to the server.
func (h past) plugin() string {
	return "- {name: history, kind: HistorySink, command: history-remote, parameters: {url: '" + h.url() + "'}}"
}

// show deletes the Framework, and asks the history about it.
func (h past) show(ctx context.Context, c *cluster.Cluster, m manifest, p *paper) error {
	p.heading(fmt.Sprintf("$ kubectl delete fw %s -n %s", m.name, m.namespace))
	output, err := c.Command(ctx, c.Kubectl, "delete", "fw", m.name, "-n", m.namespace).CombinedOutput()
	p.text(strings.TrimSpace(string(output)))
	if err != nil {
		return err
	}
	for begin := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		output, err = h.ask(ctx, c, m, "history")
		if err == nil && strings.Contains(string(output), "Deleted") || time.Since(begin) > patience || ctx.Err() != nil {
			break // the demo shows the answer of the moment
		}
	}
	p.heading(fmt.Sprintf("$ kubectl framework history %s -n %s", m.name, m.namespace))
	p.text(strings.TrimRight(string(output), "\n"))
	if err != nil {
		return err
	}
	// Pods of simulated nodes have no logs to show.
	output, err = h.ask(ctx, c, m, "explain")
	p.heading(fmt.Sprintf("$ kubectl framework explain %s -n %s", m.name, m.namespace))
	p.text(strings.TrimRight(string(output), "\n"))
	return err
}

func (h past) ask(ctx context.Context, c *cluster.Cluster, m manifest, command string) ([]byte, error) {
	return c.Command(ctx, "bin/kubectl-framework", command, m.name, "-n", m.namespace, "--history-url", h.url()).CombinedOutput()
}

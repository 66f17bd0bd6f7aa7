package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/config"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyclient"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
)

// historyTarget is for the whole life with a history in SQLite, against the same without.
const historyTarget = 1.05

// historyServer is a server with an empty database.
type historyServer struct {
	process *launch.Process
	url     string
	dir     string
}

// productWithHistory runs the Frameworks of a work with a sink and a server of their own, and without other plugins.
func (b *bench) productWithHistory(ctx context.Context, w work) (r sample, err error) {
	server, err := b.startHistory()
	if err != nil {
		return r, err
	}
	defer server.stop()
	own := *b
	own.history = server
	if r, err = own.productAs(ctx, w, withHistory(b.config, server.url)); err != nil {
		return r, err
	}
	if r.HistoryMiB, err = peakMiB(server.process.PID()); err != nil {
		return r, err
	}
	return r, server.awaitAttempts(ctx, w)
}

func (b *bench) startHistory() (*historyServer, error) {
	address, err := launch.FreeAddress()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(b.cluster.Dir, "history-")
	if err != nil {
		return nil, err
	}
	p, err := launch.History(b.cluster, launch.Options{
		Binary: filepath.Join(filepath.Dir(b.options.controller), "history"), Dir: dir,
		Attributes: &syscall.SysProcAttr{Setpgid: true},
	}, address, filepath.Join(dir, "history.db"))
	return &historyServer{p, "http://" + address, dir}, err
}

func (s *historyServer) stop() {
	_, _ = s.process.Terminate(10 * time.Second)
	_ = os.RemoveAll(s.dir)
}

// withHistory returns a configuration with the shipped sink as its only plugin.
func withHistory(c *config.Config, url string) *config.Config {
	own := *c
	own.PluginSpecs = []config.PluginSpec{{Name: "history", Kind: string(plugin.KindHistorySink), Command: "history-remote",
		Parameters: config.Parameters{"url": url}}}
	return &own
}

// awaitAttempts returns an error unless the server has every attempt once: otherwise the measurement lacks a part of its work.
func (s *historyServer) awaitAttempts(ctx context.Context, w work) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	client, err := historyclient.Connect(ctx, &rest.Config{}, historyclient.Options{URL: s.url})
	if err != nil {
		return err
	}
	defer client.Close()
	for _, f := range w.specs() {
		var last error
		err := wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(ctx context.Context) (bool, error) {
			last = hasAttempts(ctx, client, f.Name, w.tasks)
			return last == nil, nil
		})
		if err != nil {
			return errors.Join(last, err)
		}
	}
	return nil
}

func hasAttempts(ctx context.Context, client *historyclient.Client, name string, tasks int) error {
	detail, err := client.Framework(ctx, namespace, name, "")
	if err != nil {
		return err
	}
	stored := 0
	for _, o := range detail.Outcomes {
		stored += int(o.Count)
	}
	if stored != tasks || len(detail.Attempts) != 1 {
		return fmt.Errorf("the history has %d attempts of Framework %s and %d of its Tasks, not 1 and %d", len(detail.Attempts), name, stored, tasks)
	}
	return nil
}

// historyRows compare the runs with and without a history, if there are any.
func (w workRuns) historyRows() []row {
	if len(w.History) == 0 {
		return nil
	}
	against := func(what string, f func(sample) float64) row {
		return compare(w.Work+": "+what+", with a history against without", w.Product, w.History, f)
	}
	of := func(f func(sample) float64) float64 { return median(w.History, f) }
	return []row{
		against("apply -> Completed", sample.life).within(historyTarget),
		against("controller CPU, whole life", func(r sample) float64 { return r.CPU[controllerName] }),
		absolute(w.Work+": CPU of the sink and the history server", "s", of(func(r sample) float64 { return r.CPU[pluginsName] + r.CPU[historyName] })),
		absolute(w.Work+": history server peak memory", "MiB", of(func(r sample) float64 { return r.HistoryMiB })),
	}
}

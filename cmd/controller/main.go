// Command frameworkcontroller runs the Frameworks of a cluster. Package controller does the work, and package config
// reads the configuration.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"sync/atomic"
	"syscall"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/config"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/goruntime"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginreload"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/version"
)

func main() {
	goruntime.LimitProcessors()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// Register at once: a SIGHUP that is not handled ends the process.
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	goruntime.CollectSeldom(ctx)
	if err := run(ctx, os.Args[1:], hangups); err != nil {
		fmt.Fprintln(os.Stderr, "frameworkcontroller:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, hangups <-chan os.Signal) error {
	flags, err := config.ParseFlags(args, os.Stdout)
	if errors.Is(err, config.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	switch {
	case flags.Build:
		fmt.Println(version.Line("frameworkcontroller"))
		return nil
	case flags.Version:
		fmt.Println(version.Number())
		return nil
	}
	file := config.NewFile(flags.ConfigPath)
	c, err := file.Load()
	if err != nil {
		return err
	}
	if flags.Check {
		return approve(os.Stdout, flags.ConfigPath, c)
	}
	return serve(ctx, file, c, flags, hangups)
}

// approve prints that a configuration is valid, and warnings about suspicious settings.
func approve(out io.Writer, path string, c *config.Config) error {
	for _, w := range c.Warnings() {
		fmt.Fprintln(out, "warning:", w)
	}
	_, err := fmt.Fprintln(out, path, "is valid")
	return err
}

// serve runs the controller until ctx ends.
func serve(ctx context.Context, file *config.File, c *config.Config, flags config.Flags, hangups <-chan os.Signal) error {
	log := newLog(flags)
	log.Info("starting", "version", version.Number(), "commit", version.Commit(), "pid", os.Getpid(), "processors", runtime.GOMAXPROCS(0))
	log.Info("configuration", append([]any{"path", flags.ConfigPath}, c.Summary()...)...)
	log.Debug("configuration", "effective", c.Redacted())
	for _, w := range c.Warnings() {
		log.Warn("suspicious configuration", "warning", w)
	}
	listener, err := listen(flags.HTTPAddress)
	if err != nil {
		return err
	}
	m := newMetrics(c)
	rc, err := connect(c, log)
	if err != nil {
		return err
	}
	elected, err := newElection(flags, rc, log)
	if err != nil {
		return err
	}
	clients, err := controller.NewClients(rc)
	if err != nil {
		return err
	}
	var running atomic.Pointer[controller.Controller]
	policiesChanged := func() {
		if c := running.Load(); c != nil {
			c.PoliciesChanged()
		}
	}
	hintsChanged := func(namespace, name string) {
		if c := running.Load(); c != nil {
			c.HintsChanged(namespace, name)
		}
	}
	host, stop := pluginreload.Start(pluginreload.Options{File: file, Config: c, Hangups: hangups,
		PoliciesChanged: policiesChanged, OnCall: m.PluginCalled, OnHintsChanged: hintsChanged, Log: log})
	defer stop()
	ctrl, err := controller.New(clients, options(c, host, m, log))
	if err != nil {
		return err
	}
	running.Store(ctrl)
	m.Follow(ctrl)
	m.FollowPlugins(host)
	m.FollowLeader(leads(elected))
	defer startHTTP(listener, handler(liveness(elected, ctrl), readiness(elected, ctrl), m), log)()
	return runElected(ctx, elected, ctrl)
}

// Demo starts a cluster with simulated nodes and runs this checkout's controller on it. make calls it:
//
//	demo tools [oldest] get the programs that a cluster needs, of the newest Kubernetes or of the oldest tested one
//	demo up [gang]      start a cluster that stays; with gang, its scheduler places gangs
//	demo run            run the controller against that cluster, in the foreground
//	demo down           remove that cluster
//	demo demo [file]    show the life of one Framework on a cluster of its own, then clean up
//
// It runs in the root folder of a checkout, and expects the controller in bin/frameworkcontroller.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:])
	switch {
	case err == nil:
	case ctx.Err() != nil:
		os.Exit(130) // interrupted: errors caused by that are not printed
	default:
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	verb := ""
	if len(args) > 0 {
		verb = args[0]
	}
	switch verb {
	case "tools":
		r, err := releaseNamed(args[1:])
		if err != nil {
			return err
		}
		return cluster.ProvideTools(ctx, os.Stdout, r)
	case "up":
		wanted, err := schedulerNamed(args[1:])
		if err != nil {
			return err
		}
		return up(ctx, wanted)
	case "run":
		return runController(ctx)
	case "down":
		return down(ctx)
	case "demo":
		return demo(ctx, args[1:])
	}
	return fmt.Errorf("unknown verb %q, want tools, up, run, down or demo", verb)
}

func releaseNamed(args []string) (cluster.Release, error) {
	if len(args) == 0 {
		return cluster.Newest, nil
	}
	if args[0] == "oldest" {
		return cluster.Oldest, nil
	}
	return cluster.Newest, fmt.Errorf("unknown release %q: there is oldest, or none for the newest", args[0])
}

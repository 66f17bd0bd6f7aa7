// Command frameworkbarrier holds a Task until every Task of its Framework has an address. Package barrier does the
// work; all settings are environment variables.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/barrier"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/version"
)

func main() {
	beModest()
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() { cancel(barrier.Signaled((<-signals).(syscall.Signal))) }()
	os.Exit(run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
}

// beModest keeps the runtime from parallel work, and from collecting garbage that the end of the process frees anyway.
// The process has one short job, and where a thousand barriers share a machine they would slow each other down: with
// this they took a third less processor time.
func beModest() {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(400)
}

// run returns the exit code. Arguments other than --version are left alone: the original has none.
func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	if len(args) == 1 && args[0] == "--version" {
		fmt.Fprintln(stdout, version.Number())
		return barrier.ExitPassed
	}
	return barrier.Run(ctx, barrier.Options{
		Getenv:         getenv,
		Dir:            ".",
		Version:        version.Number(),
		Stderr:         stderr,
		TerminationLog: terminationLog(getenv),
	})
}

func terminationLog(getenv func(string) string) string {
	if path := getenv("BARRIER_TERMINATION_LOG"); path != "" {
		return path
	}
	return "/dev/termination-log"
}

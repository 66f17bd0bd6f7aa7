// Command history keeps the history of Frameworks, and answers queries about it. Package store has the database, and package
// server the API.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/goruntime"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/store"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/version"
)

func main() {
	goruntime.LimitProcessors()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "history:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	f, err := parseFlags(args, os.Stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return err
	}
	switch f.command {
	case "version":
		fmt.Println(version.Line("history"))
		return nil
	case "backup":
		return store.Backup(ctx, f.database, f.file)
	}
	return serve(ctx, f)
}

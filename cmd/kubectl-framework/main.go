// Command kubectl-framework is a plugin of kubectl: on the PATH, it is `kubectl framework`. Its commands are in
// pkg/kubectl.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/klog/v2"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/kubectl"
)

func main() {
	klog.SetLogger(klog.Logger{}) // client-go would log errors that the commands report, and requests that they cancelled themselves
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // so that a second Ctrl-C ends even a command that ignores the first
	streams := genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}
	code := kubectl.Run(ctx, streams, os.Args[1:])
	stop()
	os.Exit(code)
}

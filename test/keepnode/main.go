// Keepnode keeps a real node (package node) for people: a cluster of this machine's own on which containers run, with the controller and
// the images of this checkout. make calls it:
//
//	keepnode up         start it, and return when Frameworks can be created
//	keepnode load FILE  give it the images in an archive: no registry can be reached from it
//	keepnode down       end it; nothing is left but what was built
//
// It runs in the root folder of a checkout. Up starts "keepnode hold", which stays, and runs everything in namespaces of its own; when that
// process ends, however it does, everything ends. Its folder is bin/node:
//
//	owner        locked as long as hold lives, or what it has started; its content is the process id
//	log          what hold prints
//	server.sock  leads to the API server: hold forwards an address on loopback to it
//	control.sock takes the requests of load and down
//	kubeconfig   is there as soon as the node can be used
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	if err := do(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func do(args []string) error {
	h, err := newHome()
	if err != nil {
		return err
	}
	switch {
	case len(args) == 1 && args[0] == "up":
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		return up(ctx, h)
	case len(args) == 1 && args[0] == "hold":
		os.Exit(hold(h))
	case len(args) == 1 && args[0] == "down":
		return down(h)
	case len(args) == 2 && args[0] == "load":
		return load(h, args[1])
	}
	return errors.New("want up, down, or load FILE")
}

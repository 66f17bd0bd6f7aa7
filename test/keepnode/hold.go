package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/node"
)

// patience is how long to wait for the controller, on a machine that has other work to do, too.
const patience = 5 * time.Minute

// product is this checkout. The images are where tests of the node have them, so that both build them once.
var product = node.Checkout{Root: ".", Images: "bin/e2e-node"}

// hold runs the node until it is asked to end, and returns the code for the end of the process.
func hold(h home) (code int) {
	return node.Isolate(node.Isolation{Tools: "bin/tools", Required: true, Prepare: h.prepare}, func() int {
		if err := h.inside(context.Background()); err != nil {
			fmt.Println("error:", err)
			return 1
		}
		return 0
	})
}

// prepare does the work that needs the machine and its network.
func (h home) prepare(ctx context.Context) error {
	if err := product.Prepare(ctx); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if err := os.WriteFile(h.path("address"), []byte(listener.Addr().String()), 0o644); err != nil {
		return err
	}
	go node.Forward(listener, "unix", h.path("server.sock"))
	return nil
}

// inside runs in the namespaces.
func (h home) inside(ctx context.Context) (err error) {
	kube, err := cluster.Start(ctx, node.ControlPlane())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kube.Stop()) }()
	n, err := node.Start(ctx, kube)
	if err != nil {
		return err
	}
	fmt.Println("installing the controller")
	if err := n.Install(ctx, kube, product, patience); err != nil {
		return fmt.Errorf("%w\n%s\n%s", err, n.Logs(node.ControllerNamespace), n.LogTails())
	}
	if err := h.offer(kube); err != nil {
		return err
	}
	control, err := net.Listen("unix", h.path("control.sock"))
	if err != nil {
		return err
	}
	if err := h.writeKubeconfig(kube); err != nil {
		return err
	}
	return answer(ctx, control, n)
}

// offer makes the API server reachable from the machine, by a file: the network in here leads nowhere.
func (h home) offer(kube *cluster.Cluster) error {
	server, err := url.Parse(kube.Config.Host)
	if err != nil {
		return err
	}
	listener, err := net.Listen("unix", h.path("server.sock"))
	if err != nil {
		return err
	}
	go node.Forward(listener, "tcp", server.Host)
	return nil
}

// writeKubeconfig writes a kubeconfig that leads through the machine's address, in one step.
func (h home) writeKubeconfig(kube *cluster.Cluster) error {
	config, err := clientcmd.LoadFromFile(kube.Kubeconfig)
	if err != nil {
		return err
	}
	if err := api.FlattenConfig(config); err != nil {
		return err
	}
	address, err := os.ReadFile(h.path("address"))
	if err != nil {
		return err
	}
	for _, c := range config.Clusters {
		c.Server = "https://" + strings.TrimSpace(string(address))
	}
	fresh := h.path(".kubeconfig")
	if err := clientcmd.WriteToFile(*config, fresh); err != nil {
		return err
	}
	return os.Rename(fresh, h.kubeconfig())
}

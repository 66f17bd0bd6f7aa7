package node

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"sync"
)

// The addresses of the node's network, which is invisible from outside.
const (
	nodeIP       = "172.31.0.2"
	podRange     = "10.244.0.0/16"
	serviceRange = "10.96.0.0/16"
	// serviceIP is the address of the API server for Pods, at port 443: the first one of the range of Services.
	serviceIP = "10.96.0.1"
	// dnsIP is the address of the cluster's DNS for Pods.
	dnsIP = "10.96.0.10"
)

// makeNetwork sets up the network namespace of this process. All addresses are on lo, because a kernel may lack dummy
// interfaces; Pods reach them through their gateway, which is the same machine. kwokctl puts them into
// the certificate of the API server, as all addresses that it finds.
func makeNetwork() error {
	for _, args := range [][]string{
		{"link", "set", "lo", "up"},
		{"address", "add", nodeIP + "/32", "dev", "lo"},
		{"address", "add", serviceIP + "/32", "dev", "lo"},
		{"address", "add", dnsIP + "/32", "dev", "lo"},
	} {
		if output, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("ip %v: %w\n%s", args, err, output)
		}
	}
	return nil
}

// networkPlugin configures how containerd connects Pods: to a bridge, through which they reach each other and the node.
const networkPlugin = `{
  "cniVersion": "1.0.0",
  "name": "pods",
  "plugins": [{
    "type": "bridge",
    "bridge": "pods0",
    "isGateway": true,
    "hairpinMode": true,
    "ipam": {"type": "host-local", "ranges": [[{"subnet": "` + podRange + `"}]], "routes": [{"dst": "0.0.0.0/0"}]}
  }]
}
`

func writeNetworkPlugin(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(dir+"/pods.conflist", []byte(networkPlugin), 0o644)
}

// forward makes the API server, which listens on loopback, reachable for Pods. It is all of kube-proxy that they need.
// It ends with this process.
func forward(apiServer string) error {
	listener, err := net.Listen("tcp", serviceIP+":443")
	if err != nil {
		return err
	}
	go Forward(listener, "tcp", apiServer)
	return nil
}

// Forward joins each connection to the listener with a new one to an address, until the listener is closed.
func Forward(listener net.Listener, network, address string) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		go join(client, network, address)
	}
}

func join(client net.Conn, network, address string) {
	defer client.Close()
	server, err := net.Dial(network, address)
	if err != nil {
		return
	}
	defer server.Close()
	var both sync.WaitGroup
	both.Go(func() { copyHalf(server, client) })
	both.Go(func() { copyHalf(client, server) })
	both.Wait()
}

// copyHalf copies one direction, and signals the receiver when the sender is done.
func copyHalf(to, from net.Conn) {
	_, err := io.Copy(to, from)
	if half, ok := to.(interface{ CloseWrite() error }); ok && err == nil {
		err = half.CloseWrite()
	}
	if err != nil && !errors.Is(err, net.ErrClosed) {
		to.Close()
		from.Close()
	}
}

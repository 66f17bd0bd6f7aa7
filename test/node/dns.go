package node

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// dnsZone is where the names of the cluster are, as in most clusters.
const (
	dnsZone   = "cluster.local"
	dnsHealth = "127.0.0.1:8181"
)

// dnsConfig has a placeholder for the kubeconfig. Names of other zones do not exist: the network leads nowhere.
const dnsConfig = `. {
	bind ` + dnsIP + `
	ready ` + dnsHealth + `
	errors
	kubernetes ` + dnsZone + ` in-addr.arpa {
		kubeconfig %s
	}
	template ANY ANY {
		rcode NXDOMAIN
	}
}
`

// startDNS returns once the DNS of the cluster knows the cluster's Services.
func startDNS(ctx context.Context, binary, kubeconfig, logs string) (*process, error) {
	config := filepath.Join(scratch, "Corefile")
	if err := os.WriteFile(config, fmt.Appendf(nil, dnsConfig, kubeconfig), 0o644); err != nil {
		return nil, err
	}
	dns := &process{name: "coredns", log: filepath.Join(logs, "coredns.log"), new: func() *exec.Cmd {
		return exec.Command(binary, "-conf", config)
	}}
	if err := dns.start(); err != nil {
		return nil, err
	}
	return dns, dns.until(ctx, func() bool { return answers("http://" + dnsHealth + "/ready") })
}

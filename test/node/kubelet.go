package node

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
)

// Name is the name of the Node.
const Name = "real-node"

const kubeletHealth = "http://127.0.0.1:10248/healthz"

// kubeletConfig has a placeholder for the root of the cgroups. Some settings are for version 1 of cgroups, and for a root without
// CAP_SYS_RESOURCE. This kubelet allows every request, because only the node's own network reaches it. Leases are short, so that tests need
// not wait long until a dead kubelet is noticed. Logs are rotated as often as the kubelet allows it, at a size that only a test of that
// reaches.
const kubeletConfig = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
containerRuntimeEndpoint: unix://` + containerdSocket + `
address: ` + nodeIP + `
authentication:
  anonymous: {enabled: true}
  webhook: {enabled: false}
authorization: {mode: AlwaysAllow}
cgroupDriver: cgroupfs
cgroupRoot: /%s
failCgroupV1: false
enforceNodeAllocatable: []
oomScoreAdj: 0
failSwapOn: false
evictionHard: {memory.available: 64Mi}
imageGCHighThresholdPercent: 100
resolvConf: ""
clusterDNS: [` + dnsIP + `]
clusterDomain: ` + dnsZone + `
makeIPTablesUtilChains: false
nodeLeaseDurationSeconds: 8
maxPods: 250
containerLogMaxSize: 1Mi
containerLogMonitorInterval: 3s
`

// startKubelet returns once the kubelet reports that it is healthy.
func startKubelet(ctx context.Context, binary, kubeconfig, logs string) (*process, error) {
	config := filepath.Join(scratch, "kubelet.yaml")
	text := fmt.Sprintf(kubeletConfig, os.Getenv(cgroupName))
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		return nil, err
	}
	kubelet := &process{name: "kubelet", log: filepath.Join(logs, "kubelet.log"), new: func() *exec.Cmd {
		return exec.Command(binary, "--config", config, "--kubeconfig", kubeconfig, "--hostname-override", Name,
			"--node-ip", nodeIP, "--root-dir", "/var/lib/kubelet", "--v=2")
	}}
	if err := kubelet.start(); err != nil {
		return nil, err
	}
	return kubelet, kubelet.until(ctx, func() bool { return answers(kubeletHealth) })
}

func answers(url string) bool {
	response, err := http.Get(url)
	if err != nil {
		return false
	}
	response.Body.Close()
	return response.StatusCode == http.StatusOK
}

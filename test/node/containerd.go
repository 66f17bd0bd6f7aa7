package node

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
)

const (
	containerdSocket = "/run/containerd/containerd.sock"
	pauseImage       = "frameworkcontroller.test/pause:1"
)

// containerdConfig needs: programs, folder of the network plugin's configuration. Without CAP_SYS_RESOURCE, which root
// in a container lacks, no process may be made less likely to be killed.
const containerdConfig = `version = 2
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "` + pauseImage + `"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = %q
    conf_dir = %q
`

// startContainerd returns once images can be loaded.
func startContainerd(ctx context.Context, p programs, logs string) (*process, error) {
	networks := filepath.Join(scratch, "networks")
	if err := writeNetworkPlugin(networks); err != nil {
		return nil, err
	}
	config := filepath.Join(scratch, "containerd.toml")
	text := fmt.Sprintf(containerdConfig, p.path("usr/lib/cni"), networks)
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		return nil, err
	}
	containerd := &process{name: "containerd", log: filepath.Join(logs, "containerd.log"), new: func() *exec.Cmd {
		cmd := exec.Command(p.path("usr/bin/containerd"), "--config", config)
		cmd.Env = append(os.Environ(), p.searchPath())
		return cmd
	}}
	if err := containerd.start(); err != nil {
		return nil, err
	}
	return containerd, containerd.until(ctx, func() bool {
		conn, err := net.Dial("unix", containerdSocket)
		if err != nil {
			return false
		}
		conn.Close()
		return true
	})
}

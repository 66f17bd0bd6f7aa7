package node

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

// ControlPlane is the cluster that a node can join: without simulated Nodes, and with a kwok that leaves Nodes alone.
// A Node counts as lost after 15 s, and nothing is evicted from it for some minutes.
func ControlPlane() cluster.Options {
	return cluster.Options{ComponentArgs: map[string][]string{
		"kube-apiserver": {
			"--service-cluster-ip-range=" + serviceRange,
			"--kubelet-preferred-address-types=InternalIP",
		},
		"kube-controller-manager": {
			"--node-monitor-period=1s",
			"--node-monitor-grace-period=15s",
		},
		"kwok-controller": {
			"--manage-all-nodes=false",
			"--manage-nodes-with-annotation-selector=simulated=yes",
		},
	}}
}

// Node is a running node. It ends with the process that Isolate started.
type Node struct {
	programs   programs
	client     kubernetes.Interface
	dns        *process
	containerd *process
	kubelet    *process
}

// Start adds a node to the cluster, and returns once Pods can run on it. It has to be called in the function that is
// given to Isolate.
func Start(ctx context.Context, c *cluster.Cluster) (*Node, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	client, err := kubernetes.NewForConfig(c.Config)
	if err != nil {
		return nil, err
	}
	tools := filepath.Dir(c.Kubectl)
	tool := func(name string) string { return filepath.Join(tools, name) }
	n := &Node{programs: programsIn(tools), client: client}
	server, err := url.Parse(c.Config.Host)
	if err != nil {
		return nil, err
	}
	if err := forward(server.Host); err != nil {
		return nil, err
	}
	if n.dns, err = startDNS(ctx, tool(cluster.CoreDNS), c.Kubeconfig, c.Dir); err != nil {
		return nil, err
	}
	if n.containerd, err = startContainerd(ctx, n.programs, c.Dir); err != nil {
		return nil, err
	}
	if err := errors.Join(n.loadPause(ctx), n.loadBusybox(ctx, busyboxIn(tools))); err != nil {
		return nil, err
	}
	if n.kubelet, err = startKubelet(ctx, tool(cluster.Kubelet), c.Kubeconfig, c.Dir); err != nil {
		return nil, err
	}
	go keepLogs()
	return n, n.AwaitReady(ctx, corev1.ConditionTrue)
}

// AwaitReady returns once the condition Ready of the node has that status: True, False, or Unknown when the control plane has not heard
// from the kubelet for a while.
func (n *Node) AwaitReady(ctx context.Context, want corev1.ConditionStatus) error {
	last := "no Node"
	err := wait.PollUntilContextCancel(ctx, 100*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		node, err := n.client.CoreV1().Nodes().Get(ctx, Name, metav1.GetOptions{})
		if err != nil {
			return false, nil
		}
		for _, c := range node.Status.Conditions {
			if c.Type == corev1.NodeReady {
				last = fmt.Sprintf("%s %s: %s", c.Status, c.Reason, c.Message)
				return c.Status == want && (want != corev1.ConditionTrue || len(node.Spec.Taints) == 0), nil
			}
		}
		return false, nil
	})
	if err != nil {
		return fmt.Errorf("waiting for the Node to be ready=%s, it is %s: %w\n%s", want, last, err, n.LogTails())
	}
	return nil
}

// KillKubelet ends the kubelet without warning. Containers keep running.
func (n *Node) KillKubelet() error { return n.kubelet.kill() }

// RestartKubelet starts the kubelet after KillKubelet, and returns once it is healthy.
func (n *Node) RestartKubelet(ctx context.Context) error {
	if err := n.kubelet.start(); err != nil {
		return err
	}
	return n.kubelet.until(ctx, func() bool { return answers(kubeletHealth) })
}

// LoadImage makes the images in an archive, in the format of OCI or of docker save, available to Pods. Image makes one.
func (n *Node) LoadImage(ctx context.Context, archive string) error {
	_, err := n.ctr(ctx, "images", "import", "--digests=false", archive)
	return err
}

func (n *Node) ctr(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, n.programs.path("usr/bin/ctr"),
		append([]string{"--address", containerdSocket, "--namespace", "k8s.io"}, args...)...)
	output, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("ctr %v: %w\n%s", args, err, output)
	}
	return string(output), nil
}

// LogTails returns the ends of the logs of the node's programs.
func (n *Node) LogTails() string {
	return n.dns.logTail() + n.containerd.logTail() + n.kubelet.logTail()
}

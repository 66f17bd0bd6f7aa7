package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Options select the cluster to start. The zero value is a cluster without nodes.
type Options struct {
	// Nodes is the number of simulated nodes. Each has 32 CPUs, 256 GiB of memory,
	// 8 GPUs (nvidia.com/gpu) and room for 1000 Pods.
	Nodes int

	// Release of the control plane and of kubectl. Empty: the newest.
	Release Release

	// ComponentArgs are additional flags by component: kube-apiserver, kube-controller-manager, kube-scheduler,
	// etcd, kwok-controller. For an audit log:
	//
	//	{"kube-apiserver": {"--audit-policy-file=/path/policy.yaml", "--audit-log-path=/path/audit.log"}}
	ComponentArgs map[string][]string

	// Persistent names a cluster that stays when this process ends, until Stop is called on it, possibly by another
	// process after Open. There is at most one of a name in a checkout. Empty: the cluster ends with this process.
	// Only a cluster of the newest release may stay.
	Persistent string

	// Log receives the progress, a few lines of text. Nil: standard error.
	Log io.Writer
}

// Cluster is a running control plane.
type Cluster struct {
	// Dir holds all files of the cluster; the logs of the components are in clusters/*/logs below it. Callers may
	// put files of their own into it: they are removed with the cluster.
	Dir string

	// Kubeconfig and Kubectl are the paths of a kubeconfig file with full access, and of a matching kubectl.
	Kubeconfig string
	Kubectl    string

	// Config is for clients in this process. It does not limit their rate. Copy it before changing it.
	Config *rest.Config

	home *home
}

// ErrExists is returned by Start for a persistent cluster that is already there.
var ErrExists = errors.New("the cluster exists")

// Start provides the tools if needed, and starts a cluster in which Pods can be created at once in the namespace
// default. After an error nothing is left behind; cancelling ctx afterwards has no effect.
func Start(ctx context.Context, o Options) (*Cluster, error) {
	if o.Persistent != "" && o.Release != Newest {
		return nil, errors.New("only a cluster of the newest release may stay")
	}
	if o.Log == nil {
		o.Log = os.Stderr
	}
	root, err := findCheckout()
	if err != nil {
		return nil, err
	}
	if err := ProvideTools(ctx, o.Log, o.Release); err != nil {
		return nil, err
	}
	if err := sweep(root.clusters()); err != nil {
		return nil, err
	}
	home, err := newHome(root.clusters(), o.Persistent)
	if errors.Is(err, fs.ErrExist) {
		return nil, ErrExists
	}
	if err != nil {
		return nil, err
	}
	c, err := startIn(ctx, root, home, o)
	if err != nil {
		return nil, errors.Join(err, home.remove())
	}
	return c, nil
}

func startIn(ctx context.Context, root checkout, home *home, o Options) (*Cluster, error) {
	fmt.Fprintf(o.Log, "starting a %s ... ", o.what())
	start := time.Now()
	c, err := launch(ctx, root, home, o)
	if err != nil {
		fmt.Fprintln(o.Log)
		return nil, fmt.Errorf("starting a cluster: %w\n%s", err, home.logTails())
	}
	if o.Persistent != "" {
		if err := home.keep(); err != nil {
			return nil, err
		}
	}
	fmt.Fprintf(o.Log, "%.1f s\n", time.Since(start).Seconds())
	return c, nil
}

// what describes a cluster in messages.
func (o Options) what() string {
	if o.Nodes == 0 {
		return "control plane"
	}
	return fmt.Sprintf("cluster with %d simulated nodes", o.Nodes)
}

func launch(ctx context.Context, root checkout, home *home, o Options) (*Cluster, error) {
	if err := (kwokctl{root: root, home: home, release: o.Release, args: o.ComponentArgs}).create(ctx); err != nil {
		return nil, err
	}
	c, err := open(root, home, o.Release)
	if err != nil {
		return nil, err
	}
	client, err := kubernetes.NewForConfig(c.Config)
	if err != nil {
		return nil, err
	}
	if err := createNodes(ctx, client, o.Nodes); err != nil {
		return nil, err
	}
	if err := awaitUsable(ctx, client); err != nil {
		return nil, err
	}
	return c, createGuard(ctx, client)
}

// Open returns the persistent cluster of that name. The error is fs.ErrNotExist if it does not exist; Open does not check whether its
// processes still run.
func Open(name string) (*Cluster, error) {
	root, err := findCheckout()
	if err != nil {
		return nil, err
	}
	home := &home{dir: root.clusters() + "/" + name}
	if _, err := os.Stat(home.dir); err != nil {
		return nil, err
	}
	return open(root, home, Newest)
}

func open(root checkout, home *home, r Release) (*Cluster, error) {
	kubeconfig := home.path("kubeconfig")
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	// Read now: a client that knows the files reads them again and again, and complains when the cluster is gone.
	if err := rest.LoadTLSFiles(config); err != nil {
		return nil, err
	}
	config.CertFile, config.KeyFile = "", ""
	return &Cluster{
		Dir:        home.dir,
		Kubeconfig: kubeconfig,
		Kubectl:    root.tool("kubectl" + r.suffix()),
		Config:     config,
		home:       home,
	}, nil
}

// Command returns a command that finds the cluster through KUBECONFIG. Its process, and its child processes, end with the cluster at the
// latest, killed if need be.
func (c *Cluster) Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+c.Kubeconfig, c.home.mark())
	for _, of := range []string{"CACHE", "CONFIG", "DATA"} { // keeps Helm from files of the user
		cmd.Env = append(cmd.Env, fmt.Sprintf("HELM_%s_HOME=%s", of, filepath.Join(c.Dir, "helm", of)))
	}
	return cmd
}

// Stop ends every process of the cluster and removes its folder. It may be called again.
func (c *Cluster) Stop() error { return c.home.remove() }

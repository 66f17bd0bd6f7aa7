package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// Backup is a copy of the data of etcd. It lasts as long as the cluster.
type Backup struct {
	cluster *Cluster
	dir     string
}

// keepObjects are the components that keep objects in memory. After a restore they would miss every change until versions are
// where they were, so whoever restores etcd starts them again.
var keepObjects = []string{"kube-controller-manager", "kube-scheduler", "kwok-controller"}

// BackUp copies the data of etcd, which is away meanwhile.
func (c *Cluster) BackUp() (*Backup, error) {
	data, err := c.etcdData()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(c.Dir, "backup-")
	if err != nil {
		return nil, err
	}
	restart, err := c.Kill("etcd")
	if err != nil {
		return nil, err
	}
	if err := errors.Join(os.CopyFS(dir, os.DirFS(data)), restart()); err != nil {
		return nil, fmt.Errorf("backing up etcd: %w", err)
	}
	return &Backup{cluster: c, dir: dir}, nil
}

// Restore puts the data back and returns when the API server is ready. Versions of objects go back: the revision of etcd is not
// bumped. All components of the cluster are killed and started again; programs outside of it, such as a controller, are not told.
// It may be called more than once.
func (b *Backup) Restore(ctx context.Context) error {
	if err := b.restore(ctx); err != nil {
		return fmt.Errorf("restoring etcd: %w", err)
	}
	return nil
}

func (b *Backup) restore(ctx context.Context) error {
	data, err := b.cluster.etcdData()
	if err != nil {
		return err
	}
	killed, err := b.cluster.killAll(append([]string{"kube-apiserver", "etcd"}, keepObjects...))
	if err != nil {
		return err
	}
	if err := os.RemoveAll(data); err != nil {
		return err
	}
	if err := os.CopyFS(data, os.DirFS(b.dir)); err != nil {
		return err
	}
	if err := errors.Join(killed["etcd"](), killed["kube-apiserver"]()); err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(b.cluster.Config)
	if err != nil {
		return err
	}
	if err := awaitReady(ctx, client); err != nil {
		return err
	}
	if err := freeLeases(ctx, client); err != nil {
		return err
	}
	for _, component := range keepObjects {
		if err := killed[component](); err != nil {
			return err
		}
	}
	return nil
}

// etcdData is the folder in which etcd keeps its data.
func (c *Cluster) etcdData() (string, error) {
	found, _ := filepath.Glob(filepath.Join(c.Dir, "clusters", "*", "etcd")) // fails only for a bad pattern
	if len(found) != 1 {
		return "", fmt.Errorf("there are %d folders with data of etcd", len(found))
	}
	return found[0], nil
}

// killAll returns how to start each component again.
func (c *Cluster) killAll(components []string) (restarts map[string]func() error, err error) {
	restarts = map[string]func() error{}
	for _, component := range components {
		if restarts[component], err = c.Kill(component); err != nil {
			return nil, err
		}
	}
	return restarts, nil
}

func awaitReady(ctx context.Context, client kubernetes.Interface) error {
	var last error
	err := poll(ctx, 2*time.Minute, func(ctx context.Context) bool {
		_, last = client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		return last == nil
	})
	if err != nil {
		return fmt.Errorf("waiting for the API server: %w, the last answer: %w", err, last)
	}
	return nil
}

// freeLeases deletes the leases that the components held at the time of the backup. The processes that held them are gone, and
// others would wait until the leases are over: the simulated nodes would not be Ready meanwhile, and nothing would be scheduled.
func freeLeases(ctx context.Context, client kubernetes.Interface) error {
	leases := client.CoordinationV1()
	if err := leases.Leases(corev1.NamespaceNodeLease).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		return err
	}
	for _, component := range keepObjects {
		err := leases.Leases(metav1.NamespaceSystem).Delete(ctx, component, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}

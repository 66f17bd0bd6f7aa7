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

// keepObjects are the components that keep objects in memory. After a restore they would miss every change until versions have caught up,
// so whoever restores etcd restarts them.
var keepObjects = []string{"kube-controller-manager", "kube-scheduler", "kwok-controller"}

// BackUp copies the data of etcd, which is away meanwhile. So are the simulated nodes: kwok would forget about Pods whose status it
// could not write.
func (c *Cluster) BackUp(ctx context.Context) (*Backup, error) {
	data, err := c.etcdData()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(c.Dir, "backup-")
	if err != nil {
		return nil, err
	}
	killed, err := c.killAll([]string{"kwok-controller", "etcd"})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(os.CopyFS(dir, os.DirFS(data)), killed["etcd"]()); err != nil {
		return nil, fmt.Errorf("backing up etcd: %w", err)
	}
	client, err := c.awaitReady(ctx)
	if err == nil {
		err = freeNodes(ctx, client)
	}
	if err != nil {
		return nil, fmt.Errorf("backing up etcd: %w", err)
	}
	return &Backup{cluster: c, dir: dir}, killed["kwok-controller"]()
}

// Restore puts the data back and returns when the API server is ready. Versions of objects go back: the revision of etcd is not bumped. All
// components of the cluster are killed and started again; programs outside of it, such as a controller, are not notified. It may be called
// more than once.
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
	client, err := b.cluster.awaitReady(ctx)
	if err != nil {
		return err
	}
	if err := freeNodes(ctx, client); err != nil {
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

// awaitReady waits for the API server, and returns a client for it.
func (c *Cluster) awaitReady(ctx context.Context) (kubernetes.Interface, error) {
	client, err := kubernetes.NewForConfig(c.Config)
	if err != nil {
		return nil, err
	}
	var last error
	err = poll(ctx, 2*time.Minute, func(ctx context.Context) bool {
		_, last = client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		return last == nil
	})
	if err != nil {
		return nil, fmt.Errorf("waiting for the API server: %w, the last answer: %w", err, last)
	}
	return client, nil
}

// freeNodes deletes the leases of the simulated nodes. The kwok that held them is gone, and the next one would wait until they are
// over: the nodes would not be Ready meanwhile.
func freeNodes(ctx context.Context, client kubernetes.Interface) error {
	return client.CoordinationV1().Leases(corev1.NamespaceNodeLease).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
}

// freeLeases deletes the leases that the components held at the time of the backup. The processes that held them are gone, and
// nothing would be scheduled until the leases are over.
func freeLeases(ctx context.Context, client kubernetes.Interface) error {
	for _, component := range keepObjects {
		err := client.CoordinationV1().Leases(metav1.NamespaceSystem).Delete(ctx, component, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}

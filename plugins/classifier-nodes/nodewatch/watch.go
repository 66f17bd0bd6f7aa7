package nodewatch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/classifier-nodes/nodefault"
)

const (
	// patience is how long a question waits until nodes are known. The controller's default timeout is 5 s.
	patience = 2 * time.Second
	// lookAgain is the interval of requests for devices while it is unknown whether there are any.
	lookAgain = 30 * time.Second
)

// Watch has the known state of nodes.
type Watch struct {
	nodes, devices cache.SharedIndexInformer
	log            hclog.Logger

	mu   sync.Mutex
	last error // error of the watch; nil if there was none
}

// Start starts to watch, for as long as the program runs. It does not wait for the API server. See nodefault.Start.
func Start(kubeconfig string) (nodefault.Cluster, error) {
	client, err := connect(kubeconfig)
	if err != nil {
		return nil, err
	}
	return start(context.Background(), client)
}

func start(ctx context.Context, client kubernetes.Interface) (*Watch, error) {
	nodes := cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "nodes", "", fields.Everything())
	slices := cache.NewListWatchFromClient(client.ResourceV1().RESTClient(), "resourceslices", "", fields.Everything())
	w := &Watch{
		nodes:   cache.NewSharedIndexInformer(nodes, &corev1.Node{}, 0, cache.Indexers{}),
		devices: cache.NewSharedIndexInformer(slices, &resourcev1.ResourceSlice{}, 0, cache.Indexers{byNode: nodesOf}),
		log:     plugin.Logger(),
	}
	for informer, of := range map[cache.SharedIndexInformer]string{w.nodes: "nodes", w.devices: "devices"} {
		if err := informer.SetTransform(trim); err != nil {
			return nil, err
		}
		if err := informer.SetWatchErrorHandlerWithContext(w.failed(of)); err != nil {
			return nil, err
		}
	}
	go w.nodes.RunWithContext(ctx)
	go w.watchDevices(ctx, client)
	return w, nil
}

// failed records that a watch has failed; it is retried.
func (w *Watch) failed(of string) cache.WatchErrorHandlerWithContext {
	return func(_ context.Context, _ *cache.Reflector, err error) {
		w.log.Warn("watch failed, retrying", "of", of, "cause", err.Error())
		if of == "nodes" {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.last = err
		}
	}
}

// watchDevices watches devices if the API server serves them.
func (w *Watch) watchDevices(ctx context.Context, client kubernetes.Interface) {
	for ctx.Err() == nil {
		_, err := client.Discovery().ServerResourcesForGroupVersion(resourcev1.SchemeGroupVersion.String())
		switch {
		case apierrors.IsNotFound(err):
			w.log.Info("devices are not watched, because the API server does not serve them")
			return
		case err == nil:
			w.devices.RunWithContext(ctx)
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(lookAgain):
		}
	}
}

// Node implements nodefault.Cluster.
func (w *Watch) Node(ctx context.Context, name string) (*nodefault.Node, error) {
	if err := w.await(ctx); err != nil {
		return nil, err
	}
	o, found, err := w.nodes.GetStore().GetByKey(name)
	if err != nil || !found {
		return nil, err
	}
	node, ok := o.(*corev1.Node)
	if !ok {
		return nil, fmt.Errorf("node %s is a %T", name, o)
	}
	devices, err := w.devices.GetIndexer().ByIndex(byNode, name)
	if err != nil {
		return nil, err
	}
	return &nodefault.Node{Conditions: node.Status.Conditions, Taints: node.Spec.Taints, Devices: taintsOn(name, devices)}, nil
}

// await waits until nodes are known.
func (w *Watch) await(ctx context.Context) error {
	if w.nodes.HasSynced() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if cache.WaitForCacheSync(ctx.Done(), w.nodes.HasSynced) {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last != nil {
		return fmt.Errorf("nodes are not known yet: %w", w.last)
	}
	return errors.New("nodes are not known yet")
}

// byNode is the index of slices by the nodes of their devices.
const byNode = "node"

func nodesOf(o any) ([]string, error) {
	slice, ok := o.(*resourcev1.ResourceSlice)
	if !ok {
		return nil, fmt.Errorf("it is a %T", o)
	}
	seen, names := map[string]bool{}, []string(nil)
	for i := range slice.Spec.Devices {
		if name := nodeOf(slice, &slice.Spec.Devices[i]); name != "" && !seen[name] {
			names, seen[name] = append(names, name), true
		}
	}
	return names, nil
}

// nodeOf is the node of a device; empty if it has none, or several.
func nodeOf(slice *resourcev1.ResourceSlice, d *resourcev1.Device) string {
	switch {
	case d.NodeName != nil:
		return *d.NodeName
	case slice.Spec.NodeName != nil:
		return *slice.Spec.NodeName
	}
	return ""
}

// taintsOn are the taints of devices of a node that are not to be used.
func taintsOn(node string, slices []any) (out []nodefault.DeviceTaint) {
	for _, o := range slices {
		slice, ok := o.(*resourcev1.ResourceSlice)
		if !ok {
			continue
		}
		for i := range slice.Spec.Devices {
			d := &slice.Spec.Devices[i]
			if nodeOf(slice, d) != node {
				continue
			}
			for _, t := range d.Taints {
				if t.Effect != resourcev1.DeviceTaintEffectNoSchedule && t.Effect != resourcev1.DeviceTaintEffectNoExecute {
					continue
				}
				taint := nodefault.DeviceTaint{Driver: slice.Spec.Driver, Device: d.Name, Key: t.Key, Value: t.Value}
				if t.TimeAdded != nil {
					taint.Since = t.TimeAdded.Time
				}
				out = append(out, taint)
			}
		}
	}
	return out
}

// trim keeps the fields that are read. Other objects than nodes and slices stay unchanged.
func trim(o any) (any, error) {
	switch o := o.(type) {
	case *corev1.Node:
		return &corev1.Node{
			ObjectMeta: meta(&o.ObjectMeta), Spec: corev1.NodeSpec{Taints: o.Spec.Taints},
			Status: corev1.NodeStatus{Conditions: o.Status.Conditions},
		}, nil
	case *resourcev1.ResourceSlice:
		out := &resourcev1.ResourceSlice{ObjectMeta: meta(&o.ObjectMeta)}
		out.Spec.Driver, out.Spec.NodeName = o.Spec.Driver, o.Spec.NodeName
		for _, d := range o.Spec.Devices {
			if len(d.Taints) > 0 {
				out.Spec.Devices = append(out.Spec.Devices, resourcev1.Device{Name: d.Name, NodeName: d.NodeName, Taints: d.Taints})
			}
		}
		return out, nil
	}
	return o, nil
}

func meta(m *metav1.ObjectMeta) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: m.Name, UID: m.UID, ResourceVersion: m.ResourceVersion}
}

package security

import (
	"context"
	"fmt"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// writesOfFirstPod are the writes until the first Pod of a Framework exists: the Framework, its status, its ConfigMap, its status again,
// the Pod.
const writesOfFirstPod = 5

// startFloor measures the API server's share of the time until a first Pod, until the returned function is called: how long the same number
// of writes of a small object takes a client that only waits for its watch to show each of them.
func (a *author) startFloor() (stop func() []time.Duration) {
	ctx, cancel := context.WithCancel(a.t.Context())
	shown := make(chan *corev1.ConfigMap, 100)
	follow(a.t, a.core.CoreV1().RESTClient(), "configmaps", a.namespace, &corev1.ConfigMap{}, func(object any) {
		select {
		case shown <- object.(*corev1.ConfigMap):
		case <-ctx.Done():
		}
	})
	measured := make(chan []time.Duration, 1)
	go func() { measured <- a.measureFloor(ctx, shown) }()
	return func() []time.Duration {
		a.t.Helper()
		cancel()
		took := <-measured
		require.NotEmpty(a.t, took, "no round of writes has ended")
		return took
	}
}

// measureFloor returns how long each round of writes took until ctx ended. A failed round counts with its time, too.
func (a *author) measureFloor(ctx context.Context, shown <-chan *corev1.ConfigMap) (took []time.Duration) {
	for n := 0; ; n++ {
		began := time.Now()
		err := a.writeConfigMap(ctx, fmt.Sprintf("floor%d", n), shown)
		if ctx.Err() != nil {
			return took
		}
		if err != nil {
			a.t.Logf("a write of the floor has failed: %v", err)
		}
		took = append(took, time.Since(began))
		time.Sleep(200 * time.Millisecond) // a rate, and not a wait for anything
	}
}

// writeConfigMap makes a ConfigMap and edits it, each time after the watch has shown the write before.
func (a *author) writeConfigMap(ctx context.Context, name string, shown <-chan *corev1.ConfigMap) error {
	client := a.core.CoreV1().ConfigMaps(a.namespace)
	object, err := client.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	for n := 1; err == nil; n++ {
		if err = awaitShown(ctx, object.ResourceVersion, shown); err != nil || n == writesOfFirstPod {
			break
		}
		object.Data = map[string]string{"writes": fmt.Sprint(n)}
		object, err = client.Update(ctx, object, metav1.UpdateOptions{})
	}
	return err
}

// awaitShown waits until the watch has reached that version.
func awaitShown(ctx context.Context, version string, shown <-chan *corev1.ConfigMap) error {
	for {
		select {
		case object := <-shown:
			if order, err := resourceversion.CompareResourceVersion(object.ResourceVersion, version); err != nil || order >= 0 {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

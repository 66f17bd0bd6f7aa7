package kubectl

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// hurriedAtOnce limits how many Pods are deleted at a time.
const hurriedAtOnce = 16

// hurryPods deletes the Pods of this very Framework with a grace period of one second.
func (k *cluster) hurryPods(ctx context.Context, s *stored) error {
	configMap, err := k.configMapOf(ctx, s)
	if err != nil || configMap == "" {
		return err
	}
	var mu sync.Mutex
	var failed error
	var deleting sync.WaitGroup
	defer deleting.Wait()
	slots := make(chan struct{}, hurriedAtOnce)
	_, err = k.eachPod(ctx, s.Name, func(p *corev1.Pod) {
		if !isOf(p, configMap) {
			return
		}
		slots <- struct{}{}
		deleting.Go(func() {
			defer func() { <-slots }()
			if err := k.hurryPod(ctx, p.Name, p.UID); err != nil {
				mu.Lock()
				failed = err
				mu.Unlock()
			}
		})
	})
	if err != nil {
		return err
	}
	deleting.Wait()
	return failed
}

// configMapOf returns the UID of the ConfigMap by which a Framework owns its Pods; empty if it does not exist.
func (k *cluster) configMapOf(ctx context.Context, s *stored) (types.UID, error) {
	ctx, cancel := k.patient(ctx)
	defer cancel()
	found, err := k.core.CoreV1().ConfigMaps(k.namespace).Get(ctx, v1.ConfigMapName(s.Name), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", k.inPlainWords(err)
	}
	if id, ok := objects.Identify(found); !ok || id.ControllerUID != s.UID {
		return "", nil // it belongs to another owner
	}
	return found.UID, nil
}

// isOf reports whether a Pod belongs to the ConfigMap of an attempt. Labels prove nothing: anybody can write them.
func isOf(p *corev1.Pod, configMap types.UID) bool {
	id, ok := objects.Identify(p)
	return ok && id.ControllerKind == objects.KindConfigMap && id.ControllerUID == configMap
}

// hurryPod deletes this very Pod. It is no error if the Pod is gone already.
func (k *cluster) hurryPod(ctx context.Context, name string, uid types.UID) error {
	ctx, cancel := k.patient(ctx)
	defer cancel()
	second := int64(1)
	err := k.core.CoreV1().Pods(k.namespace).Delete(ctx, name, metav1.DeleteOptions{
		GracePeriodSeconds: &second, Preconditions: &metav1.Preconditions{UID: &uid}})
	if err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return k.inPlainWords(err)
}

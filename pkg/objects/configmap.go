package objects

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// ConfigMap represents one attempt of a Framework: it owns the attempt's Pods and has no data (contract 1.4, 1.5). It has its finalizer
// from the start, because somebody other than the controller may delete it first.
func ConfigMap(f Owner, attemptID int32) *corev1.ConfigMap {
	name := v1.ConfigMapName(f.Name)
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Name:      name,
		Namespace: f.Namespace,
		Labels:    map[string]string{v1.KeyFrameworkName: f.Name},
		Annotations: map[string]string{
			v1.KeyFrameworkNamespace: f.Namespace,
			v1.KeyFrameworkName:      f.Name,
			v1.KeyConfigMapName:      name,
			v1.KeyFrameworkUID:       string(f.UID),
			v1.KeyFrameworkAttemptID: strconv.Itoa(int(attemptID)),
		},
		OwnerReferences: []metav1.OwnerReference{f.reference()},
		Finalizers:      []string{v1.AttemptConfigMapFinalizer},
	}}
}

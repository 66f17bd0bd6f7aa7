package objects

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Service is the headless Service by which the cluster's DNS finds the Framework's Pods. It belongs to the Framework,
// and not to an attempt, so that the names stay.
func Service(f Owner, publishNotReadyAddresses bool) *corev1.Service {
	return &corev1.Service{
		ObjectMeta: f.companion(v1.ServiceName(f.Name)),
		Spec: corev1.ServiceSpec{
			ClusterIP:                corev1.ClusterIPNone,
			Selector:                 map[string]string{v1.KeyFrameworkName: f.Name},
			PublishNotReadyAddresses: publishNotReadyAddresses,
		},
	}
}

// companion is the metadata of an object that is deleted with the Framework.
func (f Owner) companion(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name:            name,
		Namespace:       f.Namespace,
		Labels:          map[string]string{v1.KeyFrameworkName: f.Name},
		OwnerReferences: []metav1.OwnerReference{f.reference()},
	}
}

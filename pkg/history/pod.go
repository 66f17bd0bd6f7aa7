package history

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PodDeletion logs a Pod that was deleted.
func (l *Log) PodDeletion(f *metav1.ObjectMeta, pod *corev1.Pod) {
	if !l.switches.OnPodDeletion {
		return
	}
	copied := *pod
	copied.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
	l.write("["+f.Namespace+"/"+f.Name+"]", "Framework Pod Deleted "+string(pod.UID), "OnPodDeletion", &copied)
}

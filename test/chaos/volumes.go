package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// volumeClass is the class of the volumes that claims get.
const volumeClass = "chaos"

// volumesPerFramework is the number of volumes for each Framework of a run: most Frameworks need none.
const volumesPerFramework = 1

// addVolumes creates volumes, in place of a provisioner. A volume is not used again after its claim, so there are enough for all claims of
// a run.
func addVolumes(ctx context.Context, core kubernetes.Interface, n int) error {
	for i := range n {
		volume := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", volumeClass, i)}, Spec: corev1.PersistentVolumeSpec{
			AccessModes:            []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Capacity:               corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
			StorageClassName:       volumeClass,
			PersistentVolumeSource: corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/tmp"}},
		}}
		if _, err := core.CoreV1().PersistentVolumes().Create(ctx, volume, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("creating a volume: %w", err)
		}
	}
	return nil
}

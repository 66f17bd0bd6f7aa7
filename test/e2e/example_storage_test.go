package e2e

import (
	"context"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// provision replaces a storage class: it creates a volume for each claim without one. Pods wait for it.
func (s *story) provision() {
	s.t.Helper()
	claims, err := core.CoreV1().PersistentVolumeClaims(s.namespace).List(s.t.Context(), metav1.ListOptions{})
	require.NoError(s.t, err)
	for _, claim := range claims.Items {
		if claim.Spec.VolumeName == "" {
			s.createVolume(&claim)
		}
	}
}

func (s *story) createVolume(claim *corev1.PersistentVolumeClaim) {
	s.t.Helper()
	volumes := core.CoreV1().PersistentVolumes()
	volume := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: s.namespace + "-" + claim.Name},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:    claim.Spec.Resources.Requests,
			AccessModes: claim.Spec.AccessModes,
			ClaimRef: &corev1.ObjectReference{
				Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID},
			PersistentVolumeSource: corev1.PersistentVolumeSource{NFS: &corev1.NFSVolumeSource{Server: "nfs", Path: "/"}},
		},
	}
	if _, err := volumes.Create(s.t.Context(), volume, metav1.CreateOptions{}); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { volumes.Delete(context.Background(), volume.Name, metav1.DeleteOptions{}) })
}

// claimOf returns the name of the claim that the Pod's data is on; empty if it has none.
func claimOf(pod *corev1.Pod) string {
	for _, v := range pod.Spec.Volumes {
		if v.PersistentVolumeClaim != nil {
			return v.PersistentVolumeClaim.ClaimName
		}
	}
	return ""
}

var claims = kind[*corev1.PersistentVolumeClaim]{"persistentvolumeclaims", coreClient}

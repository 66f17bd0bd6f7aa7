package e2enode

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/frameworkcontroller/frameworkcontroller/test/node"
)

// Annotations by which Kubernetes and provisioners work together.
const (
	annotationSelectedNode  = "volume.kubernetes.io/selected-node"       // of a claim: the scheduler's choice
	annotationProvisionedBy = "pv.kubernetes.io/provisioned-by"          // of a volume: the provisioner that deletes it
	annotationProvisioner   = "volume.kubernetes.io/storage-provisioner" // of a claim: the provisioner that is asked
)

// provisioner provides volumes for the claims of one StorageClass, as a provisioner of local directories does on a real cluster. Once the
// scheduler has chosen the node for the first Pod of a claim, it creates a directory there and a volume of it. When the claim is gone, it
// deletes both.
type provisioner struct {
	name string // of the StorageClass and of the provisioner
	dir  string // parent of the directories, which only this node sees
}

// newProvisioner creates a StorageClass of that name, and provides volumes until the test ends.
func newProvisioner(t *testing.T, name string) *provisioner {
	t.Helper()
	p := &provisioner{name: name, dir: filepath.Join("/var/lib", name)}
	mode := storagev1.VolumeBindingWaitForFirstConsumer
	class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: p.driver(), VolumeBindingMode: &mode}
	_, err := core.StorageV1().StorageClasses().Create(t.Context(), class, metav1.CreateOptions{})
	require.NoError(t, err)

	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { p.run(ctx, t) })
	t.Cleanup(func() { stop(); running.Wait() })
	return p
}

func (p *provisioner) driver() string { return "frameworkcontroller.test/" + p.name }

// run ends with the first error, which fails the test.
func (p *provisioner) run(ctx context.Context, t *testing.T) {
	err := wait.PollUntilContextCancel(ctx, 100*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		return false, errors.Join(p.provide(ctx), p.reclaim(ctx))
	})
	if ctx.Err() == nil {
		t.Errorf("provisioner %s: %v", p.name, err)
	}
}

// provide creates a volume for each claim that waits for one.
func (p *provisioner) provide(ctx context.Context) error {
	claims, err := core.CoreV1().PersistentVolumeClaims("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range claims.Items {
		if c := &claims.Items[i]; p.isAsked(c) {
			v := p.volume(c)
			if err := os.MkdirAll(v.Spec.HostPath.Path, 0o755); err != nil {
				return err
			}
			_, err := core.CoreV1().PersistentVolumes().Create(ctx, v, metav1.CreateOptions{})
			if err != nil && !apierrors.IsAlreadyExists(err) { // Kubernetes may take longer than a round to bind it
				return err
			}
		}
	}
	return nil
}

func (p *provisioner) isAsked(c *corev1.PersistentVolumeClaim) bool {
	return c.Spec.VolumeName == "" && c.DeletionTimestamp == nil &&
		c.Annotations[annotationProvisioner] == p.driver() && c.Annotations[annotationSelectedNode] == node.Name
}

// volume is the volume for a claim. Like the UID of the claim, its name is never used again.
func (p *provisioner) volume(c *corev1.PersistentVolumeClaim) *corev1.PersistentVolume {
	name, exists := "pvc-"+string(c.UID), corev1.HostPathDirectory
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{annotationProvisionedBy: p.driver()}},
		Spec: corev1.PersistentVolumeSpec{
			StorageClassName:              p.name,
			AccessModes:                   c.Spec.AccessModes,
			Capacity:                      c.Spec.Resources.Requests,
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimDelete,
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				HostPath: &corev1.HostPathVolumeSource{Path: filepath.Join(p.dir, name), Type: &exists},
			},
			ClaimRef: &corev1.ObjectReference{APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: c.Namespace, Name: c.Name, UID: c.UID},
		},
	}
}

// reclaim deletes the volumes whose claims are gone.
func (p *provisioner) reclaim(ctx context.Context) error {
	volumes, err := p.volumes(ctx)
	if err != nil {
		return err
	}
	for _, v := range volumes {
		if v.Status.Phase != corev1.VolumeReleased {
			continue
		}
		if err := os.RemoveAll(v.Spec.HostPath.Path); err != nil {
			return err
		}
		if err := core.CoreV1().PersistentVolumes().Delete(ctx, v.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}

// hasOnly reports whether these are its volumes and its directories, in order of their names.
func (p *provisioner) hasOnly(ctx context.Context, names []string) bool {
	volumes, err := p.volumes(ctx)
	if err != nil {
		return false
	}
	directories, err := os.ReadDir(p.dir)
	if err != nil {
		return false
	}
	var provided, stored []string
	for _, v := range volumes {
		provided = append(provided, v.Name)
	}
	for _, d := range directories {
		stored = append(stored, d.Name())
	}
	slices.Sort(provided)
	return slices.Equal(provided, names) && slices.Equal(stored, names)
}

// volumes returns the volumes that this provisioner has created.
func (p *provisioner) volumes(ctx context.Context) (found []corev1.PersistentVolume, err error) {
	all, err := core.CoreV1().PersistentVolumes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for _, v := range all.Items {
		if v.Spec.StorageClassName == p.name {
			found = append(found, v)
		}
	}
	return found, nil
}

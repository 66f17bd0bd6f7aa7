package e2e

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// mountIn describes what a container has in a folder: the mount, with the source of the volume in place of its name, which may differ.
func mountIn(folder string, mounts []corev1.VolumeMount, volumes []corev1.Volume) string {
	for _, m := range mounts {
		if m.MountPath != folder {
			continue
		}
		for _, v := range volumes {
			if v.Name == m.Name {
				m.Name = ""
				text, _ := json.Marshal(struct {
					corev1.VolumeMount
					Volume corev1.VolumeSource
				}{m, v.VolumeSource})
				return string(text)
			}
		}
		return "no volume " + m.Name
	}
	return "nothing"
}

// claimAt describes a claim that is mounted in a folder, without options.
func claimAt(folder, claim string) string {
	source := corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim}}
	return mountIn(folder, []corev1.VolumeMount{{MountPath: folder}}, []corev1.Volume{{VolumeSource: source}})
}

// missingVolumes reports the wanted volumes that a Pod has under no name. A Pod waits for a volume even if no container mounts it.
func missingVolumes(want, got []corev1.Volume) (all []string) {
	for _, v := range want {
		if !slices.ContainsFunc(got, func(has corev1.Volume) bool { return reflect.DeepEqual(has.VolumeSource, v.VolumeSource) }) {
			all = append(all, "no volume has the source of "+v.Name)
		}
	}
	return all
}

// stored returns volumes of the source as the API server stores them in a Pod of the Framework: with its defaults, and with the names of
// the claims that the Framework creates in place of the source.
func (c *converted) stored(volumes []corev1.Volume) []corev1.Volume {
	c.t.Helper()
	if len(volumes) == 0 {
		return nil
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "volumes"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "none"}}, Volumes: volumes}}
	got, err := c.pods.Create(c.t.Context(), pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	require.NoError(c.t, err)
	for _, v := range got.Spec.Volumes {
		if claim := v.PersistentVolumeClaim; claim != nil && slices.Contains(c.source.ownClaims(), v.Name) {
			claim.ClaimName = c.name + "-" + v.Name
		}
	}
	return got.Spec.Volumes
}

// ownClaims are the names of the volumes whose claims a JobSet creates.
func (s *source) ownClaims() (all []string) {
	for _, policy := range s.Spec.VolumeClaimPolicies {
		for _, template := range policy.Templates {
			all = append(all, template.Metadata.Name)
		}
	}
	return all
}

// withClaims adds the volumes that a JobSet adds to a template whose containers mount them.
func (s *source) withClaims(of *corev1.PodTemplateSpec) corev1.PodTemplateSpec {
	of = of.DeepCopy()
	for _, name := range s.ownClaims() {
		mounts := func(c corev1.Container) bool {
			return slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == name })
		}
		if slices.ContainsFunc(of.Spec.Containers, mounts) || slices.ContainsFunc(of.Spec.InitContainers, mounts) {
			claim := &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name + "-" + s.Metadata.Name}
			of.Spec.Volumes = append(of.Spec.Volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: claim}})
		}
	}
	return *of
}

// place stands for the address of a Pod in a file: its role and its index.
var place = regexp.MustCompile(`<\d+/\d+>`)

// hostfile returns the file that an operator of MPI writes for the launcher.
func (s *source) hostfile(workers int) string {
	form := "<%d/%d> slots=%d\n"
	if s.Spec.MPIImplementation == "Intel" || s.Spec.MPIImplementation == "MPICH" {
		form = "<%d/%d>:%d\n"
	}
	text, slots := "", max(s.Spec.SlotsPerWorker, 1)
	if s.Spec.RunLauncherAsWorker {
		text = fmt.Sprintf(form, 0, 0, slots)
	}
	for i := range workers {
		text += fmt.Sprintf(form, 1, i, slots)
	}
	return text
}

// addressed puts the addresses of the Framework's Pods into a file of the source: the hostname within the subdomain.
func (c *converted) addressed(text string) string {
	return place.ReplaceAllStringFunc(text, func(of string) string {
		var role, index int
		_, err := fmt.Sscanf(of, "<%d/%d>", &role, &index)
		require.NoError(c.t, err)
		p := c.seen[v1.PodName(c.name, c.roles[role], int32(index))]
		if p == nil {
			return of
		}
		return p.Spec.Hostname + "." + p.Spec.Subdomain
	})
}

// annotation is a field of a Pod whose value the kubelet writes into a file.
var annotation = regexp.MustCompile(`^metadata\.annotations\['(.*)'\]$`)

// fileAt returns a file that the kubelet writes for a container from an annotation of the Pod.
func fileAt(pod *corev1.Pod, c corev1.Container, file string) string {
	for _, m := range c.VolumeMounts {
		name, isInside := strings.CutPrefix(file, m.MountPath+"/")
		for _, v := range pod.Spec.Volumes {
			if !isInside || m.SubPath != "" || v.Name != m.Name || v.DownwardAPI == nil {
				continue
			}
			for _, item := range v.DownwardAPI.Items {
				if item.Path == name && item.FieldRef != nil && annotation.MatchString(item.FieldRef.FieldPath) {
					return pod.Annotations[annotation.FindStringSubmatch(item.FieldRef.FieldPath)[1]]
				}
			}
		}
	}
	return "no file"
}

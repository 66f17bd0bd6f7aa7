package objects_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// Each container has the volumes, or those containers that are named, and the Pod names its claims.
func TestVolumesAreMounted(t *testing.T) {
	spec := &v1.FrameworkSpec{Volumes: []v1.VolumeSpec{
		{Name: "all", MountPath: "/all"},
		{Name: "role", MountPath: "/role", Per: v1.VolumePerRole, Containers: []string{"main"}},
		{Name: "own", MountPath: "/own", Per: v1.VolumePerTask, Role: demoTask.RoleName},
		{Name: "others", MountPath: "/others", Role: "others"},
	}}
	pod := built(t, spec, `{"spec":{"initContainers":[{"name":"init"}],"containers":[{"name":"main","volumeMounts":[{"name":"own","mountPath":"/own","subPath":"s"}]}],"volumes":[{"name":"x"}]}}`, demoTask)
	mount := func(name string) corev1.VolumeMount { return corev1.VolumeMount{Name: name, MountPath: "/" + name} }
	if got := pod.Spec.InitContainers[0].VolumeMounts; !reflect.DeepEqual(got, []corev1.VolumeMount{mount("all"), mount("own")}) {
		t.Errorf("the init container has %v", got)
	}
	with := mount("own")
	with.SubPath = "s"
	if got := pod.Spec.Containers[0].VolumeMounts; !reflect.DeepEqual(got, []corev1.VolumeMount{with, mount("all"), mount("role")}) {
		t.Errorf("the container has %v", got)
	}
	var claims []string
	for _, v := range pod.Spec.Volumes[1:] {
		claims = append(claims, v.Name+"="+v.PersistentVolumeClaim.ClaimName)
	}
	f, role, pods := demoTask.Framework.Name, demoTask.RoleName, v1.PodName(demoTask.Framework.Name, demoTask.RoleName, demoTask.Index)
	if want := []string{"all=" + f + "-all", "role=" + f + "-" + role + "-role", "own=" + pods + "-own"}; !reflect.DeepEqual(claims, want) {
		t.Errorf("the Pod has the claims %v, want %v", claims, want)
	}
}

// A Pod that cannot have a volume is not created, and the error names both fields.
func TestVolumesInTheWay(t *testing.T) {
	for template, want := range map[string]string{
		`{"spec":{"containers":[{"name":"c"}],"volumes":[{"name":"data","emptyDir":{}}]}}`:                      "task.pod.spec.volumes: has a volume named data",
		`{"spec":{"containers":[{"name":"c","volumeMounts":[{"name":"x","mountPath":"/data"}]}]}}`:              "containers[0].volumeMounts: mounts another volume at /data, the mountPath of spec.volumes[data]",
		`{"spec":{"containers":[{"name":"c"}],"volumes":5}}`:                                                    "must be a list",
		`{"spec":{"initContainers":[{"name":"i","volumeMounts":{}}],"containers":[{"name":"c"}],"volumes":[]}}`: "initContainers[0].volumeMounts: must be a list",
	} {
		b := objects.NewPodBuilderWith("w", v1.PodTemplate(template), objects.Additions{Volumes: []v1.VolumeSpec{{Name: "data", MountPath: "/data"}}})
		if _, err := b.Build(demoTask); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", template, err, want)
		}
	}
}

func TestClaim(t *testing.T) {
	for retention, owners := range map[v1.VolumeRetention]int{"": 1, v1.VolumeDelete: 1, v1.VolumeRetain: 0} {
		body, err := objects.Claim(demoTask.Framework, "demo-data", &v1.VolumeSpec{Name: "data", Retention: retention, Claim: []byte(`{"newField":1,"accessModes":["ReadWriteOnce"]}`)})
		require.NoError(t, err)
		var got corev1.PersistentVolumeClaim
		require.NoError(t, json.Unmarshal(body, &got))
		if got.Name != "demo-data" || got.Labels[v1.KeyFrameworkName] != "demo" || len(got.OwnerReferences) != owners || len(got.Spec.AccessModes) != 1 {
			t.Errorf("%q: got %s", retention, body)
		}
		if !strings.Contains(string(body), `"newField":1`) {
			t.Errorf("a field that this version does not know is lost: %s", body)
		}
	}
	if _, err := objects.Claim(demoTask.Framework, "demo-data", &v1.VolumeSpec{Name: "data", Claim: []byte("{")}); err == nil || !strings.Contains(err.Error(), "spec.volumes[data].claim") {
		t.Errorf("got %v for a spec that is no JSON", err)
	}
	if _, err := objects.Claim(demoTask.Framework, "demo-data", &v1.VolumeSpec{Name: "data"}); err != nil {
		t.Errorf("got %v for an empty spec", err)
	}
}

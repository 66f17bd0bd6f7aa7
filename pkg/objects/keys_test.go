package objects_test

import (
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

var withKeys = &v1.FrameworkSpec{SSH: &v1.SSHSpec{MountPath: "/root/.ssh"}}

// Each container has the keys, and only root may read them.
func TestKeysAreMounted(t *testing.T) {
	template := `{"spec":{"initContainers":[{}],"containers":[{"volumeMounts":[{"name":"data","mountPath":"/data"}]}],"volumes":[{"name":"data"}]}}`
	pod := built(t, withKeys, template, demoTask)
	mount := corev1.VolumeMount{Name: "fc-ssh", MountPath: "/root/.ssh", ReadOnly: true}
	if got := pod.Spec.InitContainers[0].VolumeMounts; !reflect.DeepEqual(got, []corev1.VolumeMount{mount}) {
		t.Errorf("the init container has %v", got)
	}
	if got := pod.Spec.Containers[0].VolumeMounts; !reflect.DeepEqual(got, []corev1.VolumeMount{{Name: "data", MountPath: "/data"}, mount}) {
		t.Errorf("the container has %v", got)
	}
	if got := pod.Spec.Volumes; len(got) != 2 || got[1].Name != "fc-ssh" || got[1].Secret.SecretName != "demo-ssh" || *got[1].Secret.DefaultMode != 0o400 {
		t.Errorf("the volumes are %+v", got)
	}
}

// A template's own mount at that path, and its own volume of that name, are kept.
func TestTemplateKeepsItsMounts(t *testing.T) {
	template := `{"spec":{"containers":[{"volumeMounts":[{"name":"own","mountPath":"/root/.ssh"}]},{}],"volumes":[{"name":"fc-ssh","emptyDir":{}}]}}`
	pod := built(t, withKeys, template, demoTask)
	if got := pod.Spec.Containers[0].VolumeMounts; len(got) != 1 || got[0].Name != "own" {
		t.Errorf("the container has %v", got)
	}
	if got := pod.Spec.Containers[1].VolumeMounts; len(got) != 1 || got[0].Name != "fc-ssh" {
		t.Errorf("the other container has %v", got)
	}
	if got := pod.Spec.Volumes; len(got) != 1 || got[0].EmptyDir == nil {
		t.Errorf("the volumes are %+v", got)
	}
}

func TestKeySecret(t *testing.T) {
	s := objects.KeySecret(demoTask.Framework, "/root/.ssh", objects.KeyPair{Private: []byte("private"), Public: []byte("public")})
	if s.Name != "demo-ssh" || s.Type != corev1.SecretTypeOpaque || s.OwnerReferences[0].UID != demoTask.Framework.UID {
		t.Errorf("got %+v", s)
	}
	for file, want := range map[string]string{
		"id_ed25519":      "private",
		"id_ed25519.pub":  "public",
		"authorized_keys": "public",
		"config":          "Host demo-* !*.*\n  HostName %h.demo\nHost *\n  IdentityFile /root/.ssh/id_ed25519\n",
		"sshd_config":     "AuthorizedKeysFile /root/.ssh/authorized_keys\n",
	} {
		if got := string(s.Data[file]); !strings.Contains(got, want) {
			t.Errorf("%s is %q, without %q", file, got, want)
		}
	}
}

package specwarnings

import (
	"strings"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

func TestVolumeConflict(t *testing.T) {
	data := v1.VolumeSpec{Name: "data", MountPath: "/data"}
	of := func(role string, containers ...string) v1.VolumeSpec {
		v := data
		v.Role, v.Containers = role, containers
		return v
	}
	for name, test := range map[string]struct {
		volume   v1.VolumeSpec
		template string
		want     string // empty if there is no warning
	}{
		"nothing in the way":                  {data, `{"spec":{"containers":[{"name":"c","volumeMounts":[{"name":"x","mountPath":"/x"}]}],"volumes":[{"name":"x"}]}}`, ""},
		"a volume of that name":               {data, `{"spec":{"containers":[{"name":"c"}],"volumes":[{"name":"data"}]}}`, "role a: its Pod template has a volume data"},
		"another volume there":                {data, `{"spec":{"containers":[{"name":"c","volumeMounts":[{"name":"x","mountPath":"/data"}]}]}}`, "container c mounts volume x at /data"},
		"another volume in an init container": {data, `{"spec":{"initContainers":[{"name":"i","volumeMounts":[{"name":"x","mountPath":"/data"}]}]}}`, "container i mounts"},
		"it mounts the volume itself":         {data, `{"spec":{"containers":[{"name":"c","volumeMounts":[{"name":"data","mountPath":"/data","subPath":"s"}]}]}}`, ""},
		"in a container that has it not":      {of("", "d"), `{"spec":{"containers":[{"name":"d"},{"name":"c","volumeMounts":[{"name":"x","mountPath":"/data"}]}]}}`, ""},
		"in a role that has it not":           {of("b"), `{"spec":{"containers":[{"name":"c"}],"volumes":[{"name":"data"}]}}`, ""},
		"a container that is not there":       {of("", "d"), `{"spec":{"containers":[{"name":"c"}]}}`, "spec.volumes[data].containers"},
		"a template that makes no sense":      {data, `[]`, ""},
	} {
		spec := &v1.FrameworkSpec{Volumes: []v1.VolumeSpec{test.volume}, TaskRoles: []v1.TaskRoleSpec{{Name: "a", TaskNumber: 1, Task: v1.TaskSpec{Pod: v1.PodTemplate(test.template)}}}}
		got := volumeWarnings(spec)
		if (len(got) == 1) != (test.want != "") || test.want != "" && !strings.Contains(got[0].Message, test.want) {
			t.Errorf("%s: got %v, want %q", name, got, test.want)
		}
	}
}

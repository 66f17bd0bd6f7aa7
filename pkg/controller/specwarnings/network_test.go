package specwarnings

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Pods in the network of their nodes cannot resolve the names of others, unless the template configures it.
func TestNamesUnknownInTheNetworkOfTheNode(t *testing.T) {
	for policy, resolves := range map[string]bool{"": false, "ClusterFirst": false, "ClusterFirstWithHostNet": true, "None": true} {
		pod := map[string]any{"spec": map[string]any{"hostNetwork": true, "dnsPolicy": policy, "containers": []any{}}}
		spec := &v1.FrameworkSpec{Network: &v1.NetworkSpec{DNS: true}, TaskRoles: []v1.TaskRoleSpec{{Name: "w"}}}
		text, err := json.Marshal(pod)
		if err != nil {
			t.Fatal(err)
		}
		spec.TaskRoles[0].Task.Pod = text
		if got := Unresolvable("a", spec); (got == "") != resolves {
			t.Errorf("dnsPolicy %q: %q", policy, got)
		}
		spec.Network = nil // no names are requested
		if got := Unresolvable("a", spec); got != "" {
			t.Errorf("without names: %q", got)
		}
	}
}

// Tasks of one template need the same ports of their nodes, declared as host ports or by hostNetwork.
func TestTasksThatCannotShareANode(t *testing.T) {
	for name, test := range map[string]struct {
		spec  string
		tasks int32
		port  string // and the field; empty if there is no warning
	}{
		"a host port":               {`"containers":[{"ports":[{"containerPort":80},{"containerPort":22,"hostPort":2222}]}]`, 2, "2222 hostPort"},
		"one Task":                  {`"containers":[{"ports":[{"containerPort":22,"hostPort":2222}]}]`, 1, ""},
		"no Task":                   {`"containers":[{"ports":[{"containerPort":22,"hostPort":2222}]}]`, 0, ""},
		"no host port":              {`"containers":[{"ports":[{"containerPort":22}]}]`, 2, ""},
		"the network of the node":   {`"hostNetwork":true,"containers":[{"ports":[{"containerPort":22}]}]`, 2, "22 hostNetwork"},
		"no port in it":             {`"hostNetwork":true,"containers":[{}]`, 2, ""},
		"of the second container":   {`"containers":[{},{"ports":[{"containerPort":22,"hostPort":23}]}]`, 2, "23 hostPort"},
		"of a sidecar":              {`"initContainers":[{"restartPolicy":"Always","ports":[{"hostPort":24}]}],"containers":[{}]`, 2, "24 hostPort"},
		"of an init container":      {`"initContainers":[{"ports":[{"hostPort":24}]}],"containers":[{}]`, 2, ""},
		"at an address of the Task": {`"containers":[{"ports":[{"hostPort":25,"hostIP":"127.0.0.{{FC_TASK_INDEX}}"}]}]`, 2, ""},
		"no template of a Pod":      {`"containers":[{"ports":"all"}]`, 2, ""},
	} {
		role := v1.TaskRoleSpec{Name: "w", TaskNumber: test.tasks, Task: v1.TaskSpec{Pod: v1.PodTemplate(`{"spec":{` + test.spec + `}}`)}}
		got := networkWarnings(&v1.FrameworkSpec{TaskRoles: []v1.TaskRoleSpec{{Name: "other", TaskNumber: 2}, role}})
		var want []Warning
		if port, field, found := strings.Cut(test.port, " "); found {
			want = []Warning{{"HostPortShared", "w", "Tasks of role w cannot share a node as each needs host port " + port +
				"; provide a node for each of its 2 Tasks, or remove " + field + " from the Pod template"}}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

package specwarnings

import (
	"encoding/json"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Pods in the network of their nodes do not find others by their names, unless the template says how.
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
		spec.Network = nil // and so no names are asked for
		if got := Unresolvable("a", spec); got != "" {
			t.Errorf("without names: %q", got)
		}
	}
}

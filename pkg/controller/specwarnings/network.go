package specwarnings

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// networkWarnings finds templates that keep out the keys of ssh, and roles whose Tasks cannot share a node because of a host
// port.
func networkWarnings(spec *v1.FrameworkSpec) (out []Warning) {
	for i := range spec.TaskRoles {
		role := &spec.TaskRoles[i]
		if port, field := hostPort(role); port != 0 {
			out = append(out, Warning{reason.HostPortShared, role.Name, fmt.Sprintf(
				"Tasks of role %s cannot share a node as each needs host port %d; provide a node for each of its %d Tasks, or remove %s from the Pod template",
				role.Name, port, role.AtOnce(), field)})
		}
		if spec.SSH != nil && hasKeyVolume(role) {
			out = append(out, Warning{reason.KeyVolumeTaken, role.Name, fmt.Sprintf(
				"role %s: the Pod template has its own volume %s, so containers get that one at %s instead of the keys of spec.ssh; rename the volume to get the keys",
				role.Name, objects.KeyVolume, spec.SSH.MountPath)})
		}
	}
	return out
}

// Unresolvable describes the Pods whose requested names DNS cannot resolve; empty if there are none.
func Unresolvable(framework string, spec *v1.FrameworkSpec) (text string) {
	others := 0
	for i := range spec.TaskRoles {
		switch why := unresolvableRole(framework, spec, &spec.TaskRoles[i]); {
		case why == "":
		case text == "":
			text = why
		default:
			others++
		}
	}
	if others > 0 {
		noun := "roles"
		if others == 1 {
			noun = "role"
		}
		text += fmt.Sprintf("; the same applies to %d more %s", others, noun)
	}
	return text
}

func unresolvableRole(framework string, spec *v1.FrameworkSpec, role *v1.TaskRoleSpec) string {
	if spec.Network == nil || !spec.Network.DNS {
		return ""
	}
	longest := v1.PodName(framework, role.Name, max(role.TaskNumber-1, 0))
	if !tooLong(longest, role) {
		return resolvesOnNode(role)
	}
	return fmt.Sprintf("role %s: the name of Pod %s has %d characters, but names in DNS have at most %d, so it cannot be resolved; "+
		"shorten the name of the Framework or of the role, or set spec.hostname in the Pod template",
		role.Name, longest, len(longest), validation.DNS1123LabelMaxLength)
}

// resolvesOnNode describes a role whose Pods use the resolver of their node, which cannot resolve the names of Pods; empty for
// other roles. For a Pod in the network of its node, this includes the API server's default, ClusterFirst.
func resolvesOnNode(role *v1.TaskRoleSpec) string {
	var template struct {
		Spec struct {
			HostNetwork bool   `json:"hostNetwork"`
			DNSPolicy   string `json:"dnsPolicy"`
		} `json:"spec"`
	}
	err := objects.ReadTemplate(role.Task.Pod, &template)
	pod := &template.Spec
	if err != nil || !pod.HostNetwork || pod.DNSPolicy != "" && pod.DNSPolicy != string(corev1.DNSClusterFirst) {
		return ""
	}
	return fmt.Sprintf("role %s: its Pods use hostNetwork and therefore the node's DNS, which cannot resolve the names of Pods; "+
		"set dnsPolicy: %s in the Pod template", role.Name, corev1.DNSClusterFirstWithHostNet)
}

// hasKeyVolume reports whether a template has a volume with the name of ours.
func hasKeyVolume(role *v1.TaskRoleSpec) bool {
	type named struct {
		Name string `json:"name"`
	}
	var template struct {
		Spec struct {
			Volumes []named `json:"volumes"`
		} `json:"spec"`
	}
	err := objects.ReadTemplate(role.Task.Pod, &template)
	return err == nil && slices.Contains(template.Spec.Volumes, named{objects.KeyVolume})
}

// hostPort returns the first port of its node that each of several Tasks needs, and the field that causes it; 0 if there is
// none. In the network of the node, this includes each port that a container declares, as the API server sets hostPort to it.
// A port at an address that only one Task uses is not shared.
func hostPort(role *v1.TaskRoleSpec) (port int32, field string) {
	if role.AtOnce() < 2 || !bytes.Contains(role.Task.Pod, []byte(`Port"`)) {
		return 0, "" // without decoding the template: most roles end here
	}
	type container struct {
		RestartPolicy string `json:"restartPolicy"`
		Ports         []struct {
			ContainerPort int32  `json:"containerPort"`
			HostPort      int32  `json:"hostPort"`
			HostIP        string `json:"hostIP"`
		} `json:"ports"`
	}
	var template struct {
		Spec struct {
			HostNetwork    bool        `json:"hostNetwork"`
			InitContainers []container `json:"initContainers"`
			Containers     []container `json:"containers"`
		} `json:"spec"`
	}
	if objects.ReadTemplate(role.Task.Pod, &template) != nil {
		return 0, ""
	}
	pod := &template.Spec
	sidecars := slices.DeleteFunc(pod.InitContainers, func(c container) bool {
		return c.RestartPolicy != string(corev1.ContainerRestartPolicyAlways) // the scheduler ignores the ports of other init containers
	})
	for _, c := range slices.Concat(pod.Containers, sidecars) {
		for _, p := range c.Ports {
			port, field := p.HostPort, "hostPort"
			if pod.HostNetwork {
				port, field = p.ContainerPort, "hostNetwork"
			}
			if port > 0 && !strings.Contains(p.HostIP, "{{") {
				return port, field
			}
		}
	}
	return 0, ""
}

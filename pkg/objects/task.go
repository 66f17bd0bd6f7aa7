package objects

import (
	"strconv"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/items"
)

// Task identifies one attempt of one Task. The Pods of one template differ only in it; names and instance UIDs that
// follow from it are not repeated.
type Task struct {
	Framework          Owner
	FrameworkAttemptID int32
	// UID of the attempt's ConfigMap, which becomes the Pod's controller.
	ConfigMapUID types.UID
	RoleName     string
	// InstanceUID of the role in the status.
	RoleUID string
	Index   int32
	// InstanceUID of the Task in the status.
	UID       string
	AttemptID int32
	// Item of the Task; nil if its role has no items.
	Item *items.Item
}

// values are the values of all variables for one Pod. The value of noVariable is the empty string.
type values struct {
	fixed [variableCount]string
	// item are the variables of the Task's item; nil if the role has no items.
	item []items.Variable
	// ofItem are the values of these variables by their names, as they replace placeholders.
	ofItem map[string]string
}

// of returns the value of the variable in a piece. Placeholders for items remain in the Pods of a role without items.
func (v *values) of(p piece) string {
	if p.variable != taskItem {
		return v.fixed[p.variable]
	}
	if value, known := v.ofItem[p.item]; known {
		return value
	}
	return tokenStart + p.item + tokenEnd
}

func (t Task) values() values {
	name := t.Framework.Name
	return values{fixed: [variableCount]string{
		frameworkNamespace:          t.Framework.Namespace,
		frameworkName:               name,
		taskRoleName:                t.RoleName,
		taskIndex:                   strconv.Itoa(int(t.Index)),
		configMapName:               v1.ConfigMapName(name),
		podName:                     v1.PodName(name, t.RoleName, t.Index),
		frameworkUID:                string(t.Framework.UID),
		frameworkAttemptID:          strconv.Itoa(int(t.FrameworkAttemptID)),
		frameworkAttemptInstanceUID: v1.InstanceUID(t.FrameworkAttemptID, string(t.ConfigMapUID)),
		configMapUID:                string(t.ConfigMapUID),
		taskRoleUID:                 t.RoleUID,
		taskUID:                     t.UID,
		taskAttemptID:               strconv.Itoa(int(t.AttemptID)),
		// The Pod has no UID yet, so the kubelet completes this one.
		taskAttemptInstanceUID: v1.InstanceUID(t.AttemptID, "$("+v1.KeyPodUID+")"),
		hostname:               hostnameOf(v1.PodName(name, t.RoleName, t.Index)),
		serviceName:            v1.ServiceName(name),
	}}
}

// hostnameOf returns a Pod's name if it can be a hostname unchanged, or the empty string.
func hostnameOf(pod string) string {
	if len(validation.IsDNS1123Label(pod)) > 0 {
		return ""
	}
	return pod
}

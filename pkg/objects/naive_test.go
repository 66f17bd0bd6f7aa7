package objects_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// naivePod builds a Pod as contract 1.7 and 1.8 describe it, one step after the other on plain text and plain maps, and then adds the names
// and the keys that a spec asks for. Build is compared with it. Names in the Task must need no escaping.
func naivePod(template []byte, t objects.Task, spec *v1.FrameworkSpec) (pod map[string]any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = r.(error)
		}
	}()
	replaced, err := naiveReplace(template, t)
	if err != nil {
		return nil, err
	}
	root := naiveObject(replaced)
	metadata, podSpec := naiveObject(root["metadata"]), naiveObject(root["spec"])
	env := naiveEnvironment(t)
	naiveMetadata(metadata, env, t)
	if n := spec.Network; n != nil {
		env = append(env, naiveCounts(t, spec.TaskRoles)...)
		if n.DNS {
			naiveHost(podSpec, t)
		}
	}
	if spec.SSH != nil {
		naiveKeys(podSpec, spec.SSH.MountPath, t)
	}
	for _, key := range []string{"initContainers", "containers"} {
		naiveContainers(naiveList(podSpec[key]), env)
	}
	return map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": podSpec}, nil
}

func naivePodName(t objects.Task) string {
	return fmt.Sprintf("%s-%s-%d", t.Framework.Name, t.RoleName, t.Index)
}

// naiveReplace reads the template, writes it, replaces the tokens in the text, and reads it again.
func naiveReplace(template []byte, t objects.Task) (any, error) {
	parsed, err := decode(template)
	if len(template) != 0 && err != nil {
		return nil, err
	}
	text, err := json.Marshal(parsed)
	if err != nil {
		return nil, err
	}
	return decode([]byte(strings.NewReplacer(
		"{{FC_FRAMEWORK_NAMESPACE}}", t.Framework.Namespace,
		"{{FC_FRAMEWORK_NAME}}", t.Framework.Name,
		"{{FC_TASKROLE_NAME}}", t.RoleName,
		"{{FC_TASK_INDEX}}", fmt.Sprint(t.Index),
		"{{FC_CONFIGMAP_NAME}}", t.Framework.Name+"-attempt",
		"{{FC_POD_NAME}}", naivePodName(t),
	).Replace(string(text))))
}

func naiveMetadata(metadata map[string]any, env []any, t objects.Task) {
	delete(metadata, "resourceVersion")
	metadata["name"], metadata["namespace"] = naivePodName(t), t.Framework.Namespace
	metadata["ownerReferences"] = append(naiveList(metadata["ownerReferences"]), map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "name": t.Framework.Name + "-attempt", "uid": t.ConfigMapUID,
		"controller": true, "blockOwnerDeletion": true,
	})
	annotations, labels := naiveObject(metadata["annotations"]), naiveObject(metadata["labels"])
	for i, e := range env[:13] {
		key, value := e.(map[string]any)["name"].(string), e.(map[string]any)["value"]
		annotations[key] = value
		if i >= 1 && i <= 3 {
			labels[key] = value
		}
	}
	metadata["annotations"], metadata["labels"] = annotations, labels
}

func naiveContainers(containers, env []any) {
	for i := range containers {
		container := naiveObject(containers[i])
		container["env"] = append(append([]any{}, env...), naiveList(container["env"])...)
		if p := container["terminationMessagePolicy"]; p == nil || p == "" {
			container["terminationMessagePolicy"] = "FallbackToLogsOnError"
		}
		containers[i] = container
	}
}

func naiveEnvironment(t objects.Task) []any {
	var env []any
	add := func(name string, value any) {
		env = append(env, map[string]any{"name": name, "value": fmt.Sprint(value)})
	}
	add("FC_FRAMEWORK_NAMESPACE", t.Framework.Namespace)
	add("FC_FRAMEWORK_NAME", t.Framework.Name)
	add("FC_TASKROLE_NAME", t.RoleName)
	add("FC_TASK_INDEX", t.Index)
	add("FC_CONFIGMAP_NAME", t.Framework.Name+"-attempt")
	add("FC_POD_NAME", naivePodName(t))
	add("FC_FRAMEWORK_UID", t.Framework.UID)
	add("FC_FRAMEWORK_ATTEMPT_ID", t.FrameworkAttemptID)
	add("FC_FRAMEWORK_ATTEMPT_INSTANCE_UID", fmt.Sprintf("%d_%s", t.FrameworkAttemptID, t.ConfigMapUID))
	add("FC_CONFIGMAP_UID", t.ConfigMapUID)
	add("FC_TASKROLE_UID", t.RoleUID)
	add("FC_TASK_UID", t.UID)
	add("FC_TASK_ATTEMPT_ID", t.AttemptID)
	env = append(env, map[string]any{"name": "FC_POD_UID", "valueFrom": map[string]any{
		"fieldRef": map[string]any{"fieldPath": "metadata.uid"}}})
	add("FC_TASK_ATTEMPT_INSTANCE_UID", fmt.Sprintf("%d_$(FC_POD_UID)", t.AttemptID))
	return env
}

// naiveCounts: how many Tasks there are, and the Task's place among them.
func naiveCounts(t objects.Task, roles []v1.TaskRoleSpec) (env []any) {
	total, rank := int32(0), int32(0)
	for _, role := range roles {
		if role.Name == t.RoleName {
			rank = total + t.Index
		}
		total += role.TaskNumber
	}
	add := func(name string, value int32) {
		env = append(env, map[string]any{"name": name, "value": fmt.Sprint(value)})
	}
	add("FC_TASK_COUNT", total)
	add("FC_TASK_RANK", rank)
	for _, role := range roles {
		add("FC_TASK_COUNT_"+role.Name, role.TaskNumber)
	}
	return env
}

func naiveHost(spec map[string]any, t objects.Task) {
	name := naivePodName(t)
	if len(name) > 63 {
		name = ""
	}
	if h := spec["hostname"]; h == nil || h == "" {
		spec["hostname"] = name
	}
	if d := spec["subdomain"]; d == nil || d == "" {
		spec["subdomain"] = t.Framework.Name
	}
}

func naiveKeys(spec map[string]any, at string, t objects.Task) {
	has := func(list []any, key, value string) bool {
		for _, e := range list {
			if o, ok := e.(map[string]any); ok && o[key] == value {
				return true
			}
		}
		return false
	}
	if volumes := naiveList(spec["volumes"]); !has(volumes, "name", "fc-ssh") {
		spec["volumes"] = append(volumes, map[string]any{
			"name": "fc-ssh", "secret": map[string]any{"secretName": t.Framework.Name + "-ssh", "defaultMode": json.Number("256")},
		})
	}
	for _, key := range []string{"initContainers", "containers"} {
		containers := naiveList(spec[key])
		for i := range containers {
			container := naiveObject(containers[i])
			if mounts := naiveList(container["volumeMounts"]); !has(mounts, "mountPath", at) {
				container["volumeMounts"] = append(mounts, map[string]any{"name": "fc-ssh", "mountPath": at, "readOnly": true})
			}
			containers[i] = container
		}
	}
}

var errKind = errors.New("wrong kind of value")

func naiveObject(value any) map[string]any {
	if value == nil {
		return map[string]any{}
	}
	object, ok := value.(map[string]any)
	if !ok {
		panic(errKind)
	}
	return object
}

func naiveList(value any) []any {
	list, ok := value.([]any)
	if value != nil && !ok {
		panic(errKind)
	}
	return list
}

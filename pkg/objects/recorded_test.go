package objects_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

func TestPodEqualsRecorded(t *testing.T) {
	f := recordedFramework(t)
	role := f.Spec.TaskRoles[0]
	body, err := objects.NewPodBuilder(role.Name, role.Task.Pod).Build(recordedTask(f))
	require.NoError(t, err)
	got, want := parse(t, body), parse(t, recorded(t, "pod.json"))
	removeServerFields(want)
	removeNull(got, "metadata", "creationTimestamp")
	diff(t, got, want)
}

func TestConfigMapEqualsRecorded(t *testing.T) {
	f := recordedFramework(t)
	body, err := json.Marshal(objects.ConfigMap(owner(f), f.Status.AttemptStatus.ID))
	require.NoError(t, err)
	got, want := parse(t, body), parse(t, recorded(t, "configmap.json"))
	delete(want, "apiVersion") // a typed client adds these two
	delete(want, "kind")
	removeServerFields(want)
	removeNull(got, "metadata", "creationTimestamp")
	diff(t, got, want)
}

func recordedFramework(t testing.TB) *v1.Framework {
	t.Helper()
	f := &v1.Framework{}
	require.NoError(t, json.Unmarshal(recorded(t, "framework.json"), f))
	return f
}

func owner(f *v1.Framework) objects.Owner {
	return objects.Owner{Namespace: f.Namespace, Name: f.Name, UID: f.UID}
}

// recordedTask is the Task of the recorded Pod: the first of the first role.
func recordedTask(f *v1.Framework) objects.Task {
	attempt := f.Status.AttemptStatus
	role := attempt.TaskRoleStatuses[0]
	task := role.TaskStatuses[0]
	return objects.Task{
		Framework:          owner(f),
		FrameworkAttemptID: attempt.ID,
		ConfigMapUID:       *attempt.ConfigMapUID,
		RoleName:           role.Name,
		RoleUID:            role.InstanceUID,
		Index:              task.Index,
		UID:                task.InstanceUID,
		AttemptID:          task.AttemptStatus.ID,
	}
}

// removeServerFields removes what the API server, its admission plugins and the scheduler added.
func removeServerFields(object map[string]any) {
	metadata := object["metadata"].(map[string]any)
	remove(metadata, "creationTimestamp", "generation", "resourceVersion", "uid")
	spec, ok := object["spec"].(map[string]any)
	if !ok {
		return
	}
	remove(spec, "dnsPolicy", "enableServiceLinks", "nodeName", "preemptionPolicy", "priority", "schedulerName",
		"securityContext", "serviceAccount", "serviceAccountName", "terminationGracePeriodSeconds", "tolerations",
		"volumes")
	for _, list := range []string{"containers", "initContainers"} {
		for _, container := range spec[list].([]any) {
			removeContainerDefaults(container.(map[string]any))
		}
	}
}

func removeContainerDefaults(container map[string]any) {
	remove(container, "imagePullPolicy", "terminationMessagePath", "volumeMounts")
	for _, entry := range container["env"].([]any) {
		if from, ok := entry.(map[string]any)["valueFrom"].(map[string]any); ok {
			remove(from["fieldRef"].(map[string]any), "apiVersion")
		}
	}
}

func remove(fields map[string]any, keys ...string) {
	for _, key := range keys {
		delete(fields, key)
	}
}

func removeNull(fields map[string]any, parent, key string) {
	child := fields[parent].(map[string]any)
	if child[key] == nil {
		delete(child, key)
	}
}

func recorded(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return data
}

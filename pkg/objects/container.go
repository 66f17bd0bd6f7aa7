package objects

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// containerLists are the lists of containers that get our variables. Ephemeral containers are left unchanged.
var containerLists = []string{"initContainers", "containers"}

// setContainers prepares the containers and init containers of a Pod's spec.
func setContainers(spec object) error { return eachContainer(spec, setContainer) }

// eachContainer changes all containers and init containers of a Pod's spec.
func eachContainer(spec object, change func(container object) error) error {
	for _, key := range containerLists {
		if err := eachOf(spec, key, change); err != nil {
			return err
		}
	}
	return nil
}

func eachOf(spec object, key string, change func(container object) error) error {
	containers, err := spec.list(key)
	if err != nil {
		return err
	}
	for i := range containers {
		container, err := asObject(containers[i], fmt.Sprintf("%s.%s[%d]", spec.path, key, i))
		if err != nil {
			return err
		}
		if err := change(container); err != nil {
			return err
		}
		containers[i] = container.fields
	}
	return nil
}

func setContainer(container object) error {
	if err := prependEnvironment(container); err != nil {
		return err
	}
	keepLastLogs(container)
	return nil
}

// prependEnvironment puts our variables before the user's. So the user's variables can refer to them, and a user's
// variable of the same name, being later, wins.
func prependEnvironment(container object) error {
	given, err := container.list("env")
	if err != nil {
		return err
	}
	container.fields["env"] = slices.Concat([]any{pattern{{variable: environment}}}, given)
	return nil
}

// environmentText is the JSON of the environment, with placeholders for values. It is written once for all containers
// of a Pod: it is the largest part of many Pods, and would make a pattern hundreds of times as large as a template of
// many containers.
var environmentText = withoutBrackets(jsonPattern(predefined()))

// predefined lists the predefined variables. The kubelet expands a reference to an earlier one only, so
// the order is part of the contract (1.6).
func predefined() []any {
	var env []any
	for _, v := range podAnnotations {
		env = append(env, envVar(v))
	}
	uid := map[string]any{"fieldRef": map[string]any{"fieldPath": "metadata.uid"}}
	env = append(env, map[string]any{"name": v1.KeyPodUID, "valueFrom": uid})
	return append(env, envVar(taskAttemptInstanceUID))
}

func envVar(v variable) map[string]any {
	return map[string]any{"name": variableKeys[v], "value": v}
}

// keepLastLogs makes a failed container report its last output if it left no message, unless the user chose otherwise:
// failure classification has nothing else to read (contract 1.6).
func keepLastLogs(container object) {
	const key = "terminationMessagePolicy"
	if policy := container.fields[key]; policy == nil || policy == "" {
		container.fields[key] = string(corev1.TerminationMessageFallbackToLogsOnError)
	}
}

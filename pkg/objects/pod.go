package objects

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// podTree builds a Pod, with variables in it, from a template's metadata and spec (contract 1.8), which it consumes.
// Nothing else in a template is part of a PodTemplateSpec.
func podTree(metadata, spec object, a additions) (map[string]any, error) {
	if err := setMetadata(metadata); err != nil {
		return nil, err
	}
	if err := setOwnWords(metadata, a); err != nil {
		return nil, err
	}
	if a.hosts {
		setHost(spec)
	}
	if a.keysAt != "" {
		if err := mountKeys(spec, a.keysAt); err != nil {
			return nil, err
		}
	}
	for i := range a.volumes {
		if err := mountVolume(spec, &a.volumes[i]); err != nil {
			return nil, err
		}
	}
	if err := setContainers(spec); err != nil {
		return nil, err
	}
	return map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": metadata.fields, "spec": spec.fields}, nil
}

// setMetadata sets the labels, annotations and owner of a Pod's metadata.
func setMetadata(metadata object) error {
	// Metadata copied from a live Pod has one. The API server clears the UID and the times that only it may set, but
	// answers this with an internal error (k8s.io/apiserver, storage.ErrResourceVersionSetOnCreate), which would be
	// retried forever.
	delete(metadata.fields, "resourceVersion")
	metadata.fields["name"] = podName
	metadata.fields["namespace"] = frameworkNamespace
	if err := addOwner(metadata); err != nil {
		return err
	}
	if err := setEntries(metadata, "annotations", podAnnotations); err != nil {
		return err
	}
	return setEntries(metadata, "labels", podLabels)
}

// setOwnWords records in a Pod's metadata the decisions of its creation: that it must avoid nodes, and which containers
// complete it. In a template, the former would cause the Pod to be replaced again and again.
func setOwnWords(metadata object, a additions) error {
	annotations, err := metadata.object("annotations")
	if err != nil {
		return err
	}
	delete(annotations.fields, v1.KeyAvoidNodes)
	if a.strict {
		annotations.fields[v1.KeyAvoidNodes] = string(v1.AvoidRequire)
	}
	delete(annotations.fields, v1.KeyCompletionContainers)
	if a.completion != "" {
		annotations.fields[v1.KeyCompletionContainers] = a.completion
	}
	return nil
}

// LongestCompletionContainers is the length in bytes of the longest annotation of completion containers that counts:
// the maximum number of names in TaskSpec.CompletionContainers, each of a container name's maximum length, and the
// commas.
const LongestCompletionContainers = 16 * (63 + 1)

// CompletionContainers returns the containers that complete a Pod, according to its annotation; nil if all do. A longer
// list than possible counts as none, since caches do not keep it.
func CompletionContainers(pod metav1.Object) []string {
	said := pod.GetAnnotations()[v1.KeyCompletionContainers]
	if said == "" || len(said) > LongestCompletionContainers {
		return nil
	}
	return strings.Split(said, ",")
}

// setEntries sets variables under their own keys in the object under key, replacing those of the template.
func setEntries(metadata object, key string, variables []variable) error {
	entries, err := metadata.object(key)
	if err != nil {
		return err
	}
	for _, v := range variables {
		entries.fields[variableKeys[v]] = v
	}
	return nil
}

// addOwner appends the attempt ConfigMap to the owners (contract 1.4). The API server refuses a second controller among
// them.
func addOwner(metadata object) error {
	owners, err := metadata.list("ownerReferences")
	if err != nil {
		return err
	}
	metadata.fields["ownerReferences"] = append(owners, map[string]any{
		"apiVersion":         "v1",
		"kind":               KindConfigMap,
		"name":               configMapName,
		"uid":                configMapUID,
		"controller":         true,
		"blockOwnerDeletion": true,
	})
	return nil
}

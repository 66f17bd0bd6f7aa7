package objects

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// podTree makes a Pod, with variables in it, of what a template says (contract 1.8). It uses the template's metadata and
// spec up. Nothing else in a template is part of a PodTemplateSpec.
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
	if err := setContainers(spec); err != nil {
		return nil, err
	}
	return map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": metadata.fields, "spec": spec.fields}, nil
}

// setMetadata says in a Pod's metadata whose Pod it is.
func setMetadata(metadata object) error {
	// Metadata copied from a live Pod carries one. The API server wipes the UID and the times that only it may
	// set, but answers this with an internal error (k8s.io/apiserver, storage.ErrResourceVersionSetOnCreate),
	// which would be retried for ever.
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

// setOwnWords says in a Pod's metadata what was decided when it was made: that it must avoid nodes, and which containers
// complete it. In a template, too, the former would have the Pod replaced again and again.
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

// LongestCompletionContainers is the length, in bytes, of the longest annotation of completion containers that counts: as many names
// as TaskSpec.CompletionContainers may have, each as long as the name of a container may be, and the commas.
const LongestCompletionContainers = 16 * (63 + 1)

// CompletionContainers returns the containers that complete a Pod, as it says itself; nil if all do. A longer list than there can be
// counts as none, since caches do not keep it.
func CompletionContainers(pod metav1.Object) []string {
	said := pod.GetAnnotations()[v1.KeyCompletionContainers]
	if said == "" || len(said) > LongestCompletionContainers {
		return nil
	}
	return strings.Split(said, ",")
}

// setEntries sets variables under their own keys, over those of the template, in the object under key.
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

// addOwner appends the attempt ConfigMap to the owners (contract 1.4). A second controller among them is for
// the API server to refuse.
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

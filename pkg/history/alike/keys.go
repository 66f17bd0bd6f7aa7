package alike

import (
	"maps"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// ofOne are the keys, of labels, annotations and environment variables, whose values belong to one Task, Pod or attempt.
var ofOne = map[string]bool{
	v1.KeyTaskIndex: true, v1.KeyTaskRank: true, v1.KeyTaskUID: true, v1.KeyTaskAttemptID: true, v1.KeyTaskAttemptInstanceUID: true,
	v1.KeyPodName: true, v1.KeyPodUID: true, v1.KeyFrameworkUID: true, v1.KeyFrameworkAttemptID: true, v1.KeyFrameworkAttemptInstanceUID: true,
	v1.KeyConfigMapUID: true, v1.KeyTaskRoleUID: true,
}

// lastApplied ends the keys of annotations in which kubectl and others keep a copy of an object, with the environment in it.
const lastApplied = "/last-applied-configuration"

// WithoutCopies returns annotations without copies of the object, which hold values of environment variables.
func WithoutCopies(annotations map[string]string) map[string]string {
	return without(annotations, func(key string) bool { return strings.HasSuffix(key, lastApplied) })
}

// without returns a copy without some keys; nil if nothing is left.
func without(all map[string]string, drop func(key string) bool) map[string]string {
	kept := maps.Clone(all)
	maps.DeleteFunc(kept, func(key, _ string) bool { return drop(key) })
	if len(kept) == 0 {
		return nil
	}
	return kept
}

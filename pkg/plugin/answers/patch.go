package answers

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// reserved are the keys of labels, annotations and environment variables that the controller sets itself.
var reserved = []string{
	v1.KeyFrameworkNamespace, v1.KeyFrameworkName, v1.KeyTaskRoleName, v1.KeyTaskIndex, v1.KeyConfigMapName, v1.KeyPodName,
	v1.KeyFrameworkUID, v1.KeyFrameworkAttemptID, v1.KeyFrameworkAttemptInstanceUID, v1.KeyConfigMapUID, v1.KeyTaskRoleUID,
	v1.KeyTaskUID, v1.KeyTaskAttemptID, v1.KeyPodUID, v1.KeyTaskAttemptInstanceUID,
}

func checkPatches(roles []*pluginpb.RoleShape, patches []*pluginpb.PodPatch) error {
	forAll := map[string]bool{} // roles with a patch for all of their Tasks
	for _, p := range patches {
		name := p.GetTaskRole()
		i := slices.IndexFunc(roles, func(r *pluginpb.RoleShape) bool { return r.GetName() == name })
		switch {
		case i < 0:
			return fmt.Errorf("there is no role %q", completion.Cut(name, 100))
		case forAll[name]:
			return fmt.Errorf("there is more than one patch for role %s: a patch for all of its Tasks must be the last", name)
		}
		forAll[name] = len(p.GetIndices()) == 0
		if err := checkPatch(roles[i], p); err != nil {
			return fmt.Errorf("patch for role %s: %w", name, err)
		}
	}
	return nil
}

func checkPatch(role *pluginpb.RoleShape, p *pluginpb.PodPatch) error {
	return errors.Join(
		checkIndices(p.GetIndices()),
		checkLabels("label", p.GetLabels()),
		checkLabels("node selector", p.GetNodeSelector()),
		checkAnnotations(p.GetAnnotations()),
		checkName("priority class", p.GetPriorityClassName()),
		checkJSON("tolerations_json", p.GetTolerationsJson(), &[]corev1.Toleration{}),
		checkJSON("affinity_json", p.GetAffinityJson(), &corev1.Affinity{}),
		checkGates(p.GetSchedulingGates()),
		checkContainers(role, p.GetContainers()),
		checkSpec(p.GetSpecJson()),
	)
}

func checkIndices(ranges []*pluginpb.IndexRange) error {
	for _, r := range ranges {
		if r.GetFirst() < 0 || r.GetLast() < r.GetFirst() {
			return fmt.Errorf("indices: from %d to %d is not a range", r.GetFirst(), r.GetLast())
		}
	}
	return nil
}

// isPlaceholder reports whether a value contains a placeholder, so that it is known only for each Pod.
func isPlaceholder(value string) bool { return strings.Contains(value, "{{") }

func checkKey(what, key string) error {
	if slices.Contains(reserved, key) {
		return fmt.Errorf("%s %s is set by the controller", what, key)
	}
	if problems := validation.IsQualifiedName(key); len(problems) > 0 && !isPlaceholder(key) {
		return fmt.Errorf("%s %q: %s", what, completion.Cut(key, 100), problems[0])
	}
	return nil
}

func checkLabels(what string, labels map[string]string) error {
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		if err := checkKey(what, key); err != nil {
			return err
		}
		if problems := validation.IsValidLabelValue(labels[key]); len(problems) > 0 && !isPlaceholder(labels[key]) {
			return fmt.Errorf("%s %s: %s", what, key, problems[0])
		}
	}
	return nil
}

func checkAnnotations(annotations map[string]string) error {
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		// Kubernetes accepts upper case in the domain of an annotation, but not of a label.
		if err := checkKey("annotation", key); err != nil && (slices.Contains(reserved, key) ||
			len(validation.IsQualifiedName(strings.ToLower(key))) > 0) {
			return err
		}
	}
	return nil
}

func checkName(what, name string) error {
	if name == "" || isPlaceholder(name) {
		return nil
	}
	if problems := validation.IsDNS1123Subdomain(name); len(problems) > 0 {
		return fmt.Errorf("%s %q: %s", what, completion.Cut(name, 100), problems[0])
	}
	return nil
}

// checkJSON accepts fields that are newer than our library.
func checkJSON(what string, text []byte, into any) error {
	if len(text) == 0 {
		return nil
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

func checkGates(gates []string) error {
	for i, gate := range gates {
		if problems := validation.IsQualifiedName(gate); len(problems) > 0 {
			return fmt.Errorf("scheduling gate %q: %s", completion.Cut(gate, 100), problems[0])
		}
		if slices.Contains(gates[:i], gate) {
			return fmt.Errorf("scheduling gate %s occurs twice", gate)
		}
	}
	return nil
}

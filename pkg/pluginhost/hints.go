package pluginhost

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/quantity"
)

// maxHints is how many bytes hints may have when they are stored, as JSON.
const maxHints = 64 << 10

// reserved are the keys of labels, annotations and environment variables that the controller sets itself.
var reserved = []string{
	v1.KeyFrameworkNamespace, v1.KeyFrameworkName, v1.KeyTaskRoleName, v1.KeyTaskIndex, v1.KeyConfigMapName, v1.KeyPodName,
	v1.KeyFrameworkUID, v1.KeyFrameworkAttemptID, v1.KeyFrameworkAttemptInstanceUID, v1.KeyConfigMapUID, v1.KeyTaskRoleUID,
	v1.KeyTaskUID, v1.KeyTaskAttemptID, v1.KeyPodUID, v1.KeyTaskAttemptInstanceUID,
}

// CheckHints returns what is wrong with an answer to a question; nil if nothing is.
func CheckHints(q *pluginpb.HintRequest, a *pluginpb.HintResponse) error {
	_, err := checkedHints(q, a)
	return err
}

// checkedHints returns nil if the plugin has no opinion. It checks as far as Kubernetes' own rules for names and values
// go, so that hints do not make every Pod of the attempt be refused.
func checkedHints(q *pluginpb.HintRequest, a *pluginpb.HintResponse) (*pluginpb.HintResponse, error) {
	if a.GetRefusal() != "" {
		return &pluginpb.HintResponse{Refusal: cut(a.GetRefusal(), maxMessage)}, nil
	}
	if len(a.GetPatches()) == 0 && len(a.GetObjects()) == 0 && !a.GetWait() {
		return nil, nil
	}
	text, err := protojson.Marshal(a)
	if err != nil {
		return nil, err
	}
	if len(text) > maxHints {
		return nil, fmt.Errorf("it has %d bytes as JSON, more than the %d that are stored", len(text), maxHints)
	}
	if err := checkPatches(q, a.GetPatches()); err != nil {
		return nil, err
	}
	if err := checkObjects(q.GetFramework(), a.GetObjects()); err != nil {
		return nil, err
	}
	return proto.CloneOf(a), nil
}

func checkPatches(q *pluginpb.HintRequest, patches []*pluginpb.PodPatch) error {
	seen := map[string]bool{}
	for _, p := range patches {
		name := p.GetTaskRole()
		i := slices.IndexFunc(q.GetRoles(), func(r *pluginpb.RoleShape) bool { return r.GetName() == name })
		switch {
		case i < 0:
			return fmt.Errorf("there is no role %q", cut(name, 100))
		case seen[name]:
			return fmt.Errorf("there is more than one patch for role %s", name)
		}
		seen[name] = true
		if err := checkPatch(q.GetRoles()[i], p); err != nil {
			return fmt.Errorf("patch for role %s: %w", name, err)
		}
	}
	return nil
}

func checkPatch(role *pluginpb.RoleShape, p *pluginpb.PodPatch) error {
	return errors.Join(
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

// isPlaceholder reports whether a value holds a placeholder, so that it is known only for each Pod.
func isPlaceholder(value string) bool { return strings.Contains(value, "{{") }

func checkKey(what, key string) error {
	if slices.Contains(reserved, key) {
		return fmt.Errorf("%s %s is set by the controller", what, key)
	}
	if problems := validation.IsQualifiedName(key); len(problems) > 0 && !isPlaceholder(key) {
		return fmt.Errorf("%s %q: %s", what, cut(key, 100), problems[0])
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
		// Kubernetes takes upper case in the domain of an annotation, though not of a label.
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
		return fmt.Errorf("%s %q: %s", what, cut(name, 100), problems[0])
	}
	return nil
}

// checkJSON takes fields that are newer than our library.
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
			return fmt.Errorf("scheduling gate %q: %s", cut(gate, 100), problems[0])
		}
		if slices.Contains(gates[:i], gate) {
			return fmt.Errorf("scheduling gate %s is there twice", gate)
		}
	}
	return nil
}

func checkContainers(role *pluginpb.RoleShape, containers []*pluginpb.ContainerPatch) error {
	for _, c := range containers {
		if c.GetName() != "" && !slices.Contains(role.GetContainerNames(), c.GetName()) {
			return fmt.Errorf("there is no container %q", cut(c.GetName(), 100))
		}
		if err := errors.Join(checkEnv(c.GetEnvJson()), checkQuantities("request", c.GetRequests()),
			checkQuantities("limit", c.GetLimits())); err != nil {
			return err
		}
	}
	return nil
}

func checkEnv(text []byte) error {
	var env []corev1.EnvVar
	if err := checkJSON("env_json", text, &env); err != nil {
		return err
	}
	for _, e := range env {
		if e.Name == "" {
			return errors.New("env_json: a variable has no name")
		}
		if slices.Contains(reserved, e.Name) {
			return fmt.Errorf("env_json: %s is set by the controller", e.Name)
		}
	}
	return nil
}

func checkQuantities(what string, amounts map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(amounts)) {
		if problems := validation.IsQualifiedName(name); len(problems) > 0 {
			return fmt.Errorf("%s %q: %s", what, cut(name, 100), problems[0])
		}
		amount := amounts[name]
		if isPlaceholder(amount) {
			continue
		}
		if err := quantity.Check(amount); err != nil {
			return fmt.Errorf("%s %s: %w", what, name, err)
		}
		parsed, err := resource.ParseQuantity(amount)
		if err != nil {
			return fmt.Errorf("%s %s: %q is no quantity", what, name, cut(amount, 100))
		}
		if parsed.Sign() < 0 {
			return fmt.Errorf("%s %s: %s is negative", what, name, amount)
		}
	}
	return nil
}

func checkSpec(text []byte) error {
	var spec map[string]any
	if err := checkJSON("spec_json", text, &spec); err != nil {
		return err
	}
	if len(text) > 0 && spec == nil {
		return errors.New("spec_json: it is not an object")
	}
	for _, list := range []string{"containers", "initContainers", "ephemeralContainers"} {
		containers, _ := spec[list].([]any)
		for _, c := range containers {
			if err := checkSpecContainer(c); err != nil {
				return fmt.Errorf("spec_json: %s: %w", list, err)
			}
		}
	}
	return nil
}

// checkSpecContainer looks at the environment, which is where a patch could set what is the controller's.
func checkSpecContainer(container any) error {
	c, ok := container.(map[string]any)
	if !ok {
		return errors.New("an entry is not an object")
	}
	env, _ := c["env"].([]any)
	for _, e := range env {
		variable, _ := e.(map[string]any)
		if name, _ := variable["name"].(string); slices.Contains(reserved, name) {
			return fmt.Errorf("%s is set by the controller", name)
		}
	}
	return nil
}

func checkObjects(f *pluginpb.Framework, objects []*pluginpb.Object) error {
	seen := map[string]bool{}
	for i, o := range objects {
		key, err := checkObject(f, o.GetJson())
		if err != nil {
			return fmt.Errorf("object %d: %w", i, err)
		}
		if seen[key] {
			return fmt.Errorf("object %d: %s is there twice", i, key)
		}
		seen[key] = true
	}
	return nil
}

// checkObject returns what identifies the object.
func checkObject(f *pluginpb.Framework, text []byte) (string, error) {
	var o struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Metadata   struct {
			Name            string `json:"name"`
			GenerateName    string `json:"generateName"`
			Namespace       string `json:"namespace"`
			OwnerReferences []any  `json:"ownerReferences"`
		} `json:"metadata"`
	}
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return "", errors.New("it is not a JSON object")
	}
	if err := json.Unmarshal(text, &o); err != nil {
		return "", err
	}
	name := o.Metadata.Name
	switch {
	case o.APIVersion == "" || o.Kind == "":
		return "", errors.New("it has no apiVersion, or no kind")
	case name == "" || o.Metadata.GenerateName != "":
		return "", errors.New("it has no fixed metadata.name")
	case !hasNumber(name, f.GetAttemptId()):
		return "", fmt.Errorf("its name %q does not hold the attempt id %d", cut(name, 100), f.GetAttemptId())
	case o.Metadata.Namespace != "" && o.Metadata.Namespace != f.GetNamespace():
		return "", fmt.Errorf("it is in namespace %q, and not in the Framework's", cut(o.Metadata.Namespace, 100))
	case len(o.Metadata.OwnerReferences) > 0:
		return "", errors.New("it has ownerReferences, which the controller sets")
	}
	if err := checkName("name", name); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %s %s", o.APIVersion, o.Kind, name), nil
}

// hasNumber reports whether a number is one of the runs of digits in a name: 1 is in "a-1-b", but not in "a-12".
func hasNumber(name string, number int32) bool {
	runs := strings.FieldsFunc(name, func(r rune) bool { return r < '0' || r > '9' })
	return slices.Contains(runs, strconv.Itoa(int(number)))
}

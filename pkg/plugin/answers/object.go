package answers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

func checkObjects(f *pluginpb.Framework, objects []*pluginpb.Object) error {
	seen := map[string]bool{}
	for i, o := range objects {
		key, err := checkObject(f, o.GetJson())
		if err != nil {
			return fmt.Errorf("object %d: %w", i, err)
		}
		if _, known := pluginpb.Object_OnUpdate_name[int32(o.GetOnUpdate())]; !known {
			return fmt.Errorf("object %d: on_update %d is unknown", i, o.GetOnUpdate())
		}
		if status := o.GetStatusJson(); len(status) > 0 && !isObject(status) {
			return fmt.Errorf("object %d: status_json is not a JSON object", i)
		}
		if seen[key] {
			return fmt.Errorf("object %d: %s occurs twice", i, key)
		}
		seen[key] = true
	}
	return nil
}

// An object that an answer leaves out is named in the status, so the length of its name is limited as in Kubernetes.
const (
	maxAPIVersion = 253 + 1 + 63
	maxKind       = 63
)

// checkObject returns the identity of the object.
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
	if !isObject(text) {
		return "", errors.New("it is not a JSON object")
	}
	if err := json.Unmarshal(text, &o); err != nil {
		return "", err
	}
	name := o.Metadata.Name
	switch {
	case o.APIVersion == "" || o.Kind == "":
		return "", errors.New("it has no apiVersion or no kind")
	case len(o.APIVersion) > maxAPIVersion || len(o.Kind) > maxKind:
		return "", fmt.Errorf("%s %s is not a valid kind", completion.Cut(o.APIVersion, 100), completion.Cut(o.Kind, 100))
	case name == "" || o.Metadata.GenerateName != "":
		return "", errors.New("it has no fixed metadata.name")
	case !hasNumber(name, f.GetAttemptId()):
		return "", fmt.Errorf("its name %q does not contain the attempt id %d", completion.Cut(name, 100), f.GetAttemptId())
	case o.Metadata.Namespace != "" && o.Metadata.Namespace != f.GetNamespace():
		return "", fmt.Errorf("it is in namespace %q, not in the Framework's", completion.Cut(o.Metadata.Namespace, 100))
	case len(o.Metadata.OwnerReferences) > 0:
		return "", errors.New("it has ownerReferences, which the controller sets")
	}
	if err := checkName("name", name); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %s %s", o.APIVersion, o.Kind, name), nil
}

// isObject reports whether a text is a JSON object.
func isObject(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) && json.Valid(text)
}

// hasNumber reports whether a name contains a number as a run of digits: 1 is in "a-1-b", but not in "a-12".
func hasNumber(name string, number int32) bool {
	runs := strings.FieldsFunc(name, func(r rune) bool { return r < '0' || r > '9' })
	return slices.Contains(runs, strconv.Itoa(int(number)))
}

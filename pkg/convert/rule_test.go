package convert

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// The rule of this package, checked on files as people write them: every field, every name and every key of an object is used, or
// reported, or stands in withoutEffect.

// files are the objects in testdata/files, which test/e2e runs.
func files(t *testing.T) map[string]map[string]any {
	t.Helper()
	paths, err := filepath.Glob("testdata/files/*.yaml")
	require.NoError(t, err)
	require.Greater(t, len(paths), 40)
	all := map[string]map[string]any{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		all[filepath.Base(path)] = parse(t, string(text))
	}
	return all
}

// withoutEffect are places that may be changed and removed without any difference, each with the reason.
var withoutEffect = map[string]string{
	`^status(\..*)?$`: "the controller's",
	`^metadata\.(uid|resourceVersion|generation|creationTimestamp)$`:                                  "the API server's",
	`^metadata\.annotations\.batch\.kubernetes\.io/job-tracking$`:                                     "the API server's",
	`^metadata\.labels\.controller-uid$`:                                                              "the API server's",
	`^spec\.(manualSelector|selector\.matchLabels\.batch\.kubernetes\.io/controller-uid)$`:            "the API server's",
	`^spec\.template\.metadata\.(creationTimestamp|labels\.(batch\.kubernetes\.io/)?controller-uid)$`: "the API server's",
	`(rules\[\d+\]\.name|failurePolicy\.rules\[\d+\]\.name)$`:                                         "a name that nothing refers to",
	`^metadata\.ownerReferences\[\d+\]`:                                                               "reported as a whole",
	`elasticPolicy\.metrics\[\d+\]`:                                                                   "reported as a whole",
}

// at is a place in an object: keys of maps and indices of lists.
type at []any

func (a at) String() string {
	text := ""
	for _, step := range a {
		if i, ok := step.(int); ok {
			text += fmt.Sprintf("[%d]", i)
		} else {
			text += "." + step.(string)
		}
	}
	return strings.TrimPrefix(text, ".")
}

// placesIn returns the places of values without content, as leaves, and the places of maps.
func placesIn(value any, here at) (leaves, maps []at) {
	add := func(step any, inner any) {
		l, m := placesIn(inner, append(slices.Clone(here), step))
		leaves, maps = append(leaves, l...), append(maps, m...)
	}
	switch v := value.(type) {
	case map[string]any:
		maps = append(maps, here)
		for key, inner := range v {
			add(key, inner)
		}
		if len(v) > 0 {
			return leaves, maps
		}
	case []any:
		for i, inner := range v {
			add(i, inner)
		}
		if len(v) > 0 {
			return leaves, maps
		}
	}
	return append(leaves, here), maps
}

// with is the object with another value at a place; without it, if that is nil.
func with(object map[string]any, place at, value any) map[string]any {
	object = runtime.DeepCopyJSON(object)
	var outer any = object
	for _, step := range place[:len(place)-1] {
		if i, ok := step.(int); ok {
			outer = outer.([]any)[i]
		} else {
			outer = outer.(map[string]any)[step.(string)]
		}
	}
	switch last := place[len(place)-1].(type) {
	case int:
		outer.([]any)[last] = value
	case string:
		if outer.(map[string]any)[last] = value; value == nil {
			delete(outer.(map[string]any), last)
		}
	}
	return object
}

func valueAt(object any, place at) any {
	for _, step := range place {
		if i, ok := step.(int); ok {
			object = object.([]any)[i]
		} else {
			object = object.(map[string]any)[step.(string)]
		}
	}
	return object
}

// others are values that a place may have in place of its own.
func others(value any) []any {
	switch v := value.(type) {
	case string:
		return []any{v + "x", "other", "True", "Always", nil}
	case int64:
		return []any{v + 1, v + 100, int64(0), int64(1), nil}
	case float64:
		return []any{v + 1, nil}
	case bool:
		return []any{!v, nil}
	}
	return []any{nil}
}

// outcome is all that a user sees of a conversion, but for complaints about the type of a value. The Framework is in its stored form:
// leaving a field out equals setting its default.
func outcome(object, schema map[string]any) string {
	result, err := Object(object)
	if err != nil {
		return "error: " + err.Error()
	}
	setDefaults(result.Framework, schema)
	return fmt.Sprint(result.Framework, result.Lost)
}

// frameworkSchema returns the schema of the CRD.
func frameworkSchema(t *testing.T) map[string]any {
	t.Helper()
	crd := parse(t, readFile(t, "../../deploy/crd/frameworks.yaml"))
	versions, _, err := unstructured.NestedSlice(crd, "spec", "versions")
	require.NoError(t, err)
	schema, found, err := unstructured.NestedMap(versions[0].(map[string]any), "schema", "openAPIV3Schema")
	require.NoError(t, err)
	require.True(t, found)
	return schema
}

// setDefaults adds the defaults of a schema to a value, as the API server does.
func setDefaults(value any, schema map[string]any) {
	switch v := value.(type) {
	case map[string]any:
		properties, _ := schema["properties"].(map[string]any)
		for key, each := range properties {
			inner := each.(map[string]any)
			if byDefault, ok := inner["default"]; ok && v[key] == nil {
				v[key] = runtime.DeepCopyJSONValue(byDefault)
			}
			setDefaults(v[key], inner)
		}
	case []any:
		items, _ := schema["items"].(map[string]any)
		for _, each := range v {
			setDefaults(each, items)
		}
	}
}

// Defaults are set where they have to be: otherwise the next test would see less.
func TestDefaultsAreSet(t *testing.T) {
	framework := parse(t, "{spec: {network: {dns: true}, taskRoles: [{name: a}]}}")
	setDefaults(framework, frameworkSchema(t))
	spec := framework["spec"].(map[string]any)
	require.Equal(t, true, spec["network"].(map[string]any)["publishNotReadyAddresses"])
	require.EqualValues(t, 1, spec["taskRoles"].([]any)[0].(map[string]any)["taskNumber"])
}

// Every value in a file changes the Framework or the report.
func TestEveryValueMatters(t *testing.T) {
	schema := frameworkSchema(t)
	excused := map[string]bool{}
	for name, object := range files(t) {
		before := outcome(object, schema)
		require.NotContains(t, before, "error:", name)
		leaves, _ := placesIn(object, nil)
		for _, leaf := range leaves {
			value := valueAt(object, leaf)
			if slices.ContainsFunc(others(value), func(other any) bool { return outcome(with(object, leaf, other), schema) != before }) {
				continue
			}
			if pattern := matching(leaf.String()); pattern != "" {
				excused[pattern] = true
				continue
			}
			t.Errorf("%s: %s: %v makes no difference, and nothing is said of it", name, leaf, value)
		}
	}
	for pattern, reason := range withoutEffect {
		if !excused[pattern] || reason == "" {
			t.Errorf("no file needs %s (%s)", pattern, reason)
		}
	}
}

func matching(path string) string {
	for pattern := range withoutEffect {
		if regexp.MustCompile(pattern).MatchString(path) {
			return pattern
		}
	}
	return ""
}

const planted = "planted-here"

// An unknown field is reported by its path, wherever it is; in a Pod template and in a claim it stays in place.
func TestPlantedFieldIsReported(t *testing.T) {
	for name, object := range files(t) {
		_, maps := placesIn(object, nil)
		for _, inner := range maps {
			place := append(slices.Clone(inner), "ofNobody")
			if isWords(inner) || matching(inner.String()) != "" || matching(place.String()) != "" {
				continue
			}
			result, err := Object(with(object, place, planted))
			switch {
			case err != nil && strings.Contains(err.Error(), place.String()):
			case err != nil:
				t.Errorf("%s: %s: %v", name, place, err)
			case inTemplate(inner), inClaim(inner):
				requirePlanted(t, name, result, place)
			case !tells(result, place.String()):
				t.Errorf("%s: %s is dropped without a word", name, place)
			}
		}
	}
}

// A key of the user's own stays where it is, and one of a system that acts on jobs is reported.
func TestPlantedKeyIsKeptOrReported(t *testing.T) {
	for name, object := range files(t) {
		_, maps := placesIn(object, nil)
		places := []at{{"metadata", "labels"}, {"metadata", "annotations"}}
		for _, inner := range maps {
			if isWords(inner) && len(inner) > 2 {
				places = append(places, inner)
			}
		}
		for _, words := range places {
			whole := object
			if len(words) == 2 {
				whole = with(object, words, runtime.DeepCopyJSONValue(orEmpty(object["metadata"].(map[string]any)[words[1].(string)])))
			}
			mine, theirs := append(slices.Clone(words), "acme.example/of-nobody"), append(slices.Clone(words), "kueue.x-k8s.io/of-nobody")
			result, err := Object(with(whole, mine, planted))
			require.NoError(t, err, name)
			if !tells(result, mine.String()) {
				requirePlanted(t, name, result, mine)
			}
			result, err = Object(with(whole, theirs, planted))
			require.NoError(t, err, name)
			if !tells(result, theirs.String()) {
				t.Errorf("%s: %s is taken without a word", name, theirs)
			}
		}
	}
}

func orEmpty(value any) any {
	if value == nil {
		return map[string]any{}
	}
	return value
}

// A Pod label that a selector needs is set, or its absence is reported.
func TestPlantedSelectorIsMetOrReported(t *testing.T) {
	system := map[string]string{
		"batch.kubernetes.io/job-name": "", "batch.kubernetes.io/of-nobody": "", "volcano.sh/job-name": "", "volcano.sh/of-nobody": "", "jobset.sigs.k8s.io/jobset-name": "",
		"jobset.sigs.k8s.io/of-nobody": "", "training.kubeflow.org/job-name": "", "training.kubeflow.org/of-nobody": "", "controller-uid": "",
	}
	for name, object := range files(t) {
		_, maps := placesIn(object, nil)
		for _, inner := range maps {
			if len(inner) == 0 || inner[len(inner)-1] != "spec" || !inTemplate(inner) {
				continue
			}
			for key := range system {
				spread := []any{map[string]any{"labelSelector": map[string]any{"matchLabels": map[string]any{key: "x"}}}}
				result, err := Object(with(object, append(slices.Clone(inner), "topologySpreadConstraints"), spread))
				require.NoError(t, err, name)
				if !tells(result, inner.String()+".topologySpreadConstraints[0].labelSelector.matchLabels") && !everyPodHas(result, key) {
					t.Errorf("%s: %s selects by %s, which no Pod has", name, inner, key)
				}
			}
		}
	}
}

func everyPodHas(result *Result, key string) bool {
	for _, role := range result.Framework["spec"].(map[string]any)["taskRoles"].([]any) {
		pod := role.(map[string]any)["task"].(map[string]any)["pod"].(map[string]any)
		metadata, _ := pod["metadata"].(map[string]any)
		labels, _ := metadata["labels"].(map[string]any)
		if labels[key] == nil {
			return false
		}
	}
	return true
}

// isWords reports whether a map holds labels or annotations, whose keys are no fields.
func isWords(place at) bool {
	n := len(place)
	return n >= 2 && place[n-2] == "metadata" && (place[n-1] == "labels" || place[n-1] == "annotations")
}

// inTemplate reports whether a place is in a Pod template. A JobSet's Pod template is in a Job template.
func inTemplate(place at) bool {
	depth := 0
	for _, step := range place {
		if step == "template" {
			depth++
		}
	}
	return depth > 1 || depth == 1 && !slices.Contains(place, any("replicatedJobs"))
}

// inClaim reports whether a place is in the spec of a claim that a JobSet creates.
func inClaim(place at) bool {
	return slices.Contains(place, any("volumeClaimPolicies")) && slices.Contains(place[1:], any("spec"))
}

func tells(result *Result, path string) bool {
	return slices.ContainsFunc(result.Lost, func(l Lost) bool { return l.Path == path })
}

// requirePlanted wants the planted value where it was: in the metadata of the Framework, in a Pod template, or in a claim.
func requirePlanted(t *testing.T, name string, result *Result, place at) {
	t.Helper()
	spec := result.Framework["spec"].(map[string]any)
	if !inTemplate(place) && !inClaim(place) {
		if !reflect.DeepEqual(valueAt(result.Framework, place), planted) {
			t.Errorf("%s: %s is not in the Framework", name, place)
		}
		return
	}
	// Variables and volumes are added before or after the others, so an index may differ.
	if !strings.Contains(fmt.Sprint(spec), planted) {
		t.Errorf("%s: %s is in no Pod template and no claim", name, place)
	}
}

package objects_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

const (
	notA    = `{"key": "metadata.name", "operator": "NotIn", "values": ["a"]}`
	notB    = `{"key": "metadata.name", "operator": "NotIn", "values": ["b"]}`
	inZone  = `{"key": "zone", "operator": "In", "values": ["z"]}`
	onlyOne = `{"key": "metadata.name", "operator": "In", "values": ["c"]}`
)

// longNode is a name that no label can have as its value.
var longNode = strings.Repeat("n", 64)

func notHost(values string) string {
	return `{"key": "kubernetes.io/hostname", "operator": "NotIn", "values": [` + values + `]}`
}

func TestAffinityOfPodsThatAvoidNodes(t *testing.T) {
	tests := map[string]struct {
		affinity string // in the template; empty for none
		avoided  objects.AvoidedNodes
		want     string
	}{
		"preferred": {
			"", objects.AvoidedNodes{Prefer: []string{"a", "b"}},
			`{"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
				{"weight": 100, "preference": {"matchFields": [` + notA + `, ` + notB + `]}}]}}`,
		},
		"required": {
			"null", objects.AvoidedNodes{Require: []string{"a", "b"}},
			`{"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
				{"matchFields": [` + notA + `, ` + notB + `]}]}}}`,
		},
		"both": {
			`{"nodeAffinity": null}`, objects.AvoidedNodes{Prefer: []string{"b"}, Require: []string{"a"}},
			`{"nodeAffinity": {
				"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 100, "preference": {"matchFields": [` + notB + `]}}],
				"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchFields": [` + notA + `]}]}}}`,
		},
		"beside what the template prefers": {
			`{"podAffinity": {"x": 1}, "nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
				{"weight": 5, "preference": {"matchExpressions": [` + inZone + `]}}]}}`,
			objects.AvoidedNodes{Prefer: []string{"a"}},
			`{"podAffinity": {"x": 1}, "nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
				{"weight": 5, "preference": {"matchExpressions": [` + inZone + `]}},
				{"weight": 100, "preference": {"matchFields": [` + notA + `]}}]}}`,
		},
		"in each term that the template requires": {
			`{"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
				{"matchExpressions": [` + inZone + `]}, {"matchFields": [` + onlyOne + `]}]}}}`,
			objects.AvoidedNodes{Require: []string{"a"}},
			`{"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
				{"matchExpressions": [` + inZone + `], "matchFields": [` + notA + `]}, {"matchFields": [` + onlyOne + `, ` + notA + `]}]}}}`,
		},
		"a term that fits nothing does not come to fit": {
			`{"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
				null, {}, {"matchExpressions": []}, {"matchFields": [` + onlyOne + `]}]}}}`,
			objects.AvoidedNodes{Require: []string{"a"}},
			`{"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
				null, {}, {"matchExpressions": []}, {"matchFields": [` + onlyOne + `, ` + notA + `]}]}}}`,
		},
		"by label": {
			`{"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
				{"matchExpressions": [` + inZone + `]}, {}, {"matchFields": [` + onlyOne + `]}]}}}`,
			objects.AvoidedNodes{Prefer: []string{"a"}, Require: []string{"b", "c"}, ByHostname: true},
			`{"nodeAffinity": {
				"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 100, "preference": {"matchExpressions": [` + notHost(`"a"`) + `]}}],
				"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
					{"matchExpressions": [` + inZone + `, ` + notHost(`"b", "c"`) + `]}, {},
					{"matchFields": [` + onlyOne + `], "matchExpressions": [` + notHost(`"b", "c"`) + `]}]}}}`,
		},
		"by name if that is too long for a label": {
			"", objects.AvoidedNodes{Require: []string{"a", longNode}, ByHostname: true},
			`{"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
				{"matchExpressions": [` + notHost(`"a"`) + `], "matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["` + longNode + `"]}]}]}}}`,
		},
		"no terms stay none, which the API server refuses": {
			`{"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {}}}`, objects.AvoidedNodes{Require: []string{"a"}},
			`{"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {}}}`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			spec := `{"x": 1}`
			if test.affinity != "" {
				spec = `{"x": 1, "affinity": ` + test.affinity + `}`
			}
			pod := buildAvoiding(t, `{"spec": `+spec+`}`, test.avoided)
			diff(t, at(pod, "spec", "affinity"), parse(t, []byte(test.want)))
			diff(t, fmt.Sprint(at(pod, "spec", "x")), "1")
			says, strict := at(pod, "metadata", "annotations").(map[string]any)["FC_AVOID_NODES"]
			if strict != (len(test.avoided.Require) > 0) || strict && says != "Require" {
				t.Errorf("the Pod says %v", says)
			}
		})
	}
}

func buildAvoiding(t *testing.T, template string, avoided objects.AvoidedNodes, patches ...*pluginpb.PodPatch) map[string]any {
	t.Helper()
	body, err := objects.NewPodBuilderWith("worker", []byte(template), objects.Additions{Avoided: avoided}, patches...).Build(demoTask)
	require.NoError(t, err)
	return parse(t, body)
}

// Requirements on nodes from a scheduler's plugin are kept.
func TestAvoidedNodesBesideHints(t *testing.T) {
	patch := &pluginpb.PodPatch{AffinityJson: []byte(`{"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
		{"matchExpressions": [` + inZone + `]}]}}}`)}
	pod := buildAvoiding(t, `{}`, objects.AvoidedNodes{Require: []string{"a"}}, patch)
	want := `{"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
		{"matchExpressions": [` + inZone + `], "matchFields": [` + notA + `]}]}}}`
	diff(t, at(pod, "spec", "affinity"), parse(t, []byte(want)))
}

// A Pod whose template names its node must not be refused there.
func TestTemplateThatNamesItsNode(t *testing.T) {
	pod := buildAvoiding(t, `{"spec": {"nodeName": "a"}}`, objects.AvoidedNodes{Require: []string{"a"}})
	if spec := pod["spec"].(map[string]any); spec["affinity"] != nil {
		t.Errorf("got %v", spec)
	}
	if at(pod, "metadata", "annotations").(map[string]any)["FC_AVOID_NODES"] != nil {
		t.Error("the Pod says that it must avoid nodes")
	}
}

// Only the controller marks a Pod as having to avoid nodes.
func TestTemplateDoesNotClaimToAvoidNodes(t *testing.T) {
	for _, key := range []string{"", `, "{{FC_TASK_INDEX}}": "x"`} {
		pod := build(t, `{"metadata": {"annotations": {"FC_AVOID_NODES": "Require"`+key+`}}}`)
		if at(pod, "metadata", "annotations").(map[string]any)["FC_AVOID_NODES"] != nil {
			t.Errorf("with %q it does", key)
		}
	}
}

// Without nodes to avoid, the Pod does not change.
func TestNothingAvoided(t *testing.T) {
	const template = `{"spec": {"affinity": "odd"}}`
	diff(t, buildAvoiding(t, template, objects.AvoidedNodes{}), build(t, template))
}

func TestOddAffinities(t *testing.T) {
	for affinity, want := range map[string]string{
		`"x"`:                  `spec.affinity: must be an object, not a string`,
		`{"nodeAffinity": []}`: `spec.affinity.nodeAffinity: must be an object, not a list`,
		`{"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": 1}}`:                                               `preferredDuringSchedulingIgnoredDuringExecution: must be a list, not a number`,
		`{"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": 1}}`:                                                `requiredDuringSchedulingIgnoredDuringExecution: must be an object, not a number`,
		`{"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": {}}}}`:                        `nodeSelectorTerms: must be a list, not an object`,
		`{"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [1]}}}`:                       `nodeSelectorTerms[0]: must be an object, not a number`,
		`{"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchFields": 1}]}}}`:      `nodeSelectorTerms[0].matchFields: must be a list, not a number`,
		`{"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": 1}]}}}`: `nodeSelectorTerms[0].matchExpressions: must be a list, not a number`,
	} {
		builder := objects.NewPodBuilderWith("worker", []byte(`{"spec": {"affinity": `+affinity+`}}`),
			objects.Additions{Avoided: objects.AvoidedNodes{Prefer: []string{"b"}, Require: []string{"a"}}})
		if _, err := builder.Build(demoTask); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", affinity, err, want)
		}
	}
}

func TestNodesAvoidedBy(t *testing.T) {
	list := []v1.AvoidedNode{
		{Name: "b", Mode: v1.AvoidPrefer}, {Name: "a", Mode: v1.AvoidPrefer}, {Name: "a", Mode: v1.AvoidRequire, Role: "w"},
		{Name: "c", Mode: v1.AvoidRequire, Role: "other"}, {Name: "b", Mode: v1.AvoidPrefer, Role: "w"},
		// invalid entries, as somebody may have written them into a status
		{Name: "", Mode: v1.AvoidPrefer}, {Name: "No Node", Mode: v1.AvoidRequire}, {Name: strings.Repeat("x", 300), Mode: v1.AvoidRequire},
		{Name: "d", Mode: "Odd"},
	}
	got := objects.NodesAvoidedBy("w", list)
	if want := (objects.AvoidedNodes{Prefer: []string{"b"}, Require: []string{"a"}}); !got.Equal(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	var many []v1.AvoidedNode
	for i := range 2 * v1.MaxAvoidedNodes {
		many = append(many, v1.AvoidedNode{Name: fmt.Sprint("n", i), Mode: v1.AvoidPrefer})
	}
	if got := objects.NodesAvoidedBy("w", many); len(got.Prefer) != v1.MaxAvoidedNodes {
		t.Errorf("%d nodes", len(got.Prefer))
	}
}

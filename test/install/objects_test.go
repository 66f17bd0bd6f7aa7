package install

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// objects are the objects of manifests, by kind, namespace and name.
type objects map[string]*unstructured.Unstructured

func parse(t *testing.T, manifests string) objects {
	t.Helper()
	all := objects{}
	documents := yaml.NewYAMLOrJSONDecoder(strings.NewReader(manifests), 4096)
	for {
		o := &unstructured.Unstructured{}
		err := documents.Decode(&o.Object)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		if o.Object == nil { // a document of comments only
			continue
		}
		key := fmt.Sprintf("%s %s/%s", o.GetKind(), o.GetNamespace(), o.GetName())
		require.NotContains(t, all, key)
		all[key] = o
	}
}

// without returns the objects that the others lack.
func (o objects) without(others objects) objects {
	left := maps.Clone(o)
	maps.DeleteFunc(left, func(key string, _ *unstructured.Unstructured) bool { return others[key] != nil })
	return left
}

// requireSame compares all fields.
func requireSame(t *testing.T, what string, got, want objects) {
	t.Helper()
	require.NotEmpty(t, want)
	for key := range got.without(want) {
		t.Errorf("%s: %s is too much", what, key)
	}
	for key, o := range want {
		switch {
		case got[key] == nil:
			t.Errorf("%s: %s is missing", what, key)
		case !equality.Semantic.DeepEqual(got[key].Object, o.Object):
			t.Errorf("%s: %s differs:\n%s\nwant\n%s", what, key, asText(t, got[key]), asText(t, o))
		}
	}
}

func asText(t *testing.T, o *unstructured.Unstructured) string {
	t.Helper()
	text, err := o.MarshalJSON()
	require.NoError(t, err)
	return string(text)
}

// template returns the objects that the chart renders in the namespace of the manual.
func template(t *testing.T, args ...string) objects {
	t.Helper()
	return parse(t, mustHelm(t, append([]string{"template", name, chart, "--namespace", name}, args...)...))
}

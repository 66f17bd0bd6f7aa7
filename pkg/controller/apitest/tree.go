package apitest

import (
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
)

// decode reads the body of a request, whether it is JSON, YAML or protobuf.
func decode(body []byte) (map[string]any, error) {
	tree := map[string]any{}
	if string(body[:min(4, len(body))]) != "k8s\x00" {
		data, err := yaml.ToJSON(body)
		if err == nil {
			err = json.Unmarshal(data, &tree)
		}
		return tree, err
	}
	o, kind, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, nil)
	if err != nil {
		return nil, err
	}
	o.GetObjectKind().SetGroupVersionKind(*kind)
	return treeOf(o)
}

func treeOf(o any) (map[string]any, error) {
	return runtime.DefaultUnstructuredConverter.ToUnstructured(o)
}

// merge applies a JSON merge patch (RFC 7386).
func merge(target, patch map[string]any) map[string]any {
	out := map[string]any{}
	for k, v := range target {
		out[k] = v
	}
	for k, v := range patch {
		switch v := v.(type) {
		case nil:
			delete(out, k)
		case map[string]any:
			inner, _ := out[k].(map[string]any)
			out[k] = merge(inner, v)
		default:
			out[k] = v
		}
	}
	return out
}

// sameTree compares two objects but for their versions.
func sameTree(a, b map[string]any) bool {
	strip := map[string]any{"metadata": map[string]any{"resourceVersion": nil}}
	return reflect.DeepEqual(merge(a, strip), merge(b, strip))
}

// convert turns a tree into a typed object, or a part of one.
func convert[T any](tree map[string]any) (*T, error) {
	data, err := json.Marshal(tree)
	if err != nil {
		return nil, err
	}
	out := new(T)
	return out, json.Unmarshal(data, out)
}

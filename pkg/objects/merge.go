package objects

import (
	"errors"
	"fmt"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// mergeSpec returns the spec, which it uses up, with spec_json laid over it.
func (p podPatch) mergeSpec(spec object) (map[string]any, error) {
	path := p.path + ".spec_json"
	patch, err := parseObject(p.GetSpecJson(), path)
	if err != nil || len(patch) == 0 {
		return spec.fields, err
	}
	merged, err := mergeStrategically(spec.fields, patch)
	if err != nil {
		return nil, fmt.Errorf("%s: laying it over %s: %w", path, spec.path, err)
	}
	return merged, nil
}

// mergeStrategically uses up both. The library panics at some odd values, such as null for a container, and they are data
// of users and plugins.
func mergeStrategically(spec, patch map[string]any) (merged map[string]any, err error) {
	defer func() {
		if recover() != nil {
			merged, err = nil, errors.New("null, or another odd value, is in a list")
		}
	}()
	schema := mergeSchema{strategicpatch.PatchMetaFromStruct{T: reflect.TypeFor[corev1.PodSpec]()}}
	return strategicpatch.StrategicMergeMapPatchUsingLookupPatchMeta(spec, patch, schema)
}

// mergeSchema knows which lists are merged, and by which key. Fields that are newer than the library are merged like any
// JSON: objects field by field, and lists replaced.
type mergeSchema struct {
	// Nil within such a field.
	known strategicpatch.LookupPatchMeta
}

// LookupPatchMetadataForStruct implements strategicpatch.LookupPatchMeta.
func (s mergeSchema) LookupPatchMetadataForStruct(key string) (strategicpatch.LookupPatchMeta, strategicpatch.PatchMeta, error) {
	if s.known != nil {
		if known, meta, err := s.known.LookupPatchMetadataForStruct(key); err == nil {
			return mergeSchema{known}, meta, nil
		}
	}
	return mergeSchema{}, strategicpatch.PatchMeta{}, nil
}

// LookupPatchMetadataForSlice implements strategicpatch.LookupPatchMeta.
func (s mergeSchema) LookupPatchMetadataForSlice(key string) (strategicpatch.LookupPatchMeta, strategicpatch.PatchMeta, error) {
	if s.known != nil {
		if known, meta, err := s.known.LookupPatchMetadataForSlice(key); err == nil {
			return mergeSchema{known}, meta, nil
		}
	}
	return mergeSchema{}, strategicpatch.PatchMeta{}, nil
}

// Name implements strategicpatch.LookupPatchMeta.
func (s mergeSchema) Name() string {
	if s.known == nil {
		return "unknown"
	}
	return s.known.Name()
}

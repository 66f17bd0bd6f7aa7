package objects

import (
	"errors"
	"fmt"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// mergeSpec returns the spec with spec_json merged into it. It consumes the spec.
func (p podPatch) mergeSpec(spec object) (map[string]any, error) {
	path := p.path + ".spec_json"
	patch, err := parseObject(p.GetSpecJson(), path)
	if err != nil || len(patch) == 0 {
		return spec.fields, err
	}
	if err := checkMerge(spec.fields, patch); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	merged, err := mergeStrategically(spec.fields, patch)
	if err != nil {
		return nil, fmt.Errorf("%s: merging it into %s: %w", path, spec.path, err)
	}
	return merged, nil
}

// mostPairs is the maximum number of comparisons of list elements. Ten million take half a second.
const mostPairs = 10_000_000

// checkMerge refuses a merge that would take long: to merge two lists, the library compares each element of the result
// with all others.
func checkMerge(spec, patch map[string]any) error {
	added, there := lists{}, lists{}
	added.collect(patch, "", nil)
	there.collect(spec, "", added)
	pairs := 0
	for path, list := range added {
		pairs += list.number * there[path].longest * (there[path].longest + list.elements)
	}
	if pairs <= mostPairs {
		return nil
	}
	return fmt.Errorf("merging its lists with the lists of the spec would take %d comparisons; it must be at most %d", pairs, mostPairs)
}

// lists are the lists in a tree, by the keys that lead to them.
type lists map[string]struct{ number, elements, longest int }

// collect adds the lists of a tree; if wanted is not nil, only lists whose paths are in wanted.
func (l lists) collect(tree any, path string, wanted lists) {
	switch v := tree.(type) {
	case map[string]any:
		for key, value := range v {
			l.collect(value, path+"/"+key, wanted)
		}
	case []any:
		if _, ok := wanted[path]; wanted != nil && !ok {
			return
		}
		list := l[path]
		list.number, list.elements, list.longest = list.number+1, list.elements+len(v), max(list.longest, len(v))
		l[path] = list
		for _, value := range v {
			l.collect(value, path, wanted)
		}
	}
}

// mergeStrategically consumes both arguments. The library panics on some odd values, such as null for a container, and
// the values come from users and plugins.
func mergeStrategically(spec, patch map[string]any) (merged map[string]any, err error) {
	defer func() {
		if recover() != nil {
			merged, err = nil, errors.New("a list contains null or another odd value")
		}
	}()
	schema := mergeSchema{strategicpatch.PatchMetaFromStruct{T: reflect.TypeFor[corev1.PodSpec]()}}
	return strategicpatch.StrategicMergeMapPatchUsingLookupPatchMeta(spec, patch, schema)
}

// mergeSchema knows the lists to merge, and their keys. Fields newer than the library are merged like any JSON: objects
// field by field, and lists replaced.
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

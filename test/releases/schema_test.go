package releases

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// schemaOf is the schema of version v1 in a CRD.
func schemaOf(t *testing.T, crd []byte) map[string]any {
	t.Helper()
	var parsed struct {
		Spec struct {
			Versions []struct {
				Name   string
				Served bool
				Schema struct{ OpenAPIV3Schema map[string]any }
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(crd, &parsed))
	require.Len(t, parsed.Spec.Versions, 1)
	require.Equal(t, "v1", parsed.Spec.Versions[0].Name)
	require.True(t, parsed.Spec.Versions[0].Served)
	schema := parsed.Spec.Versions[0].Schema.OpenAPIV3Schema
	require.NotEmpty(t, schema)
	return schema
}

// losses lists what the earlier schema allows and the later one refuses, as far as a schema shows it: rules in CEL are left to test/api.
func losses(path string, earlier, later map[string]any) []string {
	var found []string
	lose := func(format string, args ...any) { found = append(found, path+": "+fmt.Sprintf(format, args...)) }
	for _, key := range []string{"type", "format", "pattern", "nullable", "x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields"} {
		if fmt.Sprint(earlier[key]) != fmt.Sprint(later[key]) {
			lose("%s was %v and is %v", key, earlier[key], later[key])
		}
	}
	for _, value := range list(earlier["enum"]) {
		if len(list(later["enum"])) > 0 && !slices.Contains(list(later["enum"]), value) {
			lose("value %v is gone", value)
		}
	}
	if len(list(earlier["enum"])) == 0 && len(list(later["enum"])) > 0 {
		lose("has an enum now")
	}
	for _, key := range list(later["required"]) {
		if !slices.Contains(list(earlier["required"]), key) {
			lose("%v is required now", key)
		}
	}
	for _, key := range []string{"maximum", "maxItems", "maxLength", "maxProperties"} {
		if now, limited := later[key].(float64); limited {
			if before, had := earlier[key].(float64); !had || before > now {
				lose("%s was %v and is %v", key, earlier[key], now)
			}
		}
	}
	for _, key := range []string{"minimum", "minItems", "minLength", "minProperties"} {
		if now, limited := later[key].(float64); limited {
			if before, had := earlier[key].(float64); !had || before < now {
				lose("%s was %v and is %v", key, earlier[key], now)
			}
		}
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if before, ok := earlier[key].(map[string]any); ok {
			now, _ := later[key].(map[string]any)
			found = append(found, losses(path+"[]", before, now)...)
		}
	}
	properties, _ := earlier["properties"].(map[string]any)
	now, _ := later["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if now[name] == nil {
			lose("%s is gone", name)
			continue
		}
		found = append(found, losses(path+"."+name, properties[name].(map[string]any), now[name].(map[string]any))...)
	}
	return found
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func TestLosses(t *testing.T) {
	const before = `{properties: {a: {type: string, enum: [one, two]}, b: {type: integer, maximum: 10}, c: {type: array, items: {type: object, required: [k]}}}}`
	tests := map[string]struct {
		later string
		want  []string
	}{
		"additions": {`{properties: {a: {type: string, enum: [one, two, three]}, b: {type: integer, maximum: 20}, c: {type: array, items: {type: object}}, d: {}}}`, nil},
		"losses": {`{properties: {a: {type: string, enum: [one]}, b: {type: integer, maximum: 5, minimum: 0}, c: {type: array, items: {type: object, required: [k, l]}}}}`,
			[]string{".a: value two is gone", ".b: maximum was 10 and is 5", ".b: minimum was <nil> and is 0", ".c[]: l is required now"}},
		"another type": {`{properties: {a: {type: integer, enum: [one, two]}, b: {type: integer}}}`, []string{".a: type was string and is integer", ": c is gone"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var earlier, later map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(before), &earlier))
			require.NoError(t, yaml.Unmarshal([]byte(tt.later), &later))
			require.Equal(t, tt.want, losses("", earlier, later))
		})
	}
}

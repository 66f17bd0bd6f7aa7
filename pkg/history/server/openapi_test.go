package server

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// The document has every type of the API, with every field under its name in JSON.
func TestOpenAPIHasAllFields(t *testing.T) {
	answer := ask(handler(t), "GET", "/api/v1/openapi.json", "", nil)
	var document struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]any
				Required   []string
			}
		}
	}
	require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &document))
	for _, a := range typesOfAPI(t) {
		if a.name == "Page" || a.values != nil {
			continue // a page has a name of its own for each type in it, and a text is described where it is used
		}
		schema, ok := document.Components.Schemas[a.name]
		require.True(t, ok, "no schema of %s", a.name)
		var all, always, got []string
		for _, f := range a.fields {
			all = append(all, f.json)
			if f.always {
				always = append(always, f.json)
			}
		}
		for property := range schema.Properties {
			got = append(got, property)
		}
		require.ElementsMatch(t, all, got, a.name)
		require.ElementsMatch(t, always, schema.Required, a.name)
	}
}

package objects

import (
	"maps"
	"slices"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/items"
)

// The contract (1.7) replaces tokens in the JSON text of the template. Outside of a string "{{" is not JSON,
// and no character of a token is ever escaped by the API server, so this is the same as replacing them in
// every string and every key, which is what happens here.

const (
	tokenStart = "{{"
	tokenEnd   = "}}"
)

// parseTokens splits text at its tokens. Text that only looks like a token stays text.
func parseTokens(text string) pattern {
	var out pattern
	for text != "" {
		before, after := cutToken(text)
		out = append(out, before)
		text = after
	}
	return out
}

// cutToken finds the first token. Without one, before is the whole text.
func cutToken(text string) (before piece, after string) {
	for at := 0; ; at++ {
		next := strings.Index(text[at:], tokenStart)
		if next < 0 {
			return piece{text: text}, ""
		}
		at += next
		if token, item, after := tokenAtStart(text[at:]); token != noVariable {
			return piece{text[:at], token, item}, after
		}
	}
}

// tokenAtStart returns the token with which text starts, and for an item the name of its variable.
func tokenAtStart(text string) (token variable, item, after string) {
	text = strings.TrimPrefix(text, tokenStart)
	for _, token := range tokens {
		if after, ok := strings.CutPrefix(text, variableKeys[token]+tokenEnd); ok {
			return token, "", after
		}
	}
	if !strings.HasPrefix(text, v1.KeyTaskItem) {
		return noVariable, "", ""
	}
	if name, after, ok := strings.Cut(text, tokenEnd); ok && items.NameOf(strings.TrimPrefix(name, v1.KeyTaskItem+"_")) == name || ok && name == v1.KeyTaskItem {
		return taskItem, name, after
	}
	return noVariable, "", ""
}

// itemsNamed returns the variables of items that a text names, in its order.
func itemsNamed(text string) (names []string) {
	if !strings.Contains(text, tokenStart+v1.KeyTaskItem) {
		return nil // as nearly always
	}
	seen := map[string]bool{}
	for _, p := range parseTokens(text) {
		if p.variable == taskItem && !seen[p.item] {
			names, seen[p.item] = append(names, p.item), true
		}
	}
	return names
}

// hasTokenInKey reports whether the tree itself depends on the Task.
func hasTokenInKey(tree any) bool {
	switch node := tree.(type) {
	case map[string]any:
		for key, value := range node {
			if p, _ := cutToken(key); p.variable != noVariable || hasTokenInKey(value) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(node, hasTokenInKey)
	}
	return false
}

// sizeOfKeys returns the length in bytes of all keys with the tokens in them replaced.
func sizeOfKeys(tree any, v *values) (size int) {
	switch node := tree.(type) {
	case map[string]any:
		for key, value := range node {
			size += parseTokens(key).size(v) + sizeOfKeys(value, v)
		}
	case []any:
		for _, value := range node {
			size += sizeOfKeys(value, v)
		}
	}
	return size
}

// replaceKeys returns a copy of the tree with the tokens in keys replaced, but not those in values. If two keys become equal, the one whose
// original sorts last wins, as in a JSON reader.
func replaceKeys(tree any, v *values) any {
	switch node := tree.(type) {
	case map[string]any:
		out := make(map[string]any, len(node))
		for _, key := range slices.Sorted(maps.Keys(node)) {
			out[parseTokens(key).join(v)] = replaceKeys(node[key], v)
		}
		return out
	case []any:
		out := make([]any, len(node))
		for i := range node {
			out[i] = replaceKeys(node[i], v)
		}
		return out
	}
	return tree
}

package objects

import (
	"maps"
	"slices"
	"strings"
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
		before, token, after := cutToken(text)
		out = append(out, piece{before, token})
		text = after
	}
	return out
}

// cutToken finds the first token. Without one, before is the whole text.
func cutToken(text string) (before string, token variable, after string) {
	for at := 0; ; at++ {
		next := strings.Index(text[at:], tokenStart)
		if next < 0 {
			return text, noVariable, ""
		}
		at += next
		if token, after := tokenAtStart(text[at:]); token != noVariable {
			return text[:at], token, after
		}
	}
}

func tokenAtStart(text string) (token variable, after string) {
	text = strings.TrimPrefix(text, tokenStart)
	for _, token := range tokens {
		if after, ok := strings.CutPrefix(text, variableKeys[token]+tokenEnd); ok {
			return token, after
		}
	}
	return noVariable, ""
}

// hasTokenInKey reports whether the tree itself depends on the Task.
func hasTokenInKey(tree any) bool {
	switch node := tree.(type) {
	case map[string]any:
		for key, value := range node {
			if _, token, _ := cutToken(key); token != noVariable || hasTokenInKey(value) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(node, hasTokenInKey)
	}
	return false
}

// replaceKeys returns a copy of the tree with the tokens in keys replaced, but not those in values. If two keys become
// equal, the one that sorted last before wins, as it does for a JSON reader.
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

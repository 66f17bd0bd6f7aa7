package completion

import (
	"encoding/json"
	"strings"
)

// Clients search diagnostics for "matched: (.*)" and parse the rest as JSON. So the JSON is one line, and
// nothing follows it (contract 4.5).
const (
	matchedPrefix   = "Pod failed: PodPattern matched: "
	unmatchedPrefix = "Pod failed: PodPattern unmatched: "
)

// refusedPrefix precedes the API server's answer, which is JSON if the answer was.
const refusedPrefix = "Pod creation failed: "

// RefusedDiagnostics returns the diagnostics of a Pod whose creation the API server has refused with the given answer.
func RefusedDiagnostics(answer string) string { return refusedPrefix + answer }

// split returns the prefix of diagnostics that have one, and the rest. Without a prefix they are text.
func split(diagnostics string) (prefix, body string) {
	for _, prefix := range []string{matchedPrefix, unmatchedPrefix, refusedPrefix} {
		if body, ok := strings.CutPrefix(diagnostics, prefix); ok {
			return prefix, body
		}
	}
	return "", diagnostics
}

// Words returns diagnostics for people: the message in the API server's answer, in place of the whole answer. JSON about a Pod is
// left out, as the status of the attempt has the same in fields.
func Words(diagnostics string) string {
	switch prefix, body := split(diagnostics); prefix {
	case matchedPrefix, unmatchedPrefix:
		return ""
	case refusedPrefix:
		var answer struct{ Message string }
		if json.Unmarshal([]byte(body), &answer) == nil && answer.Message != "" {
			return prefix + answer.Message
		}
	}
	return diagnostics
}

// podMatch is the match of a pattern, with the fields that it names; the order of the keys is part of the contract.
type podMatch struct {
	// Set if named, even to an empty string; the same for a container's Name and Code.
	Name       *string          `json:"name,omitempty"`
	Reason     string           `json:"reason,omitempty"`
	Message    string           `json:"message,omitempty"`
	Containers []containerMatch `json:"containers,omitempty"`
}

type containerMatch struct {
	Name    *string `json:"name,omitempty"`
	Reason  string  `json:"reason,omitempty"`
	Message string  `json:"message,omitempty"`
	Signal  int32   `json:"signal,omitempty"`
	Code    *int32  `json:"code,omitempty"`
}

// compactJSON encodes JSON, strings and numbers, so it cannot fail. The encoder's HTML escaping is wanted.
func compactJSON(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

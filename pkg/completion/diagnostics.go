package completion

import "encoding/json"

// Clients search diagnostics for "matched: (.*)" and parse the rest as JSON. So the JSON is one line, and
// nothing follows it (contract 4.5).
const (
	matchedPrefix   = "Pod failed: PodPattern matched: "
	unmatchedPrefix = "Pod failed: PodPattern unmatched: "
)

// podMatch is what a pattern found, of the fields that it names; the order of the keys is part of the contract.
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

// compactJSON encodes strings and numbers only, so it cannot err. The encoder's HTML escaping is wanted.
func compactJSON(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

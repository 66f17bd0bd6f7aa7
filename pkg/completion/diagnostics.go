package completion

import "encoding/json"

// Clients search diagnostics for "matched: (.*)" and parse the rest as JSON. So the JSON is one line, and
// nothing follows it (contract 4.5).
const (
	matchedPrefix   = "Pod failed: PodPattern matched: "
	unmatchedPrefix = "Pod failed: PodPattern unmatched: "
)

// refusedPrefix comes before what the API server has answered, as JSON where it did so.
const refusedPrefix = "Pod creation failed: "

// RefusedDiagnostics are those of a Pod that the API server has refused with that answer.
func RefusedDiagnostics(answer string) string { return refusedPrefix + answer }

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

// compactJSON encodes what it has been given in JSON or strings and numbers, so it cannot err. The encoder's HTML escaping is wanted.
func compactJSON(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

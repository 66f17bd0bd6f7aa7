package apiserver

import "encoding/json"

// JSON encodes a request to or an answer of the API server, which cannot fail.
func JSON(v any) []byte {
	body, err := json.Marshal(v)
	if err != nil {
		return []byte("{}")
	}
	return body
}

package apiserver

import "encoding/json"

// JSON encodes what is sent to the API server, or was answered by it, which cannot fail.
func JSON(v any) []byte {
	body, err := json.Marshal(v)
	if err != nil {
		return []byte("{}")
	}
	return body
}

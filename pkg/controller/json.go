package controller

import "encoding/json"

// jsonOf encodes one of our own values, which cannot fail.
func jsonOf(v any) []byte {
	body, err := json.Marshal(v)
	if err != nil {
		return []byte("{}")
	}
	return body
}

package completion

import "testing"

func TestClassifyCreationError(t *testing.T) {
	tests := []struct {
		name string
		err  CreationError
		want Code
	}{
		{"unrecognized object", CreationError{Reason: "BadRequest", Status: 400, Message: "the object provided is unrecognized (must be of type Pod)"}, -120},
		{"exhausted quota", CreationError{Reason: "Forbidden", Status: 403, Message: "forbidden: exceeded quota: q, requested: pods=1"}, -120},
		{"bad request", CreationError{Reason: "BadRequest", Status: 400}, -310},
		{"missing service account", CreationError{Reason: "Forbidden", Status: 403, Message: `error looking up service account`}, -310},
		{"terminating namespace", CreationError{Reason: "Forbidden", Status: 403, Message: "because it is being terminated"}, -310},
		{"malformed Pod", CreationError{Reason: "Invalid", Status: 422}, -200},
		{"too large", CreationError{Reason: "RequestEntityTooLarge", Status: 413}, -200},
		{"invalid, but the connection broke", CreationError{Reason: "Invalid", Status: 422, ConnectionLost: true}, -310},
		{"too large, but the connection broke", CreationError{Reason: "RequestEntityTooLarge", Status: 413, ConnectionLost: true}, -310},
		{"refused by a webhook with 400", CreationError{Status: 400}, -310},
		{"refused by a webhook with 403 and its own reason", CreationError{Reason: "PolicyDenied", Status: 403}, -310},
		{"refused by a webhook with 422", CreationError{Status: 422}, -200},
		{"413 of a proxy", CreationError{Status: 413}, -200},
		{"the reason beats the number", CreationError{Reason: "Invalid", Status: 400}, -200},
		{"already exists", CreationError{Reason: "AlreadyExists", Status: 409}, -120},
		{"conflict", CreationError{Reason: "Conflict", Status: 409}, -120},
		{"namespace not found", CreationError{Reason: "NotFound", Status: 404}, -120},
		{"unauthorized", CreationError{Reason: "Unauthorized", Status: 401}, -120},
		{"timeout", CreationError{Reason: "Timeout", Status: 504}, -120},
		{"server timeout", CreationError{Reason: "ServerTimeout", Status: 504}, -120},
		{"too many requests", CreationError{Reason: "TooManyRequests", Status: 429}, -120},
		{"webhook timeout", CreationError{Reason: "InternalError", Status: 500, Message: "failed calling webhook: context deadline exceeded"}, -120},
		{"network", CreationError{Message: "connection refused", ConnectionLost: true}, -120},
		{"nothing known", CreationError{}, -120},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := ClassifyCreationError(tt.err); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

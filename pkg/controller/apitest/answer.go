package apitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// answer is a response to a client.
type answer struct {
	code     int
	object   any
	warnings []string
}

func ok(o *object) answer { return answer{code: http.StatusOK, object: o.Object} }

func refuse(code int, reason metav1.StatusReason, format string, args ...any) answer {
	return answer{code: code, object: failure(int32(code), reason, fmt.Sprintf(format, args...))}
}

func badRequest(err error) answer {
	return refuse(http.StatusBadRequest, metav1.StatusReasonBadRequest, "%v", err)
}

func notFound(k key) answer {
	return refuse(http.StatusNotFound, metav1.StatusReasonNotFound, "%s %q not found", k.resource, k.name)
}

func conflict(k key, why string) answer {
	return refuse(http.StatusConflict, metav1.StatusReasonConflict, "Operation cannot be fulfilled on %s %q: %s", k.resource, k.name, why)
}

func (a answer) send(w http.ResponseWriter, q *Request) {
	for _, text := range a.warnings {
		w.Header().Add("Warning", "299 - "+strconv.Quote(text))
	}
	if s, isStatus := a.object.(*metav1.Status); isStatus && s.Details != nil && s.Details.RetryAfterSeconds > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(s.Details.RetryAfterSeconds)))
	}
	body := a.object
	if tree, isTree := body.(map[string]any); isTree && q.MetadataOnly {
		body = metadataOf(tree)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.code)
	_ = json.NewEncoder(w).Encode(body) // fails only if the client has gone
}

// metadataOf reduces an object to the content of a PartialObjectMetadata.
func metadataOf(tree map[string]any) map[string]any {
	return map[string]any{"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": tree["metadata"]}
}

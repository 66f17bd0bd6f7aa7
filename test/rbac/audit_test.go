package rbac

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// auditPolicy has the requests of the controller logged, when they are answered; those of a watch when it begins.
const auditPolicy = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  users: ["system:serviceaccount:` + name + `:` + name + `"]
- level: None
`

// auditLog is what the API server writes down.
type auditLog struct {
	path string
}

// request is what the log says of one.
type request struct {
	Verb      string
	ObjectRef struct{ APIGroup, Resource, Subresource, Namespace string }
	Response  struct{ Code int } `json:"responseStatus"`

	Annotations map[string]string
}

func (r request) String() string { return r.permission().String() }

// permission that a request needs.
func (r request) permission() permission {
	resource := r.ObjectRef.Resource
	if r.ObjectRef.Subresource != "" {
		resource += "/" + r.ObjectRef.Subresource
	}
	return permission{r.ObjectRef.APIGroup, resource, r.Verb}
}

// byOurRole reports whether it was a permission of the controller's own, by a ClusterRole or a Role, that made the request possible.
func (r request) byOurRole() bool {
	return strings.Contains(r.Annotations["authorization.k8s.io/reason"], `Role "`+name+`"`)
}

// end is where the log ends now.
func (l *auditLog) end(t *testing.T) int64 {
	t.Helper()
	info, err := os.Stat(l.path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// since returns the requests from there on.
func (l *auditLog) since(t *testing.T, offset int64) []request {
	t.Helper()
	text, err := os.ReadFile(l.path)
	if err != nil {
		t.Fatal(err)
	}
	var out []request
	for line := range bytes.Lines(text[offset:]) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break // which is being written
		}
		var r request
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		out = append(out, r)
	}
	return out
}

// refusals are those among requests, for all namespaces, the controller's or this one, that were refused for lack of a
// permission. In another one, which is being deleted, nothing can be created anyway.
func refusals(all []request, namespace string) []request {
	var out []request
	for _, r := range all {
		if r.Response.Code == 403 && slices.Contains([]string{"", name, namespace}, r.ObjectRef.Namespace) {
			out = append(out, r)
		}
	}
	return out
}

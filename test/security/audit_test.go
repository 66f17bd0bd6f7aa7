package security

import (
	"fmt"
	"slices"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

// auditPolicy logs the requests of the controller when they are answered; for a watch, when it begins.
const auditPolicy = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  users: ["system:serviceaccount:` + installed + `:` + installed + `"]
- level: None
`

// request is a request in the audit log.
type request struct {
	Verb      string
	ObjectRef struct{ Resource, Subresource, Namespace, Name string }
	Response  struct{ Code int } `json:"responseStatus"`
}

func (r request) String() string {
	o := r.ObjectRef
	return fmt.Sprintf("%s %s/%s in %q: %d", r.Verb, o.Resource, o.Name, o.Namespace, r.Response.Code)
}

// writes reports whether it is more than reading.
func (r request) writes() bool { return !slices.Contains([]string{"get", "list", "watch"}, r.Verb) }

// requestsAfter returns the requests after the first `size` bytes of the audit log for which such returns true.
func requestsAfter(t *testing.T, size int64, such func(request) bool) []request {
	t.Helper()
	all := clustertest.Entries[request](t, audit, size)
	return slices.DeleteFunc(all, func(r request) bool { return !such(r) })
}

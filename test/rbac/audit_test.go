package rbac

import (
	"slices"
	"strings"
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
  users: ["system:serviceaccount:` + name + `:` + name + `"]
- level: None
`

// request is a request in the audit log.
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

// requestsAfter returns the requests after the first `size` bytes of the audit log.
func requestsAfter(t *testing.T, size int64) []request {
	t.Helper()
	return clustertest.Entries[request](t, audit, size)
}

// refusals returns the requests, for all namespaces, the controller's or this one, that were refused for lack of a permission. In another
// one, which is being deleted, nothing can be created anyway.
func refusals(all []request, namespace string) []request {
	var out []request
	for _, r := range all {
		if r.Response.Code == 403 && slices.Contains([]string{"", name, namespace}, r.ObjectRef.Namespace) {
			out = append(out, r)
		}
	}
	return out
}

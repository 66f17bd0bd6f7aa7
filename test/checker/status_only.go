package checker

import (
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// statusOnly holds W1: for Frameworks, the controller only writes the status, through its subresource, and deletes the ones whose retention
// has expired. It never writes a spec, and creates none.
func statusOnly(t *replay) {
	for _, q := range t.audit.requests {
		if q.Resource != v1.FrameworkPlural || !q.writes() || !t.audit.controller(q) {
			continue
		}
		what := subject{v1.FrameworkKind, types.NamespacedName{Namespace: q.Namespace, Name: q.Name}, ""}
		ok := q.Subresource == "status" && (q.Verb == "update" || q.Verb == "patch") || q.Subresource == "" && q.Verb == "delete"
		t.hold(StatusOnly, what, ok, "the controller has sent %s to subresource %q", q.Verb, q.Subresource)
	}
}

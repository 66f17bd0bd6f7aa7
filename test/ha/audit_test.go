package ha

import (
	"testing"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

// auditPolicy logs all writes to resources that a controller writes, when they are answered.
const auditPolicy = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: None
  verbs: [get, list, watch]
- level: Metadata
  resources:
  - {group: "", resources: [pods, configmaps, events]}
  - {group: frameworkcontroller.microsoft.com}
  - {group: apiextensions.k8s.io}
  - {group: coordination.k8s.io, resources: [leases]}
- level: None
`

// write is a write in the audit log.
type write struct {
	Verb             string
	RequestURI       string
	ImpersonatedUser struct{ Username string }
	ObjectRef        struct{ Resource, Subresource, Namespace, Name string }
	ResponseStatus   struct{ Code int }
	Received         time.Time `json:"requestReceivedTimestamp"`
	Answered         time.Time `json:"stageTimestamp"`
}

func (w write) by() string { return w.ImpersonatedUser.Username }

func (w write) done() bool { return w.ResponseStatus.Code < 300 }

// is reports whether the write has that verb and resource.
func (w write) is(verb, resource string) bool {
	what := w.ObjectRef.Resource
	if w.ObjectRef.Subresource != "" {
		what += "/" + w.ObjectRef.Subresource
	}
	return w.Verb == verb && what == resource
}

// ofWork reports whether only the leading controller may make the write.
func (w write) ofWork() bool { return w.by() != "" && w.ObjectRef.Resource != "leases" }

// writes are all that have been answered so far, by whomever.
func writes(t *testing.T) []write {
	t.Helper()
	return clustertest.Entries[write](t, audit, 0)
}

// first returns the first write that is as wanted; ok is false without one.
func first(all []write, is func(write) bool) (found write, ok bool) {
	for _, w := range all {
		if is(w) && (!ok || w.Received.Before(found.Received)) {
			found, ok = w, true
		}
	}
	return found, ok
}

// last returns the wanted write that was received last.
func last(all []write, is func(write) bool) (found write, ok bool) {
	for _, w := range all {
		if is(w) && (!ok || w.Received.After(found.Received)) {
			found, ok = w, true
		}
	}
	return found, ok
}

package checker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// AuditPolicy is the policy for the API server (--audit-policy-file) under which its log has the requests that the rules need: each
// deletion of an object of a Framework, with the answer, by anybody, and each write to anything.
const AuditPolicy = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
omitManagedFields: true
rules:
- level: RequestResponse
  verbs: [create, delete, deletecollection]
  resources:
  - {group: "", resources: [pods, configmaps]}
  - {group: frameworkcontroller.microsoft.com, resources: [frameworks]}
- level: None
  resources:
  - {group: "", resources: [events, nodes, "nodes/status", "pods/status", "pods/binding"]}
  - {group: events.k8s.io}
  - {group: coordination.k8s.io}
- level: Metadata
  verbs: [create, update, patch, delete, deletecollection]
- level: None
`

// ReadAudit reads an audit log. The last line may be incomplete, because it is being written, and so may be the line that an API server was
// writing when it was killed: the next API server continues in the same line.
func ReadAudit(path string) ([]Request, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out []Request
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		var e auditEvent
		if err := json.Unmarshal(wholeEvent(line), &e); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", path, n, err)
		}
		if e.Stage == "ResponseComplete" || e.Stage == "Panic" {
			out = append(out, e.request())
		}
	}
	return out, nil
}

// wholeEvent drops the text before the last event that begins in a line.
func wholeEvent(line []byte) []byte {
	return line[max(0, bytes.LastIndex(line, []byte(`{"kind":"Event",`))):]
}

// auditEvent is the part of a line that counts.
type auditEvent struct {
	Stage     string
	Verb      string
	UserAgent string
	ObjectRef struct{ APIGroup, Resource, Subresource, Namespace, Name string }
	Response  struct{ Code int32 } `json:"responseStatus"`
	Received  time.Time            `json:"requestReceivedTimestamp"`

	RequestObject struct {
		Preconditions struct{ UID types.UID }
	}
	ResponseObject struct {
		Kind     string
		Metadata struct {
			Name            string
			UID             types.UID
			ResourceVersion string
		}
		Details struct{ UID types.UID } // in a Status that names the deleted object
	}
}

func (e auditEvent) request() Request {
	r := Request{
		Time: e.Received, Agent: e.UserAgent, Verb: e.Verb, Code: e.Response.Code,
		Group: e.ObjectRef.APIGroup, Resource: e.ObjectRef.Resource, Subresource: e.ObjectRef.Subresource,
		Namespace: e.ObjectRef.Namespace, Name: e.ObjectRef.Name, UID: e.RequestObject.Preconditions.UID,
	}
	answer := e.ResponseObject
	r.Version, _ = strconv.ParseUint(answer.Metadata.ResourceVersion, 10, 64)
	if r.Name == "" {
		r.Name = answer.Metadata.Name
	}
	for _, uid := range []types.UID{answer.Metadata.UID, answer.Details.UID} {
		if r.UID == "" {
			r.UID = uid
		}
	}
	return r
}

// audit finds requests by their objects.
type audit struct {
	requests   []Request
	controller func(Request) bool
	creators   map[types.UID]Request
	deletions  map[types.UID][]Request // successful ones
	collected  map[string]int          // deletions of collections, which name no object, by resource
}

func newAudit(requests []Request, controller func(Request) bool) *audit {
	a := &audit{
		requests:   requests,
		controller: controller,
		creators:   map[types.UID]Request{},
		deletions:  map[types.UID][]Request{},
		collected:  map[string]int{},
	}
	for _, r := range requests {
		switch {
		case r.Verb == "create" && r.Subresource == "" && r.succeeded() && r.UID != "":
			a.creators[r.UID] = r
		case r.Verb == "delete" && r.succeeded() && r.UID != "":
			a.deletions[r.UID] = append(a.deletions[r.UID], r)
		case r.Verb == "deletecollection" && r.succeeded():
			a.collected[r.Resource]++
		}
	}
	return a
}

// mayHaveCreated reports whether the controller created the object, or may have, if the log does not show its creation.
func (a *audit) mayHaveCreated(uid types.UID) bool {
	r, known := a.creators[uid]
	return !known || a.controller(r)
}

// deleters of an object.
type deleters int

const (
	unknown      deleters = iota // the log does not show it
	byController                 // the controller alone has asked for the deletion
	byOthers                     // others alone have
	bySeveral                    // the controller and others have
)

func (a *audit) deleters(resource string, uid types.UID) deleters {
	ours, theirs := 0, a.collected[resource]
	for _, r := range a.deletions[uid] {
		if a.controller(r) {
			ours++
		} else {
			theirs++
		}
	}
	switch {
	case ours > 0 && theirs > 0:
		return bySeveral
	case ours > 0:
		return byController
	case theirs > 0:
		return byOthers
	}
	return unknown
}

// controllerDeleted reports whether a deletion by the controller made that version of an object. The object went at once,
// or began to terminate. Later requests, that change nothing, may be answered with the same version.
func (a *audit) controllerDeleted(uid types.UID, version uint64) bool {
	for _, r := range a.deletions[uid] {
		if r.Version == version {
			return a.controller(r)
		}
	}
	return false
}

package checker

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// History has the observations of clients in a cluster.
type History struct {
	// Observations need no order: versions give it. They must be complete, except inside Gaps.
	Observations []Observation `json:"Sightings"` // the key in recorded histories
	// Begin is the last version of the past. Observations of the past show only its remains; rules learn from them, but report no
	// violations in them.
	Begin uint64
	// Requests are the requests of the audit log, in its order. Without requests, rules about who did something check nothing.
	Requests []Request
	// Gaps are where versions may be missing. A violation inside a gap counts as undecided.
	Gaps []Gap
}

// Observation is one version of an object, or its end. Exactly one of the objects is set; it does not change later.
type Observation struct {
	Version   uint64            `json:"version"`        // the resourceVersion; of the removal, if the object is gone
	Gone      bool              `json:"gone,omitempty"` // it was removed; the object is as it was last
	Framework *v1.Framework     `json:"framework,omitempty"`
	ConfigMap *corev1.ConfigMap `json:"configMap,omitempty"`
	Pod       *corev1.Pod       `json:"pod,omitempty"`
}

// Gap is a range of versions, both ends included.
type Gap struct{ From, To uint64 }

// Request is a request that the API server has answered.
type Request struct {
	Time        time.Time `json:"time"`
	Agent       string    `json:"agent"` // the user agent
	Verb        string    `json:"verb"`  // an RBAC verb: get, list, watch, create, update, patch, delete, deletecollection
	Group       string    `json:"group,omitempty"`
	Resource    string    `json:"resource"` // plural
	Subresource string    `json:"subresource,omitempty"`
	Namespace   string    `json:"namespace"`
	Name        string    `json:"name"`
	Code        int32     `json:"code"` // HTTP status
	// UID of the object that was created or deleted; empty if the log lacks it.
	UID types.UID `json:"uid,omitempty"`
	// Version of the object in the answer; 0 if the answer has none.
	Version uint64 `json:"version,omitempty"`
}

func (r Request) succeeded() bool { return r.Code >= 200 && r.Code < 300 }

// writes reports whether it may have changed anything.
func (r Request) writes() bool {
	switch r.Verb {
	case "create", "update", "patch", "delete", "deletecollection":
		return true
	}
	return false
}

func (s Observation) object() metav1.Object {
	switch {
	case s.Framework != nil:
		return s.Framework
	case s.ConfigMap != nil:
		return s.ConfigMap
	}
	return s.Pod
}

// In returns the observations in a namespace.
func (h History) In(namespace string) History {
	h.Observations = slices.DeleteFunc(slices.Clone(h.Observations), func(s Observation) bool { return s.object().GetNamespace() != namespace })
	return h
}

// inOrder returns the observations as they happened.
func inOrder(observations []Observation) []Observation {
	out := slices.Clone(observations)
	slices.SortStableFunc(out, func(a, b Observation) int { return cmp.Compare(a.Version, b.Version) })
	return out
}

func nameOf(o metav1.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
}

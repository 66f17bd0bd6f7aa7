package checker

import (
	"k8s.io/apimachinery/pkg/types"

	corev1 "k8s.io/api/core/v1"
)

// foreign holds P6, "objects with the recorded name but foreign ownership are never modified or deleted". Ours are
// ConfigMaps that a Framework of their name controls, and Pods that such a ConfigMap controls. The controller
// creates and deletes them, and changes none.
type foreign struct{ seen map[types.UID]owned }

// owned is an object and its controller.
type owned struct {
	subject subject
	made    purpose
}

func newForeign() *foreign { return &foreign{map[types.UID]owned{}} }

func (r *foreign) see(_ *replay, c change) {
	switch {
	case c.configMap != nil && c.configMap.after != nil:
		r.seen[c.configMap.after.UID] = owned{c.subject(), configMapPurpose(c.configMap.after)}
	case c.pod != nil && c.pod.after != nil:
		r.seen[c.pod.after.UID] = owned{c.subject(), c.pod.after.made}
	}
}

func (r *foreign) end(t *replay) {
	for _, q := range t.audit.requests {
		about := q.Group == "" && (q.Resource == string(corev1.ResourcePods) || q.Resource == string(corev1.ResourceConfigMaps))
		if !about || !q.writes() || !q.succeeded() || !t.audit.controller(q) {
			continue
		}
		t.version = q.Version
		what := subject{q.Resource, types.NamespacedName{Namespace: q.Namespace, Name: q.Name}, ""}
		switch q.Verb {
		case "create":
			t.hold(ForeignObjects, what, q.Subresource == "", "the controller has created a %s of it", q.Subresource)
		case "delete":
			r.deleted(t, what, q)
		default:
			t.hold(ForeignObjects, what, false, "the controller has sent %s", q.Verb)
		}
	}
}

func (r *foreign) deleted(t *replay, what subject, q Request) {
	o, seen := r.seen[q.UID]
	if !seen {
		return // it was deleted before it was seen, or the log does not identify it
	}
	t.hold(ForeignObjects, what, o.made.ours(), "the controller has deleted %s (%s), which is not controlled by an object of its own",
		o.subject, q.UID)
	if o.made.configMapUID != "" {
		owner, seen := r.seen[o.made.configMapUID]
		t.hold(ForeignObjects, what, seen && owner.made.ours() && owner.made.framework == o.made.framework,
			"the controller has deleted %s (%s), whose ConfigMap %s no Framework controls", o.subject, q.UID, o.made.configMapUID)
	}
}

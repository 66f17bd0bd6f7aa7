package apitest

import (
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// perform executes a request.
func (s *Server) perform(q *Request) answer {
	k := key{q.Resource, q.Name}
	switch {
	case q.Verb == "list":
		return s.list(q)
	case q.Verb == "create" && q.Resource == "selfsubjectaccessreviews":
		return s.review(q)
	case q.Verb == "create":
		return s.create(k, q)
	case q.Resource == Frameworks+"/status":
		return s.writeStatus(key{Frameworks, q.Name}, q)
	case q.Verb == "patch" && q.Resource == CRDs:
		return s.applyCRD(k, q)
	case s.store.objects[k] == nil:
		return notFound(k)
	case q.Verb == "get":
		return ok(s.store.objects[k])
	case q.Verb == "patch":
		if why := unmet(s.store.objects[k], q.Body, "metadata"); why != "" {
			return conflict(k, why)
		}
		return ok(s.store.put(k, &object{Object: merge(s.store.objects[k].DeepCopy().Object, q.Body)}))
	case q.Verb == "delete":
		return s.delete(k, q)
	}
	return refuse(http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed, "%s is not known to this server", q)
}

// review answers whether the controller has a permission.
func (s *Server) review(q *Request) answer {
	verb, _, _ := unstructured.NestedString(q.Body, "spec", "resourceAttributes", "verb")
	resource, _, _ := unstructured.NestedString(q.Body, "spec", "resourceAttributes", "resource")
	o := &object{Object: q.Body}
	_ = unstructured.SetNestedField(o.Object, !s.denied[verb+" "+resource], "status", "allowed")
	return answer{code: http.StatusCreated, object: o.Object}
}

func (s *Server) create(k key, q *Request) answer {
	if s.store.objects[k] != nil {
		return refuse(http.StatusConflict, metav1.StatusReasonAlreadyExists, "%s %q already exists", k.resource, k.name)
	}
	o := &object{Object: q.Body}
	var warnings []string
	if k.resource == Pods {
		var err error
		if o, warnings, err = readPod(q.Body); err != nil {
			refusal := badRequest(err)
			refusal.warnings = warnings
			return refusal
		}
	}
	return answer{code: http.StatusCreated, object: s.add(k, o).Object, warnings: warnings}
}

// add stores a new object.
func (c *Cluster) add(k key, o *object) *object {
	o.SetNamespace(Namespace)
	o.SetUID(c.store.newUID(k.resource))
	o.SetCreationTimestamp(metav1.Now())
	if k.resource == Frameworks {
		o.SetGeneration(1)
	}
	return c.store.put(k, o)
}

// applyCRD stores the CRD, and serves it at once.
func (s *Server) applyCRD(k key, q *Request) answer {
	o := &object{Object: merge(q.Body, map[string]any{
		"status": map[string]any{"conditions": []any{map[string]any{"type": "Established", "status": "True"}}},
	})}
	return ok(s.store.put(k, o))
}

// serves reports whether the stored CRD has a subresource; without a CRD every one is served.
func (s *Server) serves(subresource string) bool {
	for k, crd := range s.store.objects {
		if k.resource == CRDs {
			versions, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions")
			_, found, _ := unstructured.NestedMap(versions[0].(map[string]any), "subresources", subresource)
			return found
		}
	}
	return true
}

// writeStatus is PUT or merge PATCH of the status subresource.
func (s *Server) writeStatus(k key, q *Request) answer {
	stored := s.store.objects[k]
	if !s.serves("status") || stored == nil {
		return notFound(k)
	}
	if why := unmet(stored, q.Body, "metadata"); why != "" {
		return conflict(k, why)
	}
	next := stored.DeepCopy()
	next.Object["status"] = q.Body["status"]
	if q.Verb == "patch" {
		before, _ := stored.Object["status"].(map[string]any)
		patch, _ := q.Body["status"].(map[string]any)
		next.Object["status"] = merge(before, patch)
	}
	if err := validStatus(next); err != nil {
		return refuse(http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "Framework %q is invalid: %v", k.name, err)
	}
	return ok(s.store.put(k, next))
}

// unmet names the preconditions under a field of the body that the object does not meet; empty if it meets all.
func unmet(stored *object, body map[string]any, field string) string {
	uid, _, _ := unstructured.NestedString(body, field, "uid")
	version, _, _ := unstructured.NestedString(body, field, "resourceVersion")
	var why []string
	if uid != "" && uid != string(stored.GetUID()) {
		why = append(why, "Precondition failed: UID in precondition: "+uid+", UID in object meta: "+string(stored.GetUID()))
	}
	if version != "" && version != stored.GetResourceVersion() {
		why = append(why, "the object has been modified; please apply your changes to the latest version and try again")
	}
	return strings.Join(why, "; ")
}

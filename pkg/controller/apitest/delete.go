package apitest

import (
	"net/http"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// foreground is the finalizer of an object that is removed only after its dependents.
const foreground = metav1.FinalizerDeleteDependents

// defaultGraceSec is the grace period of a Pod that does not set one.
const defaultGraceSec = 30

func (s *Server) delete(k key, q *Request) answer {
	stored := s.store.objects[k]
	if why := unmet(stored, q.Body, "preconditions"); why != "" {
		return conflict(k, why)
	}
	options, err := convert[metav1.DeleteOptions](q.Body)
	if err != nil {
		return badRequest(err)
	}
	s.discard(k, *options)
	return answer{code: http.StatusOK, object: &metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusSuccess, Code: http.StatusOK,
	}}
}

// discard deletes an object, at once or as far as finalizers and the grace period allow.
func (c *Cluster) discard(k key, options metav1.DeleteOptions) {
	next := c.store.objects[k].DeepCopy()
	if p := options.PropagationPolicy; p != nil {
		finalizers := without(next.GetFinalizers(), foreground)
		if *p == metav1.DeletePropagationForeground {
			finalizers = append(finalizers, foreground)
		}
		next.SetFinalizers(finalizers)
	}
	grace := c.grace(k, options)
	gone := grace == 0 && len(next.GetFinalizers()) == 0
	if gone && k.resource != Pods {
		c.store.remove(k)
		return
	}
	c.terminate(k, next, grace)
	if gone {
		c.store.remove(k)
	}
}

// terminate stores that an object terminates, as an API server does of a Pod also just before it is gone.
func (c *Cluster) terminate(k key, next *object, grace int64) {
	if next.GetDeletionTimestamp() == nil || grace < *next.GetDeletionGracePeriodSeconds() {
		at := metav1.NewTime(time.Now().Add(time.Duration(grace) * time.Second).Truncate(time.Second))
		next.SetDeletionTimestamp(&at)
		next.SetDeletionGracePeriodSeconds(&grace)
	}
	c.store.put(k, next)
}

func without(list []string, item string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == item })
}

// grace is the grace period of a deletion: only a Pod that may be running has one.
func (c *Cluster) grace(k key, options metav1.DeleteOptions) int64 {
	pod := c.store.objects[k]
	node, _, _ := unstructured.NestedString(pod.Object, "spec", "nodeName")
	switch {
	case k.resource != Pods || node == "" || phaseOf(pod) == corev1.PodSucceeded || phaseOf(pod) == corev1.PodFailed:
		return 0
	case options.GracePeriodSeconds != nil:
		return *options.GracePeriodSeconds
	}
	if sec, found, _ := unstructured.NestedInt64(pod.Object, "spec", "terminationGracePeriodSeconds"); found {
		return sec
	}
	return defaultGraceSec
}

func phaseOf(pod *object) corev1.PodPhase {
	phase, _, _ := unstructured.NestedString(pod.Object, "status", "phase")
	return corev1.PodPhase(phase)
}

// killTerminating ends terminating Pods, as kubelets do. It reports whether there was anything to do.
func (c *Cluster) killTerminating() bool {
	if c.lazy.kubelets {
		return false
	}
	before := c.store.version()
	for k, o := range c.store.objects {
		if k.resource == Pods && o.GetDeletionTimestamp() != nil && len(o.GetFinalizers()) == 0 {
			c.terminate(k, o.DeepCopy(), 0)
			c.store.remove(k)
		}
	}
	return c.store.version() != before
}

// collectGarbage is one pass of the garbage collector: an object without its owner is deleted, and an owner in foreground
// deletion is removed after its dependents. It reports whether there was anything to do.
func (c *Cluster) collectGarbage() bool {
	if c.lazy.garbage {
		return false
	}
	before, there := c.store.version(), c.uids()
	for k, o := range c.store.objects {
		switch {
		case o.GetDeletionTimestamp() == nil && orphaned(o, there):
			c.discard(k, metav1.DeleteOptions{})
		case o.GetDeletionTimestamp() != nil && slices.Contains(o.GetFinalizers(), foreground):
			c.collectOwned(k, o)
		}
	}
	return c.store.version() != before
}

// uids returns the UIDs of all objects.
func (c *Cluster) uids() map[types.UID]bool {
	there := make(map[types.UID]bool, len(c.store.objects))
	for _, o := range c.store.objects {
		there[o.GetUID()] = true
	}
	return there
}

// orphaned reports whether an object had owners, and none of them exists.
func orphaned(o *object, there map[types.UID]bool) bool {
	owners := o.GetOwnerReferences()
	return len(owners) > 0 && !slices.ContainsFunc(owners, func(r metav1.OwnerReference) bool { return there[r.UID] })
}

// collectOwned deletes the dependents of an object, and releases the object once none is left.
func (c *Cluster) collectOwned(k key, owner *object) {
	left := false
	for other, o := range c.store.objects {
		owns := func(r metav1.OwnerReference) bool { return r.UID == owner.GetUID() }
		if !slices.ContainsFunc(o.GetOwnerReferences(), owns) {
			continue
		}
		left = true
		if o.GetDeletionTimestamp() == nil {
			c.discard(other, metav1.DeleteOptions{})
		}
	}
	if !left {
		c.release(k, foreground)
	}
}

// release removes a finalizer from an object, and the object itself if that was the last one.
func (c *Cluster) release(k key, finalizer string) {
	next := c.store.objects[k].DeepCopy()
	next.SetFinalizers(without(next.GetFinalizers(), finalizer))
	c.store.put(k, next)
	if len(next.GetFinalizers()) == 0 && next.GetDeletionTimestamp() != nil && *next.GetDeletionGracePeriodSeconds() == 0 {
		c.store.remove(k)
	}
}

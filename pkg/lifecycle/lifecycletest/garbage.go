package lifecycletest

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"
)

// collectGarbage is the garbage collector of Kubernetes: an object without its owner is deleted, and an owner in foreground
// deletion is removed only after its dependents. It reports whether there was anything to do.
func (s *server) collectGarbage() bool {
	before := s.version
	s.collectFramework()
	s.collectConfigMap()
	for _, pod := range s.listed(pods, s.orphaned) {
		s.discard(pod)
	}
	s.collectClaims()
	return s.version != before
}

func (s *server) collectFramework() {
	framework := s.objects[theFramework]
	if framework == nil || !framework.deleting {
		return
	}
	owned := s.listed(configMaps, func(o *object) bool { return o.owner() == framework.uid })
	for _, configMap := range owned {
		s.discard(configMap)
	}
	if len(owned) == 0 {
		s.remove(theFramework)
	}
}

// collectConfigMap: the finalizer that the ConfigMap was created with makes each deletion of it a foreground one.
func (s *server) collectConfigMap() {
	for _, orphan := range s.listed(configMaps, s.orphaned) {
		s.discard(orphan)
	}
	configMap := s.objects[theConfigMap]
	if configMap == nil || !configMap.deleting {
		return
	}
	owned := s.ownedBy(configMap.uid)
	for _, pod := range owned {
		s.discard(pod)
	}
	collected := len(owned) == 0 && !s.misses(configMap)
	if !s.held && (collected || !configMap.configMap.AwaitsCollector) {
		s.remove(theConfigMap)
	}
}

// misses reports whether the garbage collector has not seen that Pods of the ConfigMap have gone.
func (s *server) misses(configMap *object) bool {
	return s.blind && !s.orphaned(configMap) && slices.ContainsFunc(s.history[pods], func(c change) bool {
		return c.was != nil && c.was.owner() == configMap.uid
	})
}

func (s *server) ownedBy(configMap types.UID) []*object {
	return s.listed(pods, func(o *object) bool { return o.owner() == configMap })
}

// orphaned reports whether the object's owner no longer exists. Objects of others are left alone.
func (s *server) orphaned(o *object) bool {
	if o.owner() == "" {
		return false
	}
	owner := s.objects[theFramework]
	if o.name.kind == pods {
		owner = s.objects[theConfigMap]
	}
	return owner == nil || owner.uid != o.owner()
}

func (s *server) discard(o *object) {
	if !o.deleting {
		_ = s.delete(o.name, o.uid, false) // it was just listed, so it is there
	}
}

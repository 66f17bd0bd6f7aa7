package apitest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

type object = unstructured.Unstructured

// key names an object; there is one namespace.
type key struct{ resource, name string }

// store holds the objects and every change ever made to them. An object is replaced, never changed.
type store struct {
	objects map[key]*object
	history []change // resourceVersion v is at v-1
	uids    int
}

// change is an object before and after; nil means that it does not exist.
type change struct {
	key     key
	was, is *object
}

func newStore() store { return store{objects: map[key]*object{}} }

// version is the resourceVersion of the last change.
func (s *store) version() int64 { return int64(len(s.history)) }

// put stores an object under the next resourceVersion, unless nothing differs.
func (s *store) put(k key, o *object) *object {
	was := s.objects[k]
	if was != nil && sameTree(was.Object, o.Object) {
		return was
	}
	o.SetResourceVersion(strconv.FormatInt(s.version()+1, 10))
	s.history = append(s.history, change{k, was, o})
	s.objects[k] = o
	return o
}

func (s *store) remove(k key) {
	s.history = append(s.history, change{k, s.objects[k], nil})
	delete(s.objects, k)
}

func (s *store) newUID(resource string) types.UID {
	s.uids++
	return types.UID(fmt.Sprintf("%s-%d", resource, s.uids))
}

// at returns an object as of a version.
func (s *store) at(version int64, k key) *object {
	for i := version - 1; i >= 0; i-- {
		if s.history[i].key == k {
			return s.history[i].is
		}
	}
	return nil
}

// list returns the objects of a resource as of a version, by name.
func (s *store) list(resource string, version int64) []*object {
	found := map[string]*object{}
	for _, c := range s.history[:version] {
		if c.key.resource == resource {
			found[c.key.name] = c.is
		}
	}
	var out []*object
	for _, o := range found {
		if o != nil {
			out = append(out, o)
		}
	}
	slices.SortFunc(out, func(a, b *object) int { return cmp.Compare(a.GetName(), b.GetName()) })
	return out
}

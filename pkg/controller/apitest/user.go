package apitest

import (
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// What follows is done by users and other controllers. It is not logged.

// Create stores a new object and returns it. It panics if there is one of the name.
func (s *Server) Create(resource string, o *unstructured.Unstructured) *unstructured.Unstructured {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := key{resource, o.GetName()}
	if s.store.objects[k] != nil {
		panic(resource + " " + o.GetName() + " exists")
	}
	created := s.add(k, o.DeepCopy())
	s.settle()
	return created
}

// History returns every version of an object, in order; nil stands for its removal.
func (s *Server) History(resource, name string) []*unstructured.Unstructured {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*unstructured.Unstructured
	for _, c := range s.store.history {
		if c.key == (key{resource, name}) {
			out = append(out, c.is)
		}
	}
	return out
}

// Get returns an object; nil if there is none. It must not be changed.
func (s *Server) Get(resource, name string) *unstructured.Unstructured {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.store.objects[key{resource, name}]
}

// List returns the objects of a resource by name. They must not be changed.
func (s *Server) List(resource string) []*unstructured.Unstructured {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.store.list(resource, s.store.version())
}

// Edit replaces an object by a changed copy. A changed spec of a Framework gets the next generation.
func (s *Server) Edit(resource, name string, change func(*unstructured.Unstructured)) {
	s.steer(func() { s.edit(key{resource, name}, change) })
}

// TryEdit is Edit, unless the object has gone, or another one has its name.
func (s *Server) TryEdit(resource string, o *unstructured.Unstructured, change func(*unstructured.Unstructured)) {
	s.steer(func() {
		k := key{resource, o.GetName()}
		if now := s.store.objects[k]; now != nil && now.GetUID() == o.GetUID() {
			s.edit(k, change)
		}
	})
}

func (s *Server) edit(k key, change func(*unstructured.Unstructured)) {
	was := s.store.objects[k]
	next := was.DeepCopy()
	change(next)
	if k.resource == Frameworks && !reflect.DeepEqual(was.Object["spec"], next.Object["spec"]) {
		next.SetGeneration(was.GetGeneration() + 1)
	}
	s.store.put(k, next)
}

// Set is Edit of one field.
func (s *Server) Set(resource, name string, value any, path ...string) {
	s.Edit(resource, name, func(o *unstructured.Unstructured) { set(o, value, path...) })
}

// Delete is a user's deletion, in the background.
func (s *Server) Delete(resource, name string) {
	s.steer(func() { s.discard(key{resource, name}, metav1.DeleteOptions{}) })
}

// DeleteForeground is a user's deletion that lets the object go after what it owns.
func (s *Server) DeleteForeground(resource, name string) {
	policy := metav1.DeletePropagationForeground
	s.steer(func() { s.discard(key{resource, name}, metav1.DeleteOptions{PropagationPolicy: &policy}) })
}

// Unfinalize takes a finalizer off an object.
func (s *Server) Unfinalize(resource, name, finalizer string) {
	s.steer(func() { s.release(key{resource, name}, finalizer) })
}

// Vanish removes an object without any ceremony.
func (s *Server) Vanish(resource, name string) {
	s.steer(func() { s.store.remove(key{resource, name}) })
}

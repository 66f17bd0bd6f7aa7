package apitest

import (
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// This file has the operations of users and other controllers. They are not logged.

// Create stores a new object and returns it. It panics if the name is taken.
func (c *Cluster) Create(resource string, o *unstructured.Unstructured) *unstructured.Unstructured {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := key{resource, o.GetName()}
	if c.store.objects[k] != nil {
		panic(resource + " " + o.GetName() + " exists")
	}
	created := c.add(k, o.DeepCopy())
	c.settle()
	return created
}

// History returns every version of an object, in order; nil stands for its removal.
func (c *Cluster) History(resource, name string) []*unstructured.Unstructured {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []*unstructured.Unstructured
	for _, c := range c.store.history {
		if c.key == (key{resource, name}) {
			out = append(out, c.is)
		}
	}
	return out
}

// Get returns an object; nil if there is none. It must not be changed.
func (c *Cluster) Get(resource, name string) *unstructured.Unstructured {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.store.objects[key{resource, name}]
}

// List returns the objects of a resource by name. They must not be changed.
func (c *Cluster) List(resource string) []*unstructured.Unstructured {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.store.list(resource, c.store.version())
}

// Edit replaces an object by a changed copy. A change of the spec of a Framework increments its generation.
func (c *Cluster) Edit(resource, name string, change func(*unstructured.Unstructured)) {
	c.steer(func() { c.edit(key{resource, name}, change) })
}

// TryEdit is Edit, unless the object has gone, or another one has its name.
func (c *Cluster) TryEdit(resource string, o *unstructured.Unstructured, change func(*unstructured.Unstructured)) {
	c.steer(func() {
		k := key{resource, o.GetName()}
		if now := c.store.objects[k]; now != nil && now.GetUID() == o.GetUID() {
			c.edit(k, change)
		}
	})
}

func (c *Cluster) edit(k key, change func(*unstructured.Unstructured)) {
	was := c.store.objects[k]
	next := was.DeepCopy()
	change(next)
	if k.resource == Frameworks && !reflect.DeepEqual(was.Object["spec"], next.Object["spec"]) {
		next.SetGeneration(was.GetGeneration() + 1)
	}
	c.store.put(k, next)
}

// Set is Edit of one field.
func (c *Cluster) Set(resource, name string, value any, path ...string) {
	c.Edit(resource, name, func(o *unstructured.Unstructured) { set(o, value, path...) })
}

// Delete is a user's deletion, in the background.
func (c *Cluster) Delete(resource, name string) {
	c.steer(func() { c.discard(key{resource, name}, metav1.DeleteOptions{}) })
}

// DeleteForeground is a user's deletion that removes the object after its dependents.
func (c *Cluster) DeleteForeground(resource, name string) {
	policy := metav1.DeletePropagationForeground
	c.steer(func() { c.discard(key{resource, name}, metav1.DeleteOptions{PropagationPolicy: &policy}) })
}

// Unfinalize takes a finalizer off an object.
func (c *Cluster) Unfinalize(resource, name, finalizer string) {
	c.steer(func() { c.release(key{resource, name}, finalizer) })
}

// Vanish removes an object without any ceremony.
func (c *Cluster) Vanish(resource, name string) {
	c.steer(func() { c.store.remove(key{resource, name}) })
}

package lifecycle

import v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"

// A held Pod terminates and runs nothing any more: it has ended, or never got a node, and while it terminates it gets none.
// Only finalizers of others keep the object, and these may wait for what comes after it, such as the next Pod. So nobody
// waits for it to go but who needs its name.

// Held reports whether nothing but finalizers keeps the Pod.
func (p *Pod) Held() bool {
	over := p.Phase == PodSucceeded || p.Phase == PodFailed || p.Phase == PodPending && p.NodeName == ""
	return p.Deleting && p.Finalizers != "" && over
}

// waitsForName reports whether a Task gets no Pod before its name is free.
func (r *round) waitsForName(ref TaskRef) bool {
	t := r.task(ref)
	return t != nil && t.State == v1.AttemptCreationPending && !r.completing() && !r.in.Framework.Deleting
}

package lifecycletest

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// Pod is one that exists.
type Pod struct {
	Task              lifecycle.TaskRef
	UID, ConfigMapUID types.UID
	// TaskUID and TaskAttemptID that it was made for.
	TaskUID       string
	TaskAttemptID int32
	// Executing: its containers run on a node.
	Executing bool
	// WasHeld: it is being deleted, no longer runs anything, and at some time only a finalizer kept it, as caches may still show.
	WasHeld bool
	// Late: a request created it for whose answer nobody waited by then.
	Late bool
	// Item that it was made for; empty without items.
	Item string
	// Foreign: it is somebody else's.
	Foreign bool
	// MemoryLimit of its container in bytes; 0 if it has none.
	MemoryLimit int64
}

// Pods returns the Pods that exist.
func (s *Story) Pods() []Pod {
	var out []Pod
	for _, o := range s.server.listed(pods, func(*object) bool { return true }) {
		out = append(out, Pod{
			Task: o.name.ref, UID: o.uid, ConfigMapUID: o.pod.ConfigMapUID,
			Item:    o.pod.item,
			TaskUID: o.pod.TaskUID, TaskAttemptID: o.pod.TaskAttemptID,
			Executing: o.pod.executing, WasHeld: o.pod.wasHeld, Late: o.late, Foreign: o.owner() == "", MemoryLimit: o.pod.memory.limit,
		})
	}
	return out
}

// HadPod reports whether the API server has ever seen a Pod of a Task, which its instance UID names.
func (s *Story) HadPod(taskUID string) bool {
	return slices.ContainsFunc(s.server.history[pods], func(c change) bool { return c.is != nil && c.is.pod.TaskUID == taskUID })
}

// ConfigMap returns the UID of the ConfigMap that exists under the attempt's name, and the attempt that it was
// made for; ok is false if there is none.
func (s *Story) ConfigMap() (uid types.UID, attempt int32, ok bool) {
	uid, ok = s.uid(theConfigMap)
	if ok {
		attempt = s.server.objects[theConfigMap].configMap.AttemptID
	}
	return uid, attempt, ok
}

func (s *Story) uid(n name) (uid types.UID, ok bool) {
	o := s.server.objects[n]
	if o == nil {
		return "", false
	}
	return o.uid, true
}

// Framework returns the UID of the Framework; ok is false if there is none.
func (s *Story) Framework() (uid types.UID, ok bool) { return s.uid(theFramework) }

// Spec returns the spec of the Framework as the API server has it, which callers must not change; nil if there is none. Laws that look
// after each turn need it without the status, which Object decodes.
func (s *Story) Spec() *v1.FrameworkSpec {
	o := s.server.objects[theFramework]
	if o == nil {
		return nil
	}
	return o.framework.spec
}

// Object returns the Framework as the API server has it; nil if there is none.
func (s *Story) Object() *v1.Framework {
	o := s.server.objects[theFramework]
	if o == nil {
		return nil
	}
	f := &v1.Framework{ObjectMeta: metav1.ObjectMeta{Name: "demo", Namespace: "default", UID: o.uid, Generation: o.framework.generation}}
	f.Spec = *o.framework.spec.DeepCopy()
	if o.deleting {
		f.DeletionTimestamp = &metav1.Time{Time: s.server.now}
	}
	if state := s.stored(); state != nil {
		f.Status = state.Status().DeepCopy()
	}
	return f
}

// Now returns what time it is.
func (s *Story) Now() time.Time { return s.server.now }

// Stored returns the state that is stored, nil if there is none.
func (s *Story) Stored() *lifecycle.State { return s.stored() }

// Everything returns all that the controller knows at the moment, as for a round that is not partial.
func (s *Story) Everything() lifecycle.Observed {
	full := s.controller.full
	defer func() { s.controller.full = full }()
	s.controller.full = true
	return s.controller.observe()
}

// UnderWay reports whether an action on a Task's Pod is not answered yet.
func (s *Story) UnderWay(ref lifecycle.TaskRef) bool { return s.controller.note(podOf(ref)).flying }

// Requests returns how many requests the controller has made.
func (s *Story) Requests() int { return s.faults.requests }

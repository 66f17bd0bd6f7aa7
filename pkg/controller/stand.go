package controller

import (
	"sync"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// stand is where a Framework stands, for its actions in the pool: what was wanted when they were submitted may not
// be wanted any more when their turn comes.
type stand struct {
	mu       sync.Mutex
	state    *lifecycle.State // as stored; nil if nothing is wanted at all
	deleting bool             // the Framework has a deletionTimestamp
}

func (s *stand) set(state *lifecycle.State, deleting bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state, s.deleting = state, deleting
}

// wants reports whether an action may still be performed. Only creations can be too late: deletions are for one
// UID, and reads do no harm.
func (s *stand) wants(a lifecycle.Action) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == nil {
		return false
	}
	switch a := a.(type) {
	case lifecycle.CreateConfigMap:
		f := s.state.Framework()
		return !s.deleting && f.State == v1.AttemptCreationPending && f.AttemptStatus.ID == a.AttemptID
	case lifecycle.CreatePod:
		return !s.deleting && live(s.state.Framework().State) && awaits(s.state.Task(a.Task), a)
	}
	return true
}

func live(s v1.State) bool { return s == v1.AttemptPreparing || s == v1.AttemptRunning }

// awaits reports whether a Task is waiting for that very Pod.
func awaits(t *v1.TaskStatus, a lifecycle.CreatePod) bool {
	return t != nil && t.State == v1.AttemptCreationPending && !t.DeletionPending &&
		t.InstanceUID == a.TaskUID && t.AttemptStatus.ID == a.AttemptID
}

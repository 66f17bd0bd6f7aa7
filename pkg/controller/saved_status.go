package controller

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/statusjson"
)

// savedStatus is the status that is stored, as far as this process knows, and how the next is written.
//
// Invariant: whatever was started was called for by saved at that moment.
// Invariant: rewrite implies that saved is not nil.
// Invariant: uncertain has no write from before the last one that is known to have taken effect.
type savedStatus struct {
	saved   *lifecycle.State   // as last stored; nil if there is no status
	cutting statusjson.Cutting // of the messages of saved, when that was stored
	rewrite bool               // the stored status is not saved any more, and is to be replaced by it
	// uncertain are states that may be stored, or come to be stored, although their writing failed.
	uncertain []uncertainWrite
	room      int // bytes that the status may have, so that the object can be stored
	encoder   statusjson.Encoder
}

// uncertainWrite is a status write whose outcome is not known.
type uncertainWrite struct {
	out     lifecycle.Output   // with the state, and what is to be reported when it is known to be stored
	cutting statusjson.Cutting // of its messages
	at      time.Time          // when its answer failed to come
	// declined: it may have taken effect although the API server has declined it, as client-go may have sent it twice.
	declined bool
}

// noteUncertainWrite notes a write that may have taken effect or may do so yet. It forgets those that have had time
// enough: one that was declined, by the next, as the object was read in between. The same state may be written again
// and again, to restore it, and counts as one write.
func (s *savedStatus) noteUncertainWrite(next uncertainWrite) {
	s.uncertain = slices.DeleteFunc(s.uncertain, func(w uncertainWrite) bool {
		return w.declined || next.at.Sub(w.at) > 2*apiserver.RequestTimeout || w.out.State == next.out.State && w.cutting == next.cutting
	})
	s.uncertain = append(s.uncertain, next)
}

func (s *savedStatus) completed() bool {
	return s.saved != nil && s.saved.Framework().State == v1.Completed
}

// configMapUID returns the recorded UID; empty if there is none.
func (s *savedStatus) configMapUID() types.UID {
	if s.saved == nil || s.saved.Framework().AttemptStatus.ConfigMapUID == nil {
		return ""
	}
	return *s.saved.Framework().AttemptStatus.ConfigMapUID
}

// hasTask reports whether the stored status has a Task.
func (s *savedStatus) hasTask(ref lifecycle.TaskRef) bool {
	return s.saved != nil && s.saved.Task(ref) != nil
}

// podUID returns the recorded UID of a Task's Pod; empty if there is none.
func (s *savedStatus) podUID(ref lifecycle.TaskRef) types.UID {
	if s.saved == nil {
		return ""
	}
	if t := s.saved.Task(ref); t != nil && t.AttemptStatus.PodUID != nil {
		return *t.AttemptStatus.PodUID
	}
	return ""
}

// attemptedSince is when the Task's attempt began, as stored: a restart does not begin the wait for its Pod anew.
func (s *savedStatus) attemptedSince(ref lifecycle.TaskRef) time.Time {
	if t := s.saved.Task(ref); t != nil {
		return t.AttemptStatus.StartTime.Time
	}
	return time.Time{}
}

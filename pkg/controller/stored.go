package controller

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/statusjson"
)

// stored is the Framework's object, as the API server held it when it was last read.
//
// Invariant: version is empty exactly as long as the object was never read.
// Invariant: while unread, no round decides anything; the object is read first.
// Invariant: while leftAlone is not nil, no round decides anything; it becomes nil when the object is read.
type stored struct {
	meta metav1.ObjectMeta
	spec json.RawMessage // nil before the first read, and if it is not held for a Framework that is left out
	// rawStatus is the status of a Framework that is left alone, as it makes no sense.
	rawStatus json.RawMessage
	// version is the resourceVersion that the object was read with, or that its status was stored as since.
	version   string
	unread    bool
	leftAlone error // why the stored object is left alone; nil if it is not
	elsewhere bool  // another controller runs the Framework, and always will: it is neither read again nor written
}

// storedFramework is a Framework as the API server holds it. It is decoded only so far that what does not fit can be
// told.
type storedFramework struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     json.RawMessage   `json:"spec"`
	Status   json.RawMessage   `json:"status"`
}

// leftOut is what a Framework would make this process hold, that was left out for it; zero if it was not.
type leftOut struct{ own, pods int64 }

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
	bytesLeft int // of the object for the status, so that it can be stored
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

// decodeStatus returns the state that a stored status holds; nil if there is no status yet.
func decodeStatus(stored json.RawMessage) (*lifecycle.State, error) {
	status, err := statusjson.Decode(stored)
	if err != nil || status == nil || onlyReported(status) {
		return nil, err
	}
	return lifecycle.Load(status)
}

// onlyReported reports whether all that was ever stored is why the Framework is left alone (markInvalid, reportLeftOut).
func onlyReported(status *v1.FrameworkStatus) bool {
	rest := *status
	rest.Conditions = nil
	reported := meta.FindStatusCondition(status.Conditions, v1.ConditionStatusInvalid) != nil || waitsForMemory(status.Conditions)
	return reported && reflect.DeepEqual(rest, v1.FrameworkStatus{})
}

// stores reports whether a stored status, normalised, is what this process writes for a state, with its messages cut
// so. How they would be cut now may be something else: for a later state that could not be stored, or in another room.
func stores(stored []byte, s *lifecycle.State, cutting statusjson.Cutting) bool {
	written := s.Status()
	cutting.ApplyTo(written)
	return stored != nil && bytes.Equal(stored, normalised(apiserver.JSON(written)))
}

// normalised returns a status in one form of the many that mean the same; nil if it is none.
func normalised(text []byte) []byte {
	status, err := statusjson.Decode(text)
	if err != nil || status == nil {
		return nil
	}
	return apiserver.JSON(status)
}

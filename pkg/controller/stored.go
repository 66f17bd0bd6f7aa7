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

// stored is the Framework's object as it was last read from the API server.
//
// Invariant: version is empty until the object is read.
// Invariant: while unread, no round decides anything; the object is read first.
// Invariant: while leftAlone is not nil, no round decides anything; it becomes nil when the object is read.
type stored struct {
	meta metav1.ObjectMeta
	spec json.RawMessage // nil before the first read, and for a Framework that is left out
	// rawStatus is the status of a Framework that is left alone because it is invalid.
	rawStatus json.RawMessage
	// version is the resourceVersion of the last read or the last status write.
	version   string
	unread    bool
	leftAlone error // why the stored object is left alone; nil if it is not
	elsewhere bool  // another controller runs the Framework, and always will: it is neither read again nor written
}

// storedFramework is a Framework as stored by the API server. It is decoded only so far that fields that do not fit can be
// reported.
type storedFramework struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     json.RawMessage   `json:"spec"`
	Status   json.RawMessage   `json:"status"`
}

// leftOut is the memory that a Framework would take, and for which it was left out; zero if it was not.
type leftOut struct{ own, pods int64 }

// savedStatus is the stored status, as far as this process knows, and how the next one is written.
//
// Invariant: whatever was started was called for by saved at that moment.
// Invariant: rewrite implies that saved is not nil.
// Invariant: uncertain has no write from before the last write that is known to have taken effect.
type savedStatus struct {
	saved   *lifecycle.State   // as last stored; nil if there is no status
	cutting statusjson.Cutting // how the messages of saved were cut
	rewrite bool               // the stored status differs from saved, and is to be replaced by it
	// uncertain are states that may be stored now or later, although their writes failed.
	uncertain []uncertainWrite
	bytesLeft int // room for the status in the object, so that it can be stored
	encoder   statusjson.Encoder
}

// uncertainWrite is a status write whose outcome is not known.
type uncertainWrite struct {
	out     lifecycle.Output   // with the state, and the reports to make when it is known to be stored
	cutting statusjson.Cutting // how its messages were cut
	at      time.Time          // when its answer failed to arrive
	// declined: it may have taken effect although the API server has declined it, as client-go may have sent it twice.
	declined bool
}

// noteUncertainWrite records a write that may have taken effect or still may. It drops writes that have had enough time: a
// declined one at the next write, as the object was read in between. The same state may be written repeatedly to restore it,
// and counts as one write.
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

// attemptedSince returns the stored start of the Task's attempt: a restart does not restart the wait for its Pod.
func (s *savedStatus) attemptedSince(ref lifecycle.TaskRef) time.Time {
	if t := s.saved.Task(ref); t != nil {
		return t.AttemptStatus.StartTime.Time
	}
	return time.Time{}
}

// decodeStatus decodes a stored status; nil if there is none yet.
func decodeStatus(stored json.RawMessage) (*lifecycle.State, error) {
	status, err := statusjson.Decode(stored)
	if err != nil || status == nil || onlyReported(status) {
		return nil, err
	}
	return lifecycle.Load(status)
}

// onlyReported reports whether the stored status has nothing but the reason why the Framework is left alone (markInvalid,
// reportLeftOut).
func onlyReported(status *v1.FrameworkStatus) bool {
	rest := *status
	rest.Conditions, rest.Waiting = nil, nil
	reported := meta.FindStatusCondition(status.Conditions, v1.ConditionStatusInvalid) != nil || waitsForMemory(status.Conditions)
	return reported && reflect.DeepEqual(rest, v1.FrameworkStatus{})
}

// stores reports whether a stored status, normalised, is the one that this process writes for a state, with its messages cut
// this way. They would now be cut differently for a later state that could not be stored, or with a different room.
func stores(stored []byte, s *lifecycle.State, cutting statusjson.Cutting) bool {
	written := s.Status()
	cutting.ApplyTo(written)
	return stored != nil && bytes.Equal(stored, normalised(apiserver.JSON(written)))
}

// normalised returns a canonical form of a status, the same for all equivalent ones; nil if it is not one.
func normalised(text []byte) []byte {
	status, err := statusjson.Decode(text)
	if err != nil || status == nil {
		return nil
	}
	return apiserver.JSON(status)
}

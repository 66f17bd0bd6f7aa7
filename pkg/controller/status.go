package controller

import (
	"bytes"
	"encoding/json"
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/statusjson"
)

// encodeStatus returns the JSON to store for a state, made small enough for the storage if need be. It tells the
// Framework's users when that took more than they asked for.
func encodeStatus(users *reporter, r *record, s *lifecycle.State) ([]byte, error) {
	text, report, err := r.status.encoder.Encode(s.Framework(), rolesOf(s), r.status.room)
	if report.Compressed {
		users.warnOnce(r, "StatusCompressed", "", "the status is too large to be stored as it is; its taskRoleStatuses are compressed")
	}
	if report.Cut {
		users.warnOnce(r, "StatusCut", "", "the status is too large to be stored even if compressed; messages of completed Tasks are cut")
	}
	return text, err
}

func rolesOf(s *lifecycle.State) []statusjson.Role {
	var roles []statusjson.Role
	for role, tasks := range s.EachRole {
		roles = append(roles, statusjson.Role{
			Name:                          role.Name,
			InstanceUID:                   role.InstanceUID,
			PodGracefulDeletionTimeoutSec: role.PodGracefulDeletionTimeoutSec,
			RetriedCount:                  role.RetriedCount,
			Tasks:                         tasks,
		})
	}
	return roles
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

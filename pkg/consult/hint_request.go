package consult

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// HintRequest returns the question how the Pods of an attempt are to be presented to a scheduler. Stored are the hints that
// the attempt has already; nil if it has none. An error is an ErrBadTemplate, or says what is wrong with the stored hints.
func HintRequest(about *pluginpb.Framework, roles []v1.TaskRoleSpec, stored *v1.SchedulerHints) (*pluginpb.HintRequest, error) {
	previous, err := Answer(stored)
	if err != nil {
		return nil, err
	}
	q := &pluginpb.HintRequest{Framework: about, Previous: previous}
	for i := range roles {
		shape, err := RoleShape(&roles[i])
		if err != nil && roles[i].TaskNumber == 0 {
			shape, err = &pluginpb.RoleShape{Name: roles[i].Name}, nil // its template does not matter yet
		}
		if err != nil {
			return nil, err
		}
		q.Roles = append(q.Roles, shape)
	}
	return q, nil
}

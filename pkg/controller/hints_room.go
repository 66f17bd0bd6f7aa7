package controller

import (
	"fmt"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/statusjson"
)

const (
	// leftByHints is how many bytes of the status hints leave to what comes after them. Messages can be cut, and Tasks are
	// compressed; hints stay as they are.
	leftByHints = 8 << 10
	// ownBytes is more than the Framework's own part of a status takes, without hints.
	ownBytes = 256 << 10
)

// checkRoom returns a *consult.Refusal if a status with these hints could not be stored beside the rest of the object. They are
// stored before the first Pod, so there would never be one.
func (r *record) checkRoom(h *v1.SchedulerHints) error {
	bytes := len(h.Answer) + len(h.Admission)
	if h.Plugin == "" || int(r.status.statusBytes())+bytes+ownBytes <= r.status.room {
		return nil
	}
	status := *r.status.saved.Framework()
	status.AttemptStatus.SchedulerHints = h
	encoder := statusjson.Encoder{Early: r.status.encoder.Early}
	text, _, err := encoder.Encode(&status, rolesOf(r.status.saved), r.status.room-leftByHints)
	if err != nil || len(text) <= r.status.room-leftByHints {
		return err
	}
	return &consult.Refusal{Plugin: h.Plugin, Kind: plugin.KindSchedulerHints, Reason: fmt.Sprintf(
		"its hints take %d bytes, and do not fit into the %d bytes that the rest of the object leaves to the status; make the spec smaller", bytes, r.status.room)}
}

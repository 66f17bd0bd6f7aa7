package consult

import (
	"encoding/json"
	"fmt"

	"google.golang.org/protobuf/encoding/protojson"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// StoredHints are the hints that are stored with an attempt, decoded. The zero value means no hints.
type StoredHints struct {
	// Answer is nil if no plugin has an opinion.
	Answer *pluginpb.HintResponse
	// Warnings are for the author of the Framework. Each begins with the name of its plugin.
	Warnings []string

	admission json.RawMessage
}

var unmarshal = protojson.UnmarshalOptions{DiscardUnknown: true}

// DecodeHints decodes the hints of an attempt; nil means that it has none.
func DecodeHints(h *v1.SchedulerHints) (StoredHints, error) {
	if h == nil {
		return StoredHints{}, nil
	}
	answer := &pluginpb.HintResponse{}
	err := unmarshal.Unmarshal(h.Answer, answer)
	switch {
	case h.Plugin == "": // several plugins may have warned, and name themselves
		return StoredHints{Warnings: answer.GetWarnings()}, nil
	case err != nil:
		return StoredHints{}, fmt.Errorf("schedulerHints.answer: %w", err)
	}
	out := StoredHints{Answer: answer, admission: h.Admission}
	for _, w := range answer.GetWarnings() {
		out.Warnings = append(out.Warnings, h.Plugin+": "+w)
	}
	return out, nil
}

// Patches returns all patches for the attempt's Pods, in the order in which they apply: first the patches of the answer, then
// the patches with which the scheduler has admitted the attempt. Without an answer it returns nil. The error reports an
// admission that cannot be read.
func (s StoredHints) Patches() ([][]*pluginpb.PodPatch, error) {
	if s.Answer == nil {
		return nil, nil
	}
	admission := &pluginpb.MayCreateResponse{}
	if len(s.admission) > 0 {
		if err := unmarshal.Unmarshal(s.admission, admission); err != nil {
			return nil, fmt.Errorf("schedulerHints.admission: %w", err)
		}
	}
	return [][]*pluginpb.PodPatch{s.Answer.GetPatches(), admission.GetPatches()}, nil
}

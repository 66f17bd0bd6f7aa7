package answers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

const (
	maxHints    = 64 << 10 // bytes of hints when they are stored, as JSON
	maxWarnings = 8
	maxWarning  = 1 << 10 // bytes of each
)

// CheckHints returns the answer to a question: nil if the plugin has neither an opinion nor warnings, and only the
// warnings if it has no opinion. The error describes the mistake in the answer. Names and values are checked by
// Kubernetes' own rules, so that hints do not cause every Pod of the attempt to be refused. If an answer has a refusal,
// all its other fields are ignored. Warnings are cut to the length that is reported.
func CheckHints(q *pluginpb.HintRequest, a *pluginpb.HintResponse) (*pluginpb.HintResponse, error) {
	if a.GetRefusal() != "" {
		return &pluginpb.HintResponse{Refusal: completion.Cut(a.GetRefusal(), maxMessage)}, nil
	}
	if a.GetWatch() && !a.GetWait() {
		return nil, errors.New("it has watch set, but not wait")
	}
	warnings := cutWarnings(a.GetWarnings())
	if !HasOpinion(a) {
		if len(warnings) == 0 {
			return nil, nil
		}
		return &pluginpb.HintResponse{Warnings: warnings}, nil
	}
	a = proto.CloneOf(a)
	a.Warnings = warnings
	if err := checkStored(a); err != nil {
		return nil, err
	}
	if err := checkPatches(q.GetRoles(), a.GetPatches()); err != nil {
		return nil, err
	}
	if err := checkObjects(q.GetFramework(), a.GetObjects()); err != nil {
		return nil, err
	}
	return a, nil
}

// HasOpinion reports whether an answer without a refusal has any hints. Warnings do not count as hints.
func HasOpinion(a *pluginpb.HintResponse) bool {
	return len(a.GetPatches()) > 0 || len(a.GetObjects()) > 0 || a.GetWait()
}

// cutWarnings cuts the number and the lengths of warnings to the contract's limits, and drops empty ones.
func cutWarnings(warnings []string) (out []string) {
	for _, w := range warnings {
		if w != "" && len(out) < maxWarnings {
			out = append(out, completion.Cut(w, maxWarning))
		}
	}
	return out
}

// checkStored limits the size of an answer that is stored in the status of a Framework.
func checkStored(a proto.Message) error {
	text, err := protojson.Marshal(a)
	if err != nil {
		return err
	}
	var compact bytes.Buffer // Marshal adds spaces, by chance of the build
	if err := json.Compact(&compact, text); err != nil {
		return err
	}
	if compact.Len() > maxHints {
		return fmt.Errorf("it has %d bytes as JSON, but at most %d can be stored", compact.Len(), maxHints)
	}
	return nil
}

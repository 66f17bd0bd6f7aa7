package consult

import (
	"encoding/json"
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// maxSuperseded limits the stored names of unwanted objects. The oldest have long been deleted.
const maxSuperseded = 64

// superseded returns the objects that earlier answers for the attempt requested, and this one does not.
func superseded(stored *v1.SchedulerHints, answer *pluginpb.HintResponse) []v1.HintObject {
	if stored == nil {
		return nil
	}
	before, err := DecodeHints(stored)
	if err != nil {
		return stored.Superseded
	}
	wanted := objectNames(answer)
	var out []v1.HintObject
	for _, o := range slices.Concat(stored.Superseded, objectNames(before.Answer)) {
		if !slices.Contains(wanted, o) && !slices.Contains(out, o) {
			out = append(out, o)
		}
	}
	return out[max(0, len(out)-maxSuperseded):]
}

func objectNames(answer *pluginpb.HintResponse) []v1.HintObject {
	var out []v1.HintObject
	for _, o := range answer.GetObjects() {
		var named struct {
			APIVersion, Kind string
			Metadata         struct{ Name string }
		}
		if json.Unmarshal(o.GetJson(), &named) == nil {
			out = append(out, v1.HintObject{APIVersion: named.APIVersion, Kind: named.Kind, Name: named.Metadata.Name})
		}
	}
	return out
}

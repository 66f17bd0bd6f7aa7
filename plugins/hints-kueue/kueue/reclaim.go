package kueue

import (
	"encoding/json"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// toldStatus is what Kueue is told of a Workload.
type toldStatus struct {
	ReclaimablePods []reclaimable `json:"reclaimablePods"`
}

// reclaimable says of how many Pods of a pod set the quota is not needed any more.
type reclaimable struct {
	Name  string `json:"name"`
	Count int32  `json:"count"`
}

// reclaimed is the status for a Workload some of whose Tasks have completed; empty if none have. Told was the status before:
// Kueue takes nothing back that it was told, though completed Tasks may be removed.
func (w *workload) reclaimed(roles []*pluginpb.RoleShape, told []byte) []byte {
	counts := map[string]int32{}
	for _, role := range roles {
		for _, s := range w.stretches() {
			if s.Role == role.GetName() {
				counts[s.PodSet] += s.completed(role)
			}
		}
	}
	var before toldStatus
	_ = json.Unmarshal(told, &before) // empty, or written here
	for _, r := range before.ReclaimablePods {
		counts[r.Name] = max(counts[r.Name], r.Count)
	}
	var now toldStatus
	for _, set := range w.Spec.PodSets {
		if n := min(counts[set.Name], set.Count); n > 0 {
			now.ReclaimablePods = append(now.ReclaimablePods, reclaimable{set.Name, n})
		}
	}
	if len(now.ReclaimablePods) == 0 {
		return nil
	}
	text, err := json.Marshal(now)
	if err != nil {
		panic(err) // texts and numbers
	}
	return text
}

// completed is how many of these Tasks have completed, at least: which of a role's have is not known.
func (s stretch) completed(role *pluginpb.RoleShape) int32 {
	here := max(0, min(s.Last+1, role.GetTaskNumber())-s.First)
	elsewhere := max(0, role.GetTaskNumber()) - here
	return min(here, max(0, role.GetCompletedTaskCount()-elsewhere))
}

package kueue

import (
	"encoding/json"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

// toldStatus is the part of a Workload's status that this plugin writes for Kueue.
type toldStatus struct {
	ReclaimablePods []reclaimable   `json:"reclaimablePods,omitempty"`
	Conditions      []toldCondition `json:"conditions,omitempty"`
}

// reclaimable is the number of Pods of a pod set whose quota is no longer needed.
type reclaimable struct {
	Name  string `json:"name"`
	Count int32  `json:"count"`
}

// toldCondition is a condition that this plugin writes.
type toldCondition struct {
	Type               string    `json:"type"`
	Status             string    `json:"status"`
	Reason             string    `json:"reason"`
	Message            string    `json:"message"`
	LastTransitionTime time.Time `json:"lastTransitionTime"`
}

// toldOf returns the status that this plugin writes to a Workload, empty for none: how many of its Tasks have completed, and that all Pods
// have run, which shows Kueue that the quota is in use. Before is the status written last. Nothing is ever taken back: completed Tasks may
// be removed, and Pods that are still to run have a Workload of their own.
func (w *workload) toldOf(q *pluginpb.HintRequest, before []byte) []byte {
	now := toldStatus{ReclaimablePods: w.reclaimable(q.GetRoles(), before)}
	var told toldStatus
	_ = json.Unmarshal(before, &told) // empty, or written here
	now.Conditions = told.Conditions
	if at := q.GetStarted(); at != nil && now.Conditions == nil {
		now.Conditions = []toldCondition{{"PodsReady", "True", "PodsReady", "all Pods have run", at.AsTime()}}
	}
	if now.ReclaimablePods == nil && now.Conditions == nil {
		return nil
	}
	return gang.JSON(now)
}

func (w *workload) reclaimable(roles []*pluginpb.RoleShape, told []byte) (now []reclaimable) {
	counts := map[string]int32{}
	for _, role := range roles {
		for set, here := range w.tasksOf(role) {
			counts[set] += completedOf(role, here)
		}
	}
	var before toldStatus
	_ = json.Unmarshal(told, &before) // empty, or written here
	for _, r := range before.ReclaimablePods {
		counts[r.Name] = max(counts[r.Name], r.Count)
	}
	for _, set := range w.Spec.PodSets {
		if n := min(counts[set.Name], set.Count); n > 0 {
			now = append(now, reclaimable{set.Name, n})
		}
	}
	return now
}

// tasksOf returns how many Tasks of a role each pod set has.
func (w *workload) tasksOf(role *pluginpb.RoleShape) map[string]int32 {
	out := map[string]int32{}
	for _, s := range w.stretches() {
		if s.Role == role.GetName() {
			out[s.PodSet] += max(0, min(s.Last+1, role.GetTaskNumber())-s.First)
		}
	}
	return out
}

// completedOf is how many of so many Tasks of a role have completed, at least: the question does not contain which have.
func completedOf(role *pluginpb.RoleShape, here int32) int32 {
	elsewhere := max(0, role.GetTaskNumber()) - here
	return min(here, max(0, role.GetCompletedTaskCount()-elsewhere))
}

package kueue

import (
	"context"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// mayCreate implements plugin.Waiter. Pods may be created when all Workloads of the attempt are admitted.
func mayCreate(_ context.Context, q *pluginpb.MayCreateRequest) (*pluginpb.MayCreateResponse, error) {
	workloads, err := allIn(q.GetObjects())
	if err != nil {
		return nil, err
	}
	if q.GetAdmitted() {
		if reason := takenBack(workloads); reason != "" {
			return &pluginpb.MayCreateResponse{Evict: &pluginpb.Eviction{Reason: reason}}, nil
		}
	}
	if reason := whyTheyWait(workloads); reason != "" {
		return &pluginpb.MayCreateResponse{Reason: reason}, nil
	}
	s, err := read(q.GetParameters())
	if err != nil {
		return &pluginpb.MayCreateResponse{Reason: err.Error()}, nil
	}
	patches, err := s.patchesFor(workloads, q.GetRoles())
	if err != nil {
		return &pluginpb.MayCreateResponse{Reason: err.Error()}, nil
	}
	return &pluginpb.MayCreateResponse{Yes: true, Patches: patches}, nil
}

// allIn returns nil for a Workload that is gone.
func allIn(objects [][]byte) ([]*workload, error) {
	var out []*workload
	for _, text := range objects {
		w, err := workloadIn(text)
		if err != nil {
			return nil, err
		}
		out = append(out, w)
	}
	return out, nil
}

// Command admitter is a plugin of the tests: the side of the controller of a scheduler that admits gangs, and takes them back.
// The scheduler is played by the test: it writes the status of the object of the attempt.
package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/test/admitter/admission"
)

// object is the admission object of an attempt.
type object struct {
	APIVersion string           `json:"apiVersion"`
	Kind       string           `json:"kind"`
	Metadata   metadata         `json:"metadata"`
	Spec       spec             `json:"spec"`
	Status     admission.Answer `json:"status,omitzero"`
}

type metadata struct {
	Name string `json:"name"`
}

type spec struct {
	Queue string `json:"queue"`
	Pods  int32  `json:"pods"` // number of Pods that exist or will be created
}

type admitter struct{}

func (admitter) Hint(_ context.Context, q *pluginpb.HintRequest) (*pluginpb.HintResponse, error) {
	queue := q.GetScheduling().GetQueue()
	if queue == "" {
		return nil, nil
	}
	a := object{
		APIVersion: "example.com/v1", Kind: "Admission",
		Metadata: metadata{fmt.Sprintf("%s-%d", q.GetFramework().GetName(), q.GetFramework().GetAttemptId())},
		Spec:     spec{Queue: queue},
	}
	for _, role := range q.GetRoles() {
		a.Spec.Pods += role.GetTaskNumber() - role.GetCompletedTaskCount()
	}
	text, err := json.Marshal(a)
	if queue == admission.UnknownField {
		return &pluginpb.HintResponse{Patches: []*pluginpb.PodPatch{{TaskRole: q.GetRoles()[0].GetName(), SpecJson: []byte(`{"noSuchField": {"a": "b"}}`)}}}, nil
	}
	return &pluginpb.HintResponse{Objects: []*pluginpb.Object{{Json: text}}, Wait: true, Watch: true, FollowTasks: true}, err
}

func (admitter) MayCreate(_ context.Context, q *pluginpb.MayCreateRequest) (*pluginpb.MayCreateResponse, error) {
	var a object
	if len(q.GetObjects()) == 0 || len(q.GetObjects()[0]) == 0 {
		return &pluginpb.MayCreateResponse{Reason: "the Admission is gone"}, nil
	}
	if err := json.Unmarshal(q.GetObjects()[0], &a); err != nil {
		return nil, err
	}
	switch a.Status.Phase {
	case admission.Admitted:
		answer := &pluginpb.MayCreateResponse{Yes: true}
		for _, role := range q.GetRoles() {
			answer.Patches = append(answer.Patches, &pluginpb.PodPatch{TaskRole: role.GetName(), Labels: map[string]string{"pool": "fast"}})
		}
		if a.Spec.Queue == admission.UnknownRole {
			answer.Patches = append(answer.Patches, &pluginpb.PodPatch{TaskRole: "gone"})
		}
		return answer, nil
	case admission.Evicted:
		return &pluginpb.MayCreateResponse{Evict: &pluginpb.Eviction{Reason: a.Status.Message, GraceSeconds: a.Status.GraceSeconds}}, nil
	}
	return &pluginpb.MayCreateResponse{Reason: fmt.Sprintf("queue %s has no room yet", a.Spec.Queue)}, nil
}

func main() { plugin.Serve(plugin.Plugin{Version: "1.0.0", SchedulerHints: admitter{}}) }

package kueue

import (
	"encoding/json"
	"fmt"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

// workload is as much as is needed of Kueue's kind.
type workload struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Metadata   metadata `json:"metadata"`
	Spec       spec     `json:"spec"`
	Status     status   `json:"status,omitzero"`
}

type metadata struct {
	Name        string            `json:"name"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type spec struct {
	Active           *bool     `json:"active,omitempty"` // nil means true
	QueueName        string    `json:"queueName"`
	PriorityClassRef *classRef `json:"priorityClassRef,omitempty"`
	Priority         *int32    `json:"priority,omitempty"`
	PodSets          []podSet  `json:"podSets"`
}

type podSet struct {
	Name            string           `json:"name"`
	Count           int32            `json:"count"`
	MinCount        *int32           `json:"minCount,omitempty"`
	TopologyRequest *topologyRequest `json:"topologyRequest,omitempty"`
	Template        template         `json:"template"`
}

// annotationTasks lists the Tasks of a Workload.
const annotationTasks = "frameworkcontroller.microsoft.com/tasks"

// stretch is some Tasks of a role, the first and the last among them, and the pod set that they are in.
type stretch struct {
	Role   string `json:"role"`
	PodSet string `json:"podSet"`
	First  int32  `json:"first"`
	Last   int32  `json:"last"`
}

// stretches returns the Tasks of the Workload; none without the annotation.
func (w *workload) stretches() []stretch {
	var out []stretch
	_ = json.Unmarshal([]byte(w.Metadata.Annotations[annotationTasks]), &out)
	return out
}

func (w *workload) setStretches(all []stretch) {
	w.Metadata.Annotations = map[string]string{annotationTasks: string(gang.JSON(all))}
}

// object never changes once it is made, see the comment of the package.
func (w *workload) object() *pluginpb.Object {
	out := gang.Object(w)
	out.OnUpdate = pluginpb.Object_KEEP
	return out
}

// workloadIn returns nil if the Workload is gone.
func workloadIn(text []byte) (*workload, error) {
	if len(text) == 0 {
		return nil, nil
	}
	w := &workload{}
	if err := json.Unmarshal(text, w); err != nil {
		return nil, fmt.Errorf("reading a Workload: %w", err)
	}
	return w, nil
}

// toldIn returns, for each Workload, the status that an earlier answer for the attempt wrote.
func toldIn(previous *pluginpb.HintResponse) map[string][]byte {
	out := map[string][]byte{}
	for _, o := range previous.GetObjects() {
		if w, err := workloadIn(o.GetJson()); err == nil && w != nil {
			out[w.Metadata.Name] = o.GetStatusJson()
		}
	}
	return out
}

// workloadsIn returns the Workloads of an earlier answer for the attempt.
func workloadsIn(previous *pluginpb.HintResponse) ([]*workload, error) {
	var out []*workload
	for _, o := range previous.GetObjects() {
		w, err := workloadIn(o.GetJson())
		if err != nil {
			return nil, err
		}
		if w != nil {
			out = append(out, w)
		}
	}
	return out, nil
}

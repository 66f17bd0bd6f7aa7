package hived

import (
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// devices is the environment that shows a container only the GPUs that HiveD gave to its Pod. HiveD writes the annotation
// when it places the Pod.
const devices = `[{"name":"NVIDIA_VISIBLE_DEVICES","valueFrom":{"fieldRef":{"fieldPath":"metadata.annotations['` + annotationIsolation + `']"}}}]`

func (s settings) patch(r role, spec schedulingSpec) *pluginpb.PodPatch {
	return &pluginpb.PodPatch{
		TaskRole:      r.name,
		Annotations:   map[string]string{annotationSpec: spec.of(r.leafCellNumber)},
		SchedulerName: s.SchedulerName,
		Containers: []*pluginpb.ContainerPatch{
			{Name: r.container, EnvJson: []byte(devices), Limits: map[string]string{limitEnable: "1"}},
		},
	}
}

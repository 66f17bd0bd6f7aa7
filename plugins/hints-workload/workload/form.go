package workload

import (
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// apiGroup has the kinds Workload and PodGroup.
const apiGroup = "scheduling.k8s.io"

// form is a version of the API. Each Kubernetes release serves only one.
type form struct {
	version string
	// podGroups are objects of their own, and Pods refer to them. Otherwise they are only a part of the Workload.
	podGroups bool
	// grows: the minimum of a group may be changed, so that it can include added Tasks.
	grows bool
	// groupPriority: the priority of the group counts, not the one of its Pods, whether the Framework names one or not.
	groupPriority bool
	// onUpdate is the effect of a later answer on objects.
	onUpdate pluginpb.Object_OnUpdate
}

var forms = map[string]form{
	// Nothing keeps a Workload when it is deleted, and running Pods no longer need it: so it can be replaced.
	"v1alpha1": {version: "v1alpha1", onUpdate: pluginpb.Object_REPLACE},
	// A PodGroup has a finalizer while it has Pods: replacing it would take until all of them have ended. Setting its priority needs
	// another feature gate, so it is set only if the Framework asks for it.
	"v1alpha2": {version: "v1alpha2", podGroups: true, onUpdate: pluginpb.Object_KEEP},
	"v1beta1":  {version: "v1beta1", podGroups: true, grows: true, groupPriority: true, onUpdate: pluginpb.Object_APPLY},
}

// needsPriority reports whether a group carries the priority in this form.
func (f form) needsPriority(s *pluginpb.Scheduling) bool {
	return f.groupPriority || f.podGroups && s.GetPriorityClassName() != ""
}

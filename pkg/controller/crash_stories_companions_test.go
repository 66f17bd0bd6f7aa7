package controller

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// withCompanions asks for names and keys.
func withCompanions(s *v1.FrameworkSpec) {
	s.Network, s.SSH = &v1.NetworkSpec{DNS: true}, &v1.SSHSpec{MountPath: "/root/.ssh"}
}

// companionStories are the stories about the Service and the Secret of a Framework.
func companionStories() []story {
	return []story{
		{name: "names and keys", spec: edits(withCompanions), exit: once(hasCompanions, 0)},
		{
			name: "names and keys for a while, and others interfere",
			spec: edits(withCompanions),
			exit: once(func(s scene) bool { return s.seen() && s.status.ServiceName == "" && s.status.SecretName == "" }, 0),
			steps: []step{
				// The Service is deleted last: its watch makes the controller check both, and Secrets, which are not watched, are checked
				// only every few minutes.
				{hasCompanions, func(w *world) { w.Delete(apitest.Secrets, "a-ssh"); w.Delete(apitest.Services, "a") }},
				{hasCompanions, selectNothing},
				{hasCompanions, respec()},
			},
		},
		companionConflict(apitest.Services, "a"),
		companionConflict(apitest.Secrets, "a-ssh"),
	}
}

// companionConflict is the story of a name that somebody else uses for a while.
func companionConflict(resource, name string) story {
	o := &unstructured.Unstructured{}
	o.SetName(name)
	return story{
		name:  "the name of a companion is taken: " + name,
		spec:  edits(withCompanions),
		begin: func(w *world) { w.Create(resource, o) },
		exit:  once(func(s scene) bool { return hasCompanions(s) && s.Get(resource, name).GetOwnerReferences() != nil }, 0),
		steps: []step{{waits, func(w *world) { w.Delete(resource, name) }}},
	}
}

// hasCompanions reports whether both companions are there, as they ought to be, and a Task runs.
func hasCompanions(s scene) bool {
	service, secret := s.Get(apitest.Services, "a"), s.Get(apitest.Secrets, "a-ssh")
	if service == nil || secret == nil || s.running() != 1 {
		return false
	}
	early, _, _ := unstructured.NestedBool(service.Object, "spec", "publishNotReadyAddresses")
	return early
}

func selectNothing(w *world) {
	w.Set(apitest.Services, "a", false, "spec", "publishNotReadyAddresses")
}

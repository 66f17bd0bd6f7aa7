package controller

import (
	"maps"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/waiting"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/statusjson"
)

// record is the state of one Framework in this process: the events, which come in at any time, and its memory, which belongs
// to the Framework's round.
type record struct {
	key     cache.ObjectName
	mailbox mailbox
	ended   atomic.Bool // the Framework is Completed, as of the last round
	// avoidByHostname is Options.AvoidByHostname.
	avoidByHostname bool
	memory
}

// memory is the knowledge about one Framework between rounds; each part has its own type. None of it is needed after a
// restart.
type memory struct {
	uid       types.UID             // of the object that this memory is about; empty before the first round
	framework lifecycle.Framework   // as last read; the numbers of Tasks in its spec follow the items
	given     *v1.FrameworkSpec     // as last read
	items     map[string]*roleItems // by role
	leftOut   leftOut
	builders  *podBuilders // of the roles of the spec; nil if they have to be rebuilt

	stored     stored
	status     savedStatus
	schedule   schedule
	dependents dependents
	blockers   blockers
	reported   reported
	desired    *desired
	questions  questions
	archive    archive
	logs       logs
}

// reset starts the memory of another Framework of the same name.
func (r *record) reset(uid types.UID, compressEarly bool) {
	pods, early := map[string]*facts{}, r.reported.early
	if r.uid == "" {
		maps.Copy(pods, r.dependents.pods) // of events that came before the Framework was known
	}
	r.forget()
	r.memory = memory{
		uid:        uid,
		stored:     stored{unread: true},
		status:     savedStatus{encoder: statusjson.Encoder{Early: compressEarly}},
		schedule:   schedule{full: true},
		dependents: dependents{pods: pods, stalls: map[lifecycle.TaskRef]waiting.Stall{}},
		blockers:   newBlockers(),
		reported:   reported{warned: warned{}, early: early},
		desired:    &desired{},
		questions:  newQuestions(),
	}
}

// forget drops the memory, and the pending work for the Framework.
func (r *record) forget() {
	if r.desired != nil {
		r.desired.set(nil, false)
	}
	r.memory = memory{}
	r.ended.Store(false)
}

func (r *record) podName(ref lifecycle.TaskRef) string {
	return v1.PodName(r.key.Name, ref.Role, ref.Index)
}

// factsAbout returns the facts about the object of an action.
func (r *record) factsAbout(a lifecycle.Action) *facts {
	if ref, ok := taskOf(a); ok {
		return r.dependents.pod(r.podName(ref))
	}
	if c, ok := companionOf(a); ok {
		return &r.dependents.companion(c).facts
	}
	if c, ok := claimOf(a); ok {
		return &r.dependents.claims.claim(c).facts
	}
	switch a := a.(type) {
	case lifecycle.ReadItems:
		return &r.itemsOf(a.Role).facts
	case lifecycle.DeleteFramework:
		return &r.dependents.self
	}
	return &r.dependents.configMap
}

// nameOf returns the name of an action's object, which is no name of an object for items; empty for the Framework itself.
func (r *record) nameOf(a lifecycle.Action) string {
	if ref, ok := taskOf(a); ok {
		return r.podName(ref)
	}
	if c, ok := companionOf(a); ok {
		return c.Name(r.key.Name)
	}
	if c, ok := claimOf(a); ok {
		return "PersistentVolumeClaim " + c.Name(r.key.Name) // a Pod may have the same name
	}
	switch a := a.(type) {
	case lifecycle.ReadItems:
		return "items of role " + a.Role
	case lifecycle.DeleteFramework:
		return ""
	}
	return configMapName(r)
}

func owner(r *record) objects.Owner {
	return objects.Owner{Namespace: r.key.Namespace, Name: r.key.Name, UID: r.uid}
}

func configMapName(r *record) string { return v1.ConfigMapName(r.key.Name) }

func (r *record) uses() []v1.PluginUse { return r.framework.Spec.Plugins }

// releaseMemory drops data that a completed Framework no longer needs: it may be kept for weeks, beside thousands of others. A
// later write, after an edit of the spec or a status changed by others, rebuilds its data.
func (r *record) releaseMemory() {
	r.builders, r.items = nil, nil
	r.status.encoder.Forget()
	r.questions = r.questions.ofTheEnd() // any other answer under way makes a round, and is dropped after it
	r.dependents.stalls = map[lifecycle.TaskRef]waiting.Stall{}
	r.dependents.pods = nil
	r.logs = logs{}
	if len(r.blockers.failures) == 0 {
		r.blockers.failures = map[string]failedAction{} // an emptied map keeps its largest size
	}
}

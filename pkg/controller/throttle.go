package controller

import (
	"slices"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// largeTemplate is from how many bytes of a template on the first Pod of a spec is sent alone. What it costs the API
// server, which may be seconds of its processor for 14 KB, shows only then. Most templates are smaller.
const largeTemplate = 2 << 10

func hasLargeTemplate(spec *v1.FrameworkSpec) bool {
	return slices.ContainsFunc(spec.TaskRoles, func(r v1.TaskRoleSpec) bool { return len(r.Task.Pod) >= largeTemplate })
}

// startable leaves out the actions that cannot begin now: one on the same object is under way, and its result
// will bring the question up again; or the Framework waits after a failure, and asks again afterwards.
func (r *record) startable(actions []lifecycle.Action, now time.Time) []lifecycle.Action {
	var able []candidate
	for _, a := range actions {
		if isQuestion(a) {
			continue
		}
		if f := r.factsAbout(a); !f.inFlight && r.mayBegin(a, f, now) {
			able = append(able, r.blockers.candidate(a, f))
		}
	}
	return r.withinCapacity(ordered(able), now)
}

// mayBegin reports whether nothing is to be waited for before the action about that object. If something is, it sees to it
// that the question comes up again.
func (r *record) mayBegin(a lifecycle.Action, about *facts, now time.Time) bool {
	notBefore := r.blockers.breaker(a).OpenUntil()
	switch a := a.(type) {
	case lifecycle.DeleteConfigMap:
		// The garbage collector would not wait for a Pod that is created after it has looked.
		if awaits, until := r.dependents.awaitPods(now); awaits {
			r.schedule.retryNotAfter(until)
			return false
		}
		if a.Force {
			notBefore = later(notBefore, r.dependents.releaseAt)
		}
	case lifecycle.CreatePod:
		notBefore = later(notBefore, about.creation.refusals.backoff.Until())
	}
	if now.Before(notBefore) {
		r.schedule.retryNotAfter(notBefore)
		return false
	}
	return true
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// withinCapacity leaves out the actions for which their breaker has no capacity. The answer to the probe brings them up again; if
// that is not sent after all, time does.
func (r *record) withinCapacity(actions []lifecycle.Action, now time.Time) (out []lifecycle.Action) {
	capacity := map[*flowcontrol.Breaker]int{}
	for _, a := range actions {
		b := r.blockers.breaker(a)
		if _, known := capacity[b]; !known {
			capacity[b] = b.Capacity()
		}
		if capacity[b] == 0 {
			r.schedule.retryNotAfter(now.Add(flowcontrol.MaxDelay))
			continue
		}
		capacity[b]--
		out = append(out, a)
	}
	return out
}

// breaker holds back creations of one kind, or everything else: a quota that refuses Pods must not keep others from being
// deleted.
func (b *blockers) breaker(a lifecycle.Action) *flowcontrol.Breaker {
	switch a.(type) {
	case lifecycle.CreateConfigMap:
		return b.configMaps
	case lifecycle.CreatePod:
		return b.pods
	case lifecycle.KeepCompanion:
		if b.companions == nil {
			b.companions = &flowcontrol.Breaker{} // few Frameworks have any
		}
		return b.companions
	}
	return b.others
}

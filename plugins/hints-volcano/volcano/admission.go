package volcano

import (
	"context"
	"fmt"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// mayCreate implements plugin.Waiter. Volcano admits a group when its queue has room for it. Its later state does not matter: while Pods
// come and go, an admitted group may be Pending again.
func mayCreate(_ context.Context, q *pluginpb.MayCreateRequest) (*pluginpb.MayCreateResponse, error) {
	group, err := groupIn(q.GetObjects())
	switch {
	case err != nil:
		return nil, err
	case group == nil && q.GetAdmitted():
		reason := "the PodGroup was deleted, and without it Volcano does not schedule the Pods that are still to come"
		return &pluginpb.MayCreateResponse{Evict: &pluginpb.Eviction{Reason: reason}}, nil
	case group == nil:
		return &pluginpb.MayCreateResponse{Reason: "the PodGroup was deleted; suspend the Framework and resume it, so that it gets another one"}, nil
	case q.GetAdmitted() || group.isIn():
		return &pluginpb.MayCreateResponse{Yes: true}, nil
	}
	return group.waits(q), nil
}

// isIn reports that Volcano has let the group in.
func (g *podGroup) isIn() bool { return g.Status.Phase != "" && g.Status.Phase != "Pending" }

// Volcano puts the reason of a group into events, some of which arrive only after the change of the group that triggers the question. So a
// group without a reason is asked about again after the first pause, which grows with the age of the group. Until then, no message asks the
// user to look for a mistake: Volcano looks at a new group within a second or two.
const (
	firstPause = 5 * time.Second
	lastPause  = 2 * time.Minute
)

// waits returns the answer for a group that is not admitted, with the reason.
func (g *podGroup) waits(q *pluginpb.MayCreateRequest) *pluginpb.MayCreateResponse {
	out := &pluginpb.MayCreateResponse{Reason: fmt.Sprintf("PodGroup %s waits in queue %s", g.Metadata.Name, g.Spec.Queue)}
	if words := wordsOf(g.Status.Conditions, q.GetEvents()); words != "" {
		out.Reason += ": " + words
		return out
	}
	if q.GetNow() == nil { // the controller is too old to send the time
		out.Reason += g.suspicion()
		return out
	}
	age := q.GetNow().AsTime().Sub(g.Metadata.CreationTimestamp)
	if age >= firstPause {
		out.Reason += g.suspicion()
	}
	out.RetryAfterSeconds = int32(min(max(age, firstPause), lastPause) / time.Second)
	return out
}

// suspicion names likely mistakes if Volcano gives no reason.
func (g *podGroup) suspicion() string {
	if g.Status.Phase == "" {
		return ", and Volcano has not looked at it yet: does the queue exist, is it open, and does Volcano run?"
	}
	return ", and Volcano names no reason: is the queue open?"
}

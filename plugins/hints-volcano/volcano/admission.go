package volcano

import (
	"context"
	"fmt"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// MayCreate implements plugin.Waiter. Volcano lets a group in when its queue has room for it. What becomes of it later is
// Volcano's business: while Pods come and go, a group that was let in may be Pending again.
func (hints) MayCreate(_ context.Context, q *pluginpb.MayCreateRequest) (*pluginpb.MayCreateResponse, error) {
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
	return &pluginpb.MayCreateResponse{Reason: group.whyItWaits(q.GetEvents())}, nil
}

// isIn reports that Volcano has let the group in.
func (g *podGroup) isIn() bool { return g.Status.Phase != "" && g.Status.Phase != "Pending" }

func (g *podGroup) whyItWaits(events []*pluginpb.ObjectEvent) string {
	waits := fmt.Sprintf("PodGroup %s waits in queue %s", g.Metadata.Name, g.Spec.Queue)
	words := wordsOf(g.Status.Conditions, events)
	switch {
	case words != "":
		return waits + ": " + words
	case g.Status.Phase == "":
		return waits + ", and Volcano has not looked at it yet: does the queue exist, is it open, and does Volcano run?"
	}
	return waits
}

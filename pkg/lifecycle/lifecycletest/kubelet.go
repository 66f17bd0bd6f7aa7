package lifecycletest

import (
	"fmt"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// runNodes lets the scheduler and the kubelets take one step with every Pod. It reports whether there was
// anything to do.
func (s *server) runNodes() bool {
	before := s.version
	for _, pod := range s.listed(pods, func(o *object) bool { return o.owner() != "" }) {
		s.runNode(pod)
	}
	return s.version != before
}

func (s *server) runNode(pod *object) {
	switch {
	case pod.deleting:
		s.stopPod(pod)
	case pod.pod.Phase == lifecycle.PodPending:
		s.startPod(pod)
	}
}

// startPod binds a Pod to a node, or starts its containers.
func (s *server) startPod(pod *object) {
	if s.crowded && pod.pod.NodeName == "" {
		s.findNoNode(pod)
		return
	}
	s.update(pod.name, func(o *object) {
		if o.pod.NodeName == "" {
			o.pod.NodeName, o.pod.HostIP = "node1", "192.168.0.1"
			o.pod.UnschedulableSince = time.Time{}
			return
		}
		o.pod.Phase, o.pod.executing = lifecycle.PodRunning, true
		o.pod.IP = fmt.Sprintf("10.0.%d.%d", o.version/250, o.version%250)
	})
}

func (s *server) findNoNode(pod *object) {
	if pod.pod.UnschedulableSince.IsZero() {
		s.update(pod.name, func(o *object) { o.pod.UnschedulableSince = s.now })
	}
}

// stopPod terminates a Pod that is being deleted: its containers first, which shows as a failure, then the
// object itself.
func (s *server) stopPod(pod *object) {
	if pod.pod.executing {
		s.exitPod(pod, outcome{exit: 143})
		return
	}
	s.remove(pod.name)
}

// outcome is how the containers of a Pod end.
type outcome struct {
	exit   int32
	reason string // of the Pod, such as Evicted
}

func (s *server) exitPod(pod *object, how outcome) {
	s.update(pod.name, func(o *object) {
		o.pod.executing = false
		o.pod.Phase = lifecycle.PodFailed
		if how == (outcome{}) {
			o.pod.Phase = lifecycle.PodSucceeded
		}
		o.pod.Outcome = completion.Pod{
			Name:       "demo-" + o.name.ref.String(),
			Reason:     how.reason,
			Containers: []completion.Container{how.container(s.now)},
		}
	})
}

// container is the Pod's only one. In a Pod that ended as a whole, such as by eviction, it did not terminate.
func (how outcome) container(now time.Time) completion.Container {
	switch {
	case how.reason != "":
		return completion.Container{Name: "c"}
	case how.exit == 0:
		return completion.Container{Name: "c", Terminated: true, Reason: "Completed", FinishedAt: now}
	}
	return completion.Container{Name: "c", Terminated: true, Reason: "Error", Code: how.exit, FinishedAt: now}
}

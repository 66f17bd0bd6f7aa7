package lifecycletest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/waiting"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
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
	case pod.pod.Phase == lifecycle.PodPending && slices.Contains(s.refusing, pod.pod.NodeName):
		s.refusePod(pod)
	case pod.pod.Phase == lifecycle.PodPending && !pod.stalled():
		s.startPod(pod)
	}
}

// stalled reports whether the node cannot start the Pod, or runs its init container.
func (o *object) stalled() bool {
	return o.pod.NodeName != "" && (o.pod.StallCause != nil || o.pod.initializing)
}

// stall: "stall a-0 <reason> <container> <words>": the Pod's node does not start it, or restarts it again and again, for a
// reason, or the scheduler has a reason not to place it. "stall a-0": the reason is gone.
func (s *Story) stall(args []string, _ string) error {
	if len(args) == 0 {
		return fmt.Errorf("stall wants a Pod")
	}
	n, err := parsePod(args[0])
	if err != nil {
		return err
	}
	pod := s.server.objects[n]
	if pod == nil || pod.owner() == "" || (pod.pod.NodeName == "") != (len(args) > 1 && ofScheduler[reason.Waiting(args[1])]) {
		return nil
	}
	var cause *waiting.Cause
	if args = append(args[1:], "", ""); args[0] != "" {
		cause = &waiting.Cause{Reason: reason.Waiting(args[0]), Container: args[1], Words: strings.TrimSpace(strings.Join(args[2:], " ")), Since: s.server.now}
		if old := pod.pod.StallCause; old != nil {
			cause.Since = old.Since
		}
		if cause.Reason == reason.ContainersLeft {
			cause.Left = "proxy"
		}
		if cause.Reason == reason.ContainerCrashing {
			cause.Over = s.server.now.Add(10 * time.Minute)
		}
	}
	s.server.update(n, func(o *object) { o.pod.StallCause = cause })
	return nil
}

// ofScheduler lists the reasons of Pods without a node.
var ofScheduler = map[reason.Waiting]bool{
	reason.Unschedulable: true, reason.SchedulingGated: true, reason.PodNotScheduled: true,
}

// initialize: "initialize a-0": an init container of a Pod that has a node runs. "initialize a-0 done": it has ended.
func (s *Story) initialize(args []string, _ string) error {
	if len(args) == 0 {
		return fmt.Errorf("initialize wants a Pod")
	}
	n, err := parsePod(args[0])
	if pod := s.server.objects[n]; err == nil && pod != nil && pod.owner() != "" && pod.pod.NodeName != "" {
		runs := len(args) == 1
		s.server.update(n, func(o *object) {
			if o.pod.initializing = runs; runs {
				o.pod.StallCause = nil
			}
		})
	}
	return err
}

// ready: "ready a-0": the Pod is ready, if it runs. "ready a-0 no": it no longer is.
func (s *Story) ready(args []string, _ string) error {
	if len(args) == 0 {
		return fmt.Errorf("ready wants a Pod")
	}
	n, err := parsePod(args[0])
	if pod := s.server.objects[n]; err == nil && pod != nil && pod.owner() != "" && pod.pod.executing {
		s.server.update(n, func(o *object) { o.pod.Ready = len(args) == 1 })
	}
	return err
}

// reject: "reject a-0 <words>": the scheduler's message about a Pod without a node, after its latest attempt.
func (s *Story) reject(args []string, _ string) error {
	if len(args) == 0 {
		return fmt.Errorf("reject wants a Pod")
	}
	n, err := parsePod(args[0])
	if err != nil {
		return err
	}
	pod := s.server.objects[n]
	if pod == nil || pod.owner() == "" || pod.pod.StallCause == nil || pod.pod.NodeName != "" {
		return nil
	}
	cause := *pod.pod.StallCause
	cause.Words = strings.Join(args[1:], " ")
	s.server.update(n, func(o *object) { o.pod.StallCause = &cause })
	return nil
}

// startPod binds a Pod to a node, or starts its containers.
func (s *server) startPod(pod *object) {
	node := s.nodeFor(pod)
	if pod.pod.NodeName == "" && node == "" {
		s.findNoNode(pod)
		return
	}
	s.update(pod.name, func(o *object) {
		if o.pod.NodeName == "" {
			o.pod.NodeName, o.pod.HostIP = node, "192.168.0.1"
			o.pod.StallCause = nil
			return
		}
		o.pod.Phase, o.pod.executing = lifecycle.PodRunning, true
		o.pod.IP = fmt.Sprintf("10.0.%d.%d", o.version/250, o.version%250)
	})
}

// refusePod fails a Pod that its node does not admit. No container of it has a status.
func (s *server) refusePod(pod *object) {
	s.update(pod.name, func(o *object) { o.end(lifecycle.PodFailed, completion.Pod{Reason: "OutOfcpu"}) })
}

// findNoNode sets the cause of a Pod that may be scheduled and fits no node.
func (s *server) findNoNode(pod *object) {
	cause := &waiting.Cause{
		Reason: reason.Unschedulable, Words: "0/1 nodes are available", Since: s.now,
		AvoidanceBars: pod.pod.AvoidsStrictly && !s.crowded && len(s.nodes) > 0,
	}
	switch c := pod.pod.StallCause; {
	case c == nil || c.Reason == reason.SchedulingGated:
	case c.Reason == reason.Unschedulable && c.AvoidanceBars != cause.AvoidanceBars:
		cause.Since, cause.Words = c.Since, c.Words
	default:
		return
	}
	s.update(pod.name, func(o *object) { o.pod.StallCause = cause })
}

// stopPod terminates a Pod that is being deleted: its containers first, which shows as a failure, then the
// object itself.
func (s *server) stopPod(pod *object) {
	if pod.pod.executing {
		s.exitPod(pod, outcome{exit: 143})
		return
	}
	if pod.pod.finalizer == "" {
		s.remove(pod.name)
	}
}

// outcome is how the containers of a Pod end.
type outcome struct {
	exit   int32
	reason string // the Pod's, such as Evicted
	oom    bool   // the container used too much memory
}

func (s *server) exitPod(pod *object, how outcome) {
	phase := lifecycle.PodFailed
	ended := pod.pod.memory.enter(how.container(s.now))
	if how == (outcome{}) {
		phase = lifecycle.PodSucceeded
	}
	s.update(pod.name, func(o *object) {
		o.end(phase, completion.Pod{Reason: how.reason, Containers: []completion.Container{ended}})
	})
}

// onNode reports whether a Pod of the Framework is on a node and has not ended.
func (o *object) onNode() bool {
	return o.owner() != "" && o.pod.NodeName != "" && (o.pod.Phase == lifecycle.PodPending || o.pod.Phase == lifecycle.PodRunning)
}

func (o *object) end(phase lifecycle.PodPhase, how completion.Pod) {
	o.pod.executing, o.pod.StallCause, o.pod.Ready = false, nil, false
	o.pod.Phase = phase
	if o.pod.Over != "" {
		return // its completion containers have ended before, and the outcome is theirs
	}
	how.Name = "demo-" + o.name.ref.String()
	o.pod.Outcome = how
}

// complete: "complete a-0 <code>": the container that completes a Pod ends, and another one runs on.
func (s *Story) complete(args []string, _ string) error {
	if len(args) != 2 {
		return fmt.Errorf("complete wants a Pod and a code")
	}
	n, err := parsePod(args[0])
	if err != nil {
		return err
	}
	code, err := strconv.ParseInt(args[1], 10, 32)
	if err != nil {
		return err
	}
	if pod := s.server.objects[n]; pod == nil || !pod.pod.executing {
		return nil
	}
	s.server.update(n, func(o *object) {
		o.pod.Over = lifecycle.PodSucceeded
		if code != 0 {
			o.pod.Over = lifecycle.PodFailed
		}
		o.pod.Outcome = completion.Pod{
			Name:       "demo-" + o.name.ref.String(),
			Containers: []completion.Container{outcome{exit: int32(code)}.container(s.server.now)},
		}
	})
	return nil
}

// container is the Pod's only one. In a Pod that ended as a whole, such as by eviction, it did not terminate.
func (how outcome) container(now time.Time) completion.Container {
	switch {
	case how.reason != "":
		return completion.Container{Name: "c"}
	case how.oom:
		return completion.Container{Name: "c", Terminated: true, Reason: "OOMKilled", Code: how.exit, FinishedAt: now}
	case how.exit == 0:
		return completion.Container{Name: "c", Terminated: true, Reason: "Completed", FinishedAt: now}
	}
	return completion.Container{Name: "c", Terminated: true, Reason: "Error", Code: how.exit, FinishedAt: now}
}

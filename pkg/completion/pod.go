package completion

import (
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Pod holds the facts about an ended Pod that its classification needs.
type Pod struct {
	// metadata.name, status.reason and status.message.
	Name, Reason, Message string
	// Init containers first, then app containers, each in status order; no ephemeral ones.
	Containers []Container
	// Disruption by which Kubernetes ended the Pod; nil if the Pod has no such condition.
	Disruption *Disruption
}

// Container holds the facts about one container of an ended Pod. Code, Signal, Reason, Message and FinishedAt
// are the fields of state.terminated, and mean nothing unless Terminated is set. lastState is ignored. MemoryLimit and MemoryRequest are in
// bytes, as the Pod has them; 0 if it has none.
type Container struct {
	Name string
	// An init container; Restartable marks one that runs beside the app containers (a sidecar).
	Init, Restartable bool
	Terminated        bool
	Code, Signal      int32
	Reason, Message   string
	FinishedAt        time.Time

	MemoryLimit, MemoryRequest int64
}

// reasonOutOfMemory is the reason that the kubelet gives for a container that used more memory than it may.
const reasonOutOfMemory = "OOMKilled"

// OutOfMemory returns the containers that the kubelet reports as out of memory.
func (p Pod) OutOfMemory() (out []Container) {
	for _, c := range p.Containers {
		if c.Terminated && c.Reason == reasonOutOfMemory {
			out = append(out, c)
		}
	}
	return out
}

// FailedLast returns the container by which the built-in rules judge a failure; failed is false if no container failed.
func (p Pod) FailedLast() (c Container, failed bool) { return lastFailed(p.suspects()) }

func (c Container) failed() bool {
	return c.Terminated && c.Code != 0
}

// Status returns what completionStatus.pod stores about the Pod. A container that did not terminate is listed
// with its name and code 0.
func (p Pod) Status() *v1.PodCompletionStatus {
	s := &v1.PodCompletionStatus{Reason: p.Reason, Message: p.Message}
	for _, c := range p.Containers {
		s.Containers = append(s.Containers, c.status())
	}
	return s
}

func (c Container) status() v1.ContainerCompletionStatus {
	if !c.Terminated {
		return v1.ContainerCompletionStatus{Name: c.Name}
	}
	return v1.ContainerCompletionStatus{
		Name: c.Name, Reason: c.Reason, Message: c.Message, Signal: c.Signal, Code: c.Code,
	}
}

// suspects returns the containers that may explain the failure. A sidecar is among them only if no other container failed: it is
// stopped once the app containers end, and its exit code then shows nothing.
func (p Pod) suspects() []Container {
	var others []Container
	failed := false
	for _, c := range p.Containers {
		if !c.Restartable {
			others = append(others, c)
			failed = failed || c.failed()
		}
	}
	if failed {
		return others
	}
	return p.Containers
}

// lastFailed returns the container that failed last; of several at the same time the first in the list.
func lastFailed(cs []Container) (Container, bool) {
	var last Container
	for _, c := range cs {
		if c.failed() && (!last.failed() || c.FinishedAt.After(last.FinishedAt)) {
			last = c
		}
	}
	return last, last.failed()
}

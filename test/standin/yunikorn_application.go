package main

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// state is the state of an application.
type state string

const (
	stateReserving state = "Reserving" // its placeholders are not all placed
	stateRunning   state = "Running"
	stateFailed    state = "Failed"
	stateCompleted state = "Completed" // final
)

// application is the set of Pods with the same id.
type application struct {
	id, queue string
	groups    []taskGroup
	hard      bool          // it fails when its placeholders are not placed in time
	timeout   time.Duration // for the placeholders

	state      state
	held       []placeholder
	since      time.Time // when the first placeholder was placed
	idle       time.Time // since when it has had no Pods; zero if it has some
	pods       []types.UID
	failedWith map[types.UID]bool
}

// taskGroup is the number of placeholders of one shape.
type taskGroup struct {
	Name        string              `json:"name"`
	MinMember   int                 `json:"minMember"`
	MinResource corev1.ResourceList `json:"minResource"`
}

func (g taskGroup) cpu() int64 { return g.MinResource.Cpu().MilliValue() }

// placeholder holds a place for a Pod of its task group.
type placeholder struct {
	group, node string
	cpu         int64
}

// applicationOf returns the application that begins with a Pod. Task groups are read from no other Pod.
func applicationOf(id string, p pod) *application {
	a := &application{id: id, queue: p.Annotations["yunikorn.apache.org/queue"], timeout: 15 * time.Minute, state: stateRunning}
	if json.Unmarshal([]byte(p.Annotations["yunikorn.apache.org/task-groups"]), &a.groups) == nil && len(a.groups) > 0 {
		a.state = stateReserving
	}
	for _, parameter := range strings.Fields(p.Annotations["yunikorn.apache.org/schedulingPolicyParameters"]) {
		key, value, _ := strings.Cut(parameter, "=")
		switch key {
		case "gangSchedulingStyle":
			a.hard = value == "Hard"
		case "placeholderTimeoutInSeconds":
			if d, err := time.ParseDuration(value + "s"); err == nil {
				a.timeout = d
			}
		}
	}
	return a
}

// count looks at the Pods that it has. When it has had none for a while, it ends.
func (a *application) count(pods []pod, now time.Time, completing time.Duration) {
	a.pods = nil
	for _, p := range pods {
		if !p.hasEnded() {
			a.pods = append(a.pods, p.UID)
		}
	}
	switch {
	case len(a.pods) > 0:
		a.idle = time.Time{}
	case a.idle.IsZero():
		a.idle = now
	case now.Sub(a.idle) > completing && a.state != stateFailed:
		a.state, a.held = stateCompleted, nil
	}
}

// isForgotten: it has failed, and its last Pod is gone or has ended. A Pod with its id starts a new one.
func (a *application) isForgotten() bool { return a.state == stateFailed && len(a.pods) == 0 }

// reserve places as many placeholders as it can, and checks the timeout.
func (a *application) reserve(s *shares, now time.Time) {
	if a.state == stateReserving && a.placeAll(s, now) {
		a.state = stateRunning
	}
	if a.since.IsZero() || now.Sub(a.since) <= a.timeout {
		return
	}
	a.held = nil // also places for which no Pod has arrived
	switch {
	case a.state == stateReserving && a.hard:
		a.state, a.failedWith = stateFailed, map[types.UID]bool{}
		for _, uid := range a.pods {
			a.failedWith[uid] = true
		}
	case a.state == stateReserving:
		a.state = stateRunning
	}
}

// placeAll reports whether each placeholder has its place. Placed ones keep it while others wait. The timeout begins with the first one.
func (a *application) placeAll(s *shares, now time.Time) bool {
	for _, g := range a.groups {
		for range g.MinMember - a.heldFor(g.Name) {
			node, found := s.take(a.queue, g.cpu())
			if !found {
				return false
			}
			a.held = append(a.held, placeholder{g.Name, node, g.cpu()})
			if a.since.IsZero() {
				a.since = now
			}
		}
	}
	return true
}

func (a *application) heldFor(group string) int {
	n := 0
	for _, h := range a.held {
		if h.group == group {
			n++
		}
	}
	return n
}

// takePlaceholder gives a Pod the place of a placeholder of the same shape.
func (a *application) takePlaceholder(p pod) (node string, found bool) {
	i := slices.IndexFunc(a.held, func(h placeholder) bool {
		return h.group == p.Annotations["yunikorn.apache.org/task-group-name"] && h.cpu == p.cpu()
	})
	if i < 0 {
		return "", false
	}
	node = a.held[i].node
	a.held = slices.Delete(a.held, i, i+1)
	return node, true
}

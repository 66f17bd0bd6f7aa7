package main

import "fmt"

// session is one look of Volcano at everything.
type session struct {
	room   room // free capacity
	queues map[string]*queue
	gangs  []*gang // by priority, then by age

	victims []pod // Pods to evict
}

// share gives the groups their Pods. A Pod without a group that exists is left alone.
func (s *session) share(pods []pod) {
	for _, p := range pods {
		for _, g := range s.gangs {
			if g.Namespace != p.Namespace || g.Name != p.Annotations["scheduling.k8s.io/group-name"] {
				continue
			}
			g.pods = append(g.pods, p)
			if q := s.queues[g.Spec.Queue]; q != nil && p.isThere() {
				q.taken += p.cpu()
			}
		}
	}
}

// enqueue admits groups, as long as their minimum requests, whatever they have, fit beside the existing Pods and the room promised to
// others. It does not look at single nodes. A group whose queue does not exist is ignored.
func (s *session) enqueue() {
	var promised int64
	for _, g := range s.gangs {
		if q := s.queues[g.Spec.Queue]; q != nil && g.Status.Phase == phaseInqueue {
			promised += g.minCPU()
			q.taken += g.minCPU()
		}
	}
	for _, g := range s.gangs {
		q := s.queues[g.Spec.Queue]
		if q == nil || !g.isPending() {
			continue
		}
		switch {
		case !q.isOpen():
			// Volcano names no reason.
		case !q.hasRoom(g.minCPU()):
			g.waits = "queue resource quota insufficient: insufficient cpu"
		case promised+g.minCPU() > s.room.sum():
			g.waits = "resource in cluster is overused: overused cpu"
		default:
			g.phase = phaseInqueue
			promised += g.minCPU()
			q.taken += g.minCPU()
			continue
		}
		g.phase = phasePending
	}
}

// allocate gives groups that were let in their places, if that makes their minimum complete.
func (s *session) allocate() {
	for _, g := range s.gangs {
		if s.queues[g.Spec.Queue] == nil || g.isPending() {
			continue
		}
		trial := s.room.clone()
		places := g.placesIn(trial)
		if !g.isReady(places) {
			g.unschedulable = fmt.Sprintf("%d/%d tasks in gang unschedulable: pod group is not ready, %d minAvailable",
				len(g.waiting()), len(g.pods), g.Spec.MinMember)
			continue
		}
		s.room, g.places = trial, places
	}
}

package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// hived plays HiveD, with the kube-scheduler that it extends: the first Pod of an affinity group gets cells for the whole
// group, or none, and each Pod is bound to its own. The cells stay the group's until its last Pod has ended.
type hived struct {
	clients
	cells  cellConfig
	groups map[string]*affinityGroup // by name
}

// affinityGroup is a group that has cells.
type affinityGroup struct {
	spec  schedulingSpec
	seats []*seat
}

// seat is the cells for one Pod.
type seat struct {
	node  string
	cells []int
	pod   types.UID // empty if it is free
}

func beginHived(config []byte, c clients) (scheduler, error) {
	h := &hived{clients: c, groups: map[string]*affinityGroup{}}
	return h, read(config, &h.cells)
}

func (h *hived) name() string { return "hivedscheduler" }

func (h *hived) pass(ctx context.Context, pods []pod) error {
	h.forget(pods)
	var errs []error
	for _, p := range pods {
		if !p.isWaiting() {
			continue
		}
		s, err := h.seatOf(p)
		switch {
		case errors.Is(err, errNoRoom):
			errs = append(errs, h.tell(ctx, p, corev1.PodReasonUnschedulable, "waiting for preemptible or free resource to appear: "+err.Error()))
		case err != nil: // kube-scheduler takes it for a fault of its extender
			errs = append(errs, h.tell(ctx, p, corev1.PodReasonSchedulerError, err.Error()))
		default:
			errs = append(errs, h.bind(ctx, p, s.node, map[string]string{annotationIsolation: s.isolation()}))
		}
	}
	return errors.Join(errs...)
}

// forget frees the seats of Pods that have ended, and the cells of groups without any other.
func (h *hived) forget(pods []pod) {
	there := map[types.UID]bool{}
	for _, p := range pods {
		there[p.UID] = !p.hasEnded()
	}
	for name, g := range h.groups {
		taken := 0
		for _, s := range g.seats {
			if !there[s.pod] {
				s.pod = ""
			} else {
				taken++
			}
		}
		if taken == 0 {
			delete(h.groups, name)
		}
	}
}

// seatOf finds the seat of a Pod, and gives its group cells if it is the first.
func (h *hived) seatOf(p pod) (*seat, error) {
	spec, wanted, err := specOf(p)
	if err != nil {
		return nil, err
	}
	g := h.groups[spec.AffinityGroup.Name]
	if g == nil {
		seats, err := h.place(spec)
		if err != nil {
			return nil, err
		}
		g = &affinityGroup{spec, seats}
		h.groups[spec.AffinityGroup.Name] = g
	}
	if !g.spec.equals(spec) {
		return nil, fmt.Errorf("affinity group %s has begun with another spec", spec.AffinityGroup.Name)
	}
	return g.seatFor(p.UID, wanted)
}

func (g *affinityGroup) seatFor(pod types.UID, cells int) (*seat, error) {
	for _, s := range g.seats {
		if s.pod == pod { // it is not bound yet
			return s, nil
		}
	}
	for _, s := range g.seats {
		if s.pod == "" && len(s.cells) == cells {
			s.pod = pod
			return s, nil
		}
	}
	return nil, fmt.Errorf("requesting more pods than the configured number for %d leaf cells in affinity group %s", cells, g.spec.AffinityGroup.Name)
}

// isolation lists the cells of the Pod, for its annotation.
func (s *seat) isolation() string {
	var out []string
	for _, cell := range s.cells {
		out = append(out, strconv.Itoa(cell))
	}
	return strings.Join(out, ",")
}

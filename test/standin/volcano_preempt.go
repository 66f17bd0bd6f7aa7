package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// preempt makes room for groups that were let in, and got no places, out of their queue: Pods of groups with a lower priority have to go,
// one by one. Those above the minimum go first, and the others only if that is not enough. The places are given in a later session, when
// these Pods have gone.
func (s *session) preempt() {
	for _, g := range s.gangs {
		if g.unschedulable == "" || len(g.waiting()) == 0 {
			continue
		}
		trial := s.soon()
		var victims []pod
		for _, p := range s.victimsBelow(g) {
			if g.isReady(g.placesIn(trial.clone())) {
				break
			}
			trial.free[p.Spec.NodeName] += p.cpu()
			victims = append(victims, p)
		}
		if g.isReady(g.placesIn(trial)) {
			s.victims = append(s.victims, victims...)
		}
	}
}

// soon is the room after the Pods that are terminating are gone.
func (s *session) soon() room {
	r := s.room.clone()
	for _, g := range s.gangs {
		for _, p := range g.pods {
			if p.isThere() && p.DeletionTimestamp != nil {
				r.free[p.Spec.NodeName] += p.cpu()
			}
		}
	}
	return r
}

// victimsBelow are the Pods that may have to go for a group, the first of them first.
func (s *session) victimsBelow(g *gang) []pod {
	var surplus, needed []pod
	for _, other := range s.gangs {
		if other.Spec.Queue != g.Spec.Queue || other.priority >= g.priority {
			continue
		}
		var there []pod
		for _, p := range other.pods {
			if p.isThere() && p.DeletionTimestamp == nil {
				there = append(there, p)
			}
		}
		least := min(other.Spec.MinMember, len(there))
		surplus, needed = append(surplus, there[least:]...), append(needed, there[:least]...)
	}
	return append(surplus, needed...)
}

// evict ends a victim, with the reason.
func (v *volcano) evict(ctx context.Context, p pod) error {
	changed := p.DeepCopy()
	for i, c := range changed.Status.Conditions {
		if c.Type == corev1.PodReady {
			changed.Status.Conditions[i] = corev1.PodCondition{Type: c.Type, Status: corev1.ConditionFalse, LastTransitionTime: metav1.Now(),
				Reason: "Evict", Message: "Pod is evicted, because of preempt"}
		}
	}
	if err := v.writeStatus(ctx, changed); err != nil {
		return err
	}
	return unlessChanged(v.core.CoreV1().Pods(p.Namespace).Delete(ctx, p.Name, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(p.UID))}))
}

// rank gives groups the priorities of their classes. The priority of their Pods does not count.
func (v *volcano) rank(ctx context.Context, gangs []*gang) error {
	classes, err := v.core.SchedulingV1().PriorityClasses().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	values := map[string]int32{}
	for _, c := range classes.Items {
		values[c.Name] = c.Value
	}
	for _, g := range gangs {
		g.priority = values[g.Spec.PriorityClassName]
	}
	return nil
}

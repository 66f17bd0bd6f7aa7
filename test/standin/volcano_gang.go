package main

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// The phases of a PodGroup. Volcano has looked at none without one.
const (
	phasePending   = "Pending"
	phaseInqueue   = "Inqueue"
	phaseRunning   = "Running"
	phaseUnknown   = "Unknown"
	phaseCompleted = "Completed"
)

// gang is a PodGroup of Volcano, with its Pods and a session's decisions about it.
type gang struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		MinMember     int                 `json:"minMember"`
		MinTaskMember map[string]int      `json:"minTaskMember"`
		MinResources  corev1.ResourceList `json:"minResources"`
		Queue         string              `json:"queue"`

		PriorityClassName string `json:"priorityClassName"`
	} `json:"spec"`
	Status groupStatus `json:"status"`

	priority      int32
	pods          []pod
	phase         string               // empty if the session has not changed it
	waits         string               // why it is not admitted
	unschedulable string               // why it gets no places
	places        map[types.UID]string // new ones
}

type groupStatus struct {
	Phase      string             `json:"phase"`
	Conditions []metav1.Condition `json:"conditions"`
}

func (s groupStatus) equals(other groupStatus) bool {
	return s.Phase == other.Phase && slices.EqualFunc(s.Conditions, other.Conditions,
		func(a, b metav1.Condition) bool { return a.Type == b.Type && a.Message == b.Message })
}

// minCPU is its minimum of CPUs, in thousandths.
func (g *gang) minCPU() int64 { return g.Spec.MinResources.Cpu().MilliValue() }

// isPending: it is not admitted so far in this session.
func (g *gang) isPending() bool {
	phase := g.Status.Phase
	if g.phase != "" {
		phase = g.phase
	}
	return phase == "" || phase == phasePending
}

func (g *gang) waiting() []pod {
	return slices.DeleteFunc(slices.Clone(g.pods), func(p pod) bool { return !p.isWaiting() })
}

// placesIn takes room for as many Pods as fit.
func (g *gang) placesIn(r room) map[types.UID]string {
	places := map[types.UID]string{}
	for _, p := range g.waiting() {
		if node, found := r.take(p.cpu()); found {
			places[p.UID] = node
		}
	}
	return places
}

// isReady: with these places it has its minimum, and each role's too, unless the total minimum is less than their sum. Pods that have
// succeeded count as long as they exist; deleted ones are missing.
func (g *gang) isReady(places map[types.UID]string) bool {
	perRole, all := map[string]int{}, 0
	for _, p := range g.pods {
		_, placed := places[p.UID]
		if placed || p.Spec.NodeName != "" && p.DeletionTimestamp == nil && p.Status.Phase != corev1.PodFailed {
			perRole[p.Annotations["volcano.sh/task-spec"]]++
			all++
		}
	}
	sum := 0
	for _, least := range g.Spec.MinTaskMember {
		sum += least
	}
	for role, least := range g.Spec.MinTaskMember {
		if g.Spec.MinMember >= sum && perRole[role] < least {
			return false
		}
	}
	return all >= g.Spec.MinMember
}

// nextStatus is the status after the session. A group that has lost a part of its minimum is Unknown while others run, and Pending when
// none does: then it has to be admitted again.
func (g *gang) nextStatus() groupStatus {
	next := groupStatus{Phase: g.Status.Phase}
	if g.phase != "" {
		next.Phase = g.phase
	}
	if next.Phase == "" {
		return next
	}
	runs, ended, placed := 0, 0, len(g.places)
	for _, p := range g.pods {
		switch {
		case p.hasEnded():
			ended++
		case p.Spec.NodeName != "" && p.DeletionTimestamp == nil:
			placed++
			if p.Status.Phase == corev1.PodRunning {
				runs++
			}
		}
	}
	switch {
	case runs > 0 && !g.isReady(g.places):
		next.Phase = phaseUnknown
	case placed+ended >= g.Spec.MinMember && placed == 0:
		next.Phase = phaseCompleted
	case placed+ended >= g.Spec.MinMember:
		next.Phase = phaseRunning
	case next.Phase != phaseInqueue:
		next.Phase = phasePending
	}
	if g.unschedulable != "" {
		next.Conditions = []metav1.Condition{{Type: "Unschedulable", Status: metav1.ConditionTrue, Reason: "NotEnoughResources",
			Message: g.unschedulable, LastTransitionTime: metav1.Now()}}
	}
	return next
}

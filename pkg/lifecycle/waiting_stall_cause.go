package lifecycle

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// StallCause is why a Pod that has not ended does not get going. It is an observation, on which the condition Waiting depends,
// and, if the Framework sets a startDeadline, how long the Pod may stay like this (package deadline).
type StallCause struct {
	// Reason of the condition Waiting, one of stallReasons.
	Reason string
	// Container that it is about; empty if it is about the Pod.
	Container string
	// Left names the containers that run on although Container has ended; empty for other reasons.
	Left string
	// Words of the scheduler or the kubelet, in one short line; empty if there are none. They may change at any time.
	Words string
	// Since when the Pod might have got going.
	Since time.Time
	// AvoidanceBars: by the scheduler's words, nodes are left out that the Pod must not go to, and no other node can come to fit by
	// itself.
	AvoidanceBars bool
	// Over is when it counts as over although the Pod still shows it; zero if it does not go by time.
	Over time.Time
}

// stallReasons are the reasons why Pods do not get going, in the order in which they are told. What a person has to see to
// comes before what may pass by itself.
var stallReasons = []string{
	ReasonUnschedulable, ReasonImageNotPulled, ReasonContainerNotStarted, ReasonContainerCrashing,
	ReasonContainersLeft, ReasonSchedulingGated, ReasonPodNotScheduled, ReasonPodNotStarted,
}

// stalled says why Pods do not get going. Words of others change all the time, as nodes come and go, and as each try
// fails in its own way; so the first ones that were stored are kept while everything else stays the same.
func (r *round) stalled(reason string, late []TaskRef) Blocker {
	if said, ok := r.stillSaid(reason, late); ok {
		return Blocker{Reason: reason, Message: said}
	}
	who := late[0]
	if reason == ReasonUnschedulable {
		who = r.mostExplained(late)
	}
	what, words := r.aboutStall(who, late), r.in.Observed.Stalls[who].Words
	if words != "" {
		what += ": " + words
	}
	if reason == ReasonUnschedulable && follows(words) {
		r.awaitReason()
	}
	return Blocker{Reason: reason, Message: what}
}

// awaitReason has another look taken: the next tries may tell why, and that they do is no news.
func (r *round) awaitReason() { r.wakeAt(r.in.Now.Add(startPatience)) }

// stillSaid returns the stored message if nothing but words would be others now. Words of a Pod that merely follows others
// give way to those that have the reason.
func (r *round) stillSaid(reason string, late []TaskRef) (said string, ok bool) {
	if said, ok = r.said(reason); !ok {
		return "", false
	}
	who := late[0]
	if reason == ReasonUnschedulable {
		if who, ok = spoken(said, late); !ok {
			return "", false
		}
	}
	words, same := strings.CutPrefix(said, r.aboutStall(who, late)+": ")
	if !same || reason != ReasonUnschedulable || !follows(words) {
		return said, same
	}
	if slices.ContainsFunc(late, r.explainsItself) {
		return "", false
	}
	r.awaitReason()
	return said, true
}

// aboutStall names a Task, its Pod and how many more there are, and says what is the matter.
func (r *round) aboutStall(who TaskRef, late []TaskRef) string {
	stall := r.in.Observed.Stalls[who]
	return fmt.Sprintf("Task %s (Pod %s%s)%s: %s", who, r.podName(who), onNode(stall.Node), more(late), stall.what())
}

// said returns the stored message of the condition Waiting; ok is false if it is not there for that reason.
func (r *round) said(reason string) (message string, ok bool) {
	for _, c := range r.status.Conditions {
		if c.Type == v1.ConditionWaiting && c.Status == metav1.ConditionTrue && c.Reason == reason {
			return c.Message, true
		}
	}
	return "", false
}

// what says what is the matter with a Pod that does not get going.
func (s Stall) what() string {
	switch s.Reason {
	case ReasonImageNotPulled:
		return fmt.Sprintf("the image of container %s is not pulled", s.Container)
	case ReasonContainerNotStarted:
		return fmt.Sprintf("container %s does not start", s.Container)
	case ReasonContainerCrashing:
		return fmt.Sprintf("container %s ends again and again", s.Container)
	case ReasonContainersLeft:
		return fmt.Sprintf("container %s has ended, but %s is still running and keeps the Pod running", s.Container, s.Left)
	case ReasonSchedulingGated:
		return "its scheduling gates hold it back"
	case ReasonPodNotScheduled:
		return fmt.Sprintf("no scheduler has looked at it since %s", stamp(s.Since))
	case ReasonPodNotStarted:
		return fmt.Sprintf("no container has started since %s; its image, volumes or network take long, see the Pod's events",
			stamp(s.Since))
	}
	return "no node was found"
}

func onNode(name string) string {
	if name == "" {
		return ""
	}
	return " on node " + name
}

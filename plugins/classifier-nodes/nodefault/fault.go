package nodefault

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// kubernetesTaints are those by which Kubernetes says that something is wrong. That a node is cordoned says nothing.
var kubernetesTaints = []string{
	corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable, corev1.TaintNodeMemoryPressure, corev1.TaintNodeDiskPressure,
	corev1.TaintNodePIDPressure, corev1.TaintNodeNetworkUnavailable, corev1.TaintNodeOutOfService,
}

// fault returns what is wrong with a node that may have had a Pod fail; empty if nothing is. Rule names what says so.
func (s spec) fault(n *Node, pod life) (rule, why string) {
	for _, c := range n.Conditions {
		if !slices.Contains(s.IgnoreConditions, string(c.Type)) && isFault(c) && s.concerns(pod, c.LastTransitionTime.Time) {
			return "condition " + string(c.Type), fmt.Sprintf("%s is %s: %s", c.Type, c.Status, words(c.Reason, c.Message))
		}
	}
	for _, t := range n.Taints {
		if (slices.Contains(kubernetesTaints, t.Key) || slices.Contains(s.Taints, t.Key)) && s.concerns(pod, addedAt(t)) {
			return "taint " + t.Key, fmt.Sprintf("it has the taint %s", t.ToString())
		}
	}
	for _, d := range n.Devices {
		// A device that has been known to be bad before is given to no Pod.
		if s.counts(d) && s.concerns(pod, d.Since) && !d.Since.IsZero() && !d.Since.Before(pod.began) {
			return "device taint " + d.Key, fmt.Sprintf("device %s of %s has the taint %s", d.Device, d.Driver, keyValue(d.Key, d.Value))
		}
	}
	return "", ""
}

// isFault takes a condition for a fault as Kubernetes and node-problem-detector have them: those that end in Ready are to be
// true, and all others are not.
func isFault(c corev1.NodeCondition) bool {
	if strings.HasSuffix(string(c.Type), "Ready") {
		return c.Status != corev1.ConditionTrue
	}
	return c.Status == corev1.ConditionTrue
}

// counts reports whether the taints of a device do.
func (s spec) counts(d DeviceTaint) bool {
	return s.Devices == nil || slices.Contains(s.Devices.Drivers, d.Driver)
}

// life is when a Pod ran, as far as that is known.
type life struct{ began, ended time.Time }

// concerns reports whether a fault that has begun then may have had a Pod fail. Of one without a time, or a Pod without one,
// that is believed.
func (s spec) concerns(pod life, since time.Time) bool {
	return since.IsZero() || pod.ended.IsZero() || !since.After(pod.ended.Add(time.Duration(s.WithinSec)*time.Second))
}

func addedAt(t corev1.Taint) time.Time {
	if t.TimeAdded == nil {
		return time.Time{}
	}
	return t.TimeAdded.Time
}

func keyValue(key, value string) string {
	if value == "" {
		return key
	}
	return key + "=" + value
}

func words(reason, message string) string { return strings.Trim(reason+", "+message, ", ") }

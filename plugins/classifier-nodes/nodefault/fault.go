package nodefault

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// kubernetesTaints are the taints with which Kubernetes marks faulty nodes. Cordoned nodes are not faulty.
var kubernetesTaints = []string{
	corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable, corev1.TaintNodeMemoryPressure, corev1.TaintNodeDiskPressure,
	corev1.TaintNodePIDPressure, corev1.TaintNodeNetworkUnavailable, corev1.TaintNodeOutOfService,
}

// fault returns the fault of a node that may have made a Pod fail, or an empty rule. Rule names its source.
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
		// A device that was known to be bad before is given to no Pod.
		if s.counts(d) && s.concerns(pod, d.Since) && !d.Since.IsZero() && !d.Since.Before(pod.began) {
			return "device taint " + d.Key, fmt.Sprintf("device %s of %s has the taint %s", d.Device, d.Driver, keyValue(d.Key, d.Value))
		}
	}
	return "", ""
}

// isFault reports whether a condition is a fault, as Kubernetes and node-problem-detector define them: types that end
// in Ready should be true, and all others should not.
func isFault(c corev1.NodeCondition) bool {
	if strings.HasSuffix(string(c.Type), "Ready") {
		return c.Status != corev1.ConditionTrue
	}
	return c.Status == corev1.ConditionTrue
}

// counts reports whether the taints of a device count.
func (s spec) counts(d DeviceTaint) bool {
	return s.Devices == nil || slices.Contains(s.Devices.Drivers, d.Driver)
}

// life is the known time in which a Pod ran.
type life struct{ began, ended time.Time }

// concerns reports whether a fault that began at that time may have made a Pod fail. If either time is unknown, it is
// assumed to have.
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

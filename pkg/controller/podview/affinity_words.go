package podview

import (
	"regexp"
	"strconv"
	"strings"
)

// noNode matches the message of schedulers built on Kubernetes' own that no node fits: the number of nodes, then the reasons,
// each with its number of nodes. A hint about preemption may follow.
var noNode = regexp.MustCompile(`^0/(\d+) nodes (?:are )?(?:un)?available: (.+?)(?:\.$|\. |$)`)

// closed matches reasons for which a node stays closed to a Pod until somebody changes the node or the Pod. All others, such
// as a lack of CPU, may pass by themselves, and so may a taint that Kubernetes has set for a condition of the node.
var closed = regexp.MustCompile(`^(\d+) node\(s\) (?:(didn't match Pod's node affinity/selector)|had untolerated taint.*)$`)

// passingTaint is the prefix of the taints for conditions of nodes.
const passingTaint = "{node.kubernetes.io/"

// affinityBars reports whether a scheduler's message shows that the Pod's node affinity excludes nodes, and that no other node
// can come to fit by itself. It is false if the message does not cover all nodes, for instance because it was cut.
func affinityBars(words string) bool {
	m := noNode.FindStringSubmatch(words)
	if m == nil {
		return false
	}
	left, _ := strconv.Atoi(m[1])
	named := false
	for _, reason := range strings.Split(m[2], ", ") {
		of := closed.FindStringSubmatch(reason)
		if of == nil || strings.Contains(reason, passingTaint) {
			return false
		}
		nodes, _ := strconv.Atoi(of[1])
		left -= nodes
		named = named || of[2] != ""
	}
	return named && left == 0
}

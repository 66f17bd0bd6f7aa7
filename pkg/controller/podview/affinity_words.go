package podview

import (
	"regexp"
	"strconv"
	"strings"
)

// noNode is how schedulers that are built on Kubernetes' own say that no node fits: how many nodes there are, and then why not, with
// the number of nodes for each reason. A hint about preemption may follow.
var noNode = regexp.MustCompile(`^0/(\d+) nodes (?:are )?(?:un)?available: (.+?)(?:\.$|\. |$)`)

// closed are reasons for which a node stays closed to a Pod until somebody changes the node or the Pod. All others, such as a lack
// of CPU, may pass by themselves, and so may a taint that Kubernetes has put on a node for its condition.
var closed = regexp.MustCompile(`^(\d+) node\(s\) (?:(didn't match Pod's node affinity/selector)|had untolerated taint.*)$`)

// passingTaint is the prefix of the taints for conditions of nodes.
const passingTaint = "{node.kubernetes.io/"

// affinityBars reports whether a scheduler says that nodes are left out by the Pod's node affinity, and that no other node can come
// to fit by itself. It is false if that is not said of all nodes, as in words that were cut.
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

package explain

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// warnings has the last warning of each reason that no status shows.
func warnings(k *known) (all []Statement) {
	for _, row := range reason.EventTable() {
		if e := k.latest(func(e *event) bool { return row.Untold && e.ofFramework(row.Reason) }); e != nil {
			all = append(all, Statement{Topic: Warning, Subject: Subject{Kind: ofEvent, Name: string(row.Reason)},
				Args: Args{Reason: string(row.Reason), Since: at(e.At), Words: e.Message}, next: k.steps(names{}, row.Next...)})
		}
	}
	return all
}

// mostAvoided is the maximum number of avoided nodes that are explained in detail.
const mostAvoided = 3

// avoidedNodes explains which nodes new Pods avoid, of a role or of any, and why. Expired entries may still be stored.
func avoidedNodes(k *known, role string) (all []Statement) {
	if k.status.State == v1.Completed {
		return nil
	}
	told := 0
	for i := range k.status.AvoidedNodes {
		n := &k.status.AvoidedNodes[i]
		if !n.Until.After(k.Now) || role != "" && n.Role != "" && n.Role != role {
			continue
		}
		if told++; told <= mostAvoided {
			all = append(all, avoided(n))
		}
	}
	if more := told - mostAvoided; more > 0 {
		all = append(all, Statement{Topic: MoreNodes, Subject: k.framework(), Args: Args{Nodes: &more}})
	}
	if told > 0 {
		advising(all, k.steps(names{}, seeNodes)...)
	}
	return all
}

func avoided(n *v1.AvoidedNode) Statement {
	args := Args{Role: n.Role, Until: &n.Until, Task: TaskName(n.TaskRoleName, n.TaskIndex), Code: &n.Code, Phrase: n.Phrase,
		Mode: string(n.Mode), Relaxed: n.Relaxed, Words: n.Reason}
	if n.Source != nil {
		args.Plugin = n.Source.Plugin
	}
	return Statement{Topic: NodeAvoided, Subject: Subject{Kind: ofNode, Name: n.Name, Role: n.Role}, Args: args}
}

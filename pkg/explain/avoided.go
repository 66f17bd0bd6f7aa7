package explain

import (
	"cmp"
	"fmt"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// mostAvoided is of how many nodes more is said than that they are avoided.
const mostAvoided = 3

// avoidedNodes says which nodes new Pods avoid, of a role or of any, and why. Those whose time is over may still be stored.
func (t *telling) avoidedNodes(role string) {
	if t.status.State == v1.Completed {
		return
	}
	told := 0
	for i := range t.status.AvoidedNodes {
		n := &t.status.AvoidedNodes[i]
		if !n.Until.After(t.Now) || role != "" && n.Role != "" && n.Role != role {
			continue
		}
		if told++; told <= mostAvoided {
			t.sayAvoided(n)
		}
	}
	if told > mostAvoided {
		t.say("The same may be said of %d more nodes.", told-mostAvoided)
	}
	if told > 0 {
		t.advise(seeNodes)
	}
}

func (t *telling) sayAvoided(n *v1.AvoidedNode) {
	whose := ""
	if n.Role != "" {
		whose = " of role " + n.Role
	}
	t.say("New Pods%s avoid node %s until %s, as Task %s has failed there with code %d, %s.",
		whose, n.Name, t.until(n.Until.Time), TaskName(n.TaskRoleName, n.TaskIndex), n.Code, n.Phrase)
	switch {
	case n.Relaxed:
		t.add("No other node was found for one of them, so it is taken after all if there is no other.")
	case n.Mode == v1.AvoidRequire:
		t.add("None of them is put there.")
	default:
		t.add("If there is no other node, it is taken all the same.")
	}
	t.add("%s wants that%s.", avoidedBy(n), because(n.Reason))
}

// avoidedBy is who wants a node to be avoided.
func avoidedBy(n *v1.AvoidedNode) string {
	if n.Source != nil {
		return "Plugin " + n.Source.Plugin
	}
	return "avoidNodes of the retry policy of " + cmp.Or(prefixed("role ", n.Role), "the Framework")
}

func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return fmt.Sprintf(", and says %q", reason)
}

package avoid

import (
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// Describe renders the newly avoided nodes: the first one in detail, as thousands may fail at once. added is not empty.
func Describe(added []v1.AvoidedNode) string {
	text := describe(added[0])
	if len(added) > 1 {
		text += "; and so for " + Names(added[1:])
	}
	return text
}

func describe(n v1.AvoidedNode) string {
	who, how := "", "avoid"
	if n.Role != "" {
		who = " of role " + n.Role
	}
	if n.Mode == v1.AvoidRequire {
		how = "must avoid"
	}
	text := fmt.Sprintf("Pods%s %s node %s until %s: Task %s has failed there with %s, code %d",
		who, how, n.Name, n.Until.UTC().Format(time.RFC3339), v1.TaskName(n.TaskRoleName, n.TaskIndex), n.Phrase, n.Code)
	if n.Source != nil {
		text += ", and plugin " + n.Source.Plugin + " wants that"
	}
	if n.Reason != "" {
		text += ": " + n.Reason
	}
	return text
}

// Names lists the nodes of entries, each once: the first ten, and the number of further ones.
func Names(list []v1.AvoidedNode) string {
	names := distinct(list)
	if len(names) > namedAtMost {
		names = append(names[:namedAtMost:namedAtMost], fmt.Sprintf("%d more", len(names)-namedAtMost))
	}
	return strings.Join(names, ", ")
}

// namedAtMost is how many nodes an event names.
const namedAtMost = 10

func distinct(list []v1.AvoidedNode) (names []string) {
	for _, n := range list {
		if !slices.Contains(names, n.Name) {
			names = append(names, n.Name)
		}
	}
	return names
}

// Facts returns the facts of an event about nodes: their names, at most ten, and the Task if they are avoided for one alone.
func Facts(list []v1.AvoidedNode) reason.Facts {
	names := distinct(list)
	f := reason.Facts{Node: strings.Join(names[:min(len(names), namedAtMost)], ",")}
	if len(list) == 1 {
		n := list[0]
		f.Tasks, f.Role = []string{v1.TaskName(n.TaskRoleName, n.TaskIndex)}, n.Role
		f = f.Ended(n.Code, n.Phrase)
	}
	return f
}

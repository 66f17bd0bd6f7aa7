package avoid

import (
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Describe says which nodes are newly avoided: the first in detail, as thousands may fail at once. added is not empty.
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

// Names lists the nodes of entries, each once: the first ten, and how many more there are.
func Names(list []v1.AvoidedNode) string {
	const most = 10
	var names []string
	for _, n := range list {
		if !slices.Contains(names, n.Name) {
			names = append(names, n.Name)
		}
	}
	if len(names) > most {
		names = append(names[:most:most], fmt.Sprintf("%d more", len(names)-most))
	}
	return strings.Join(names, ", ")
}

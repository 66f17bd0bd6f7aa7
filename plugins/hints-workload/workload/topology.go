package workload

import (
	"errors"
	"fmt"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

// checkTopology returns an error if groups do not support a topology that the Framework requires.
func (a *attempt) checkTopology() error {
	if !a.form.podGroups {
		return gang.NoTopology(a.question.GetScheduling())
	}
	var mistakes []error
	for _, t := range a.question.GetScheduling().GetTopology() {
		if t.GetRequired() && a.placesOf(t) != 1 {
			mistakes = append(mistakes, errors.New(cannotKeepTogether(t)))
		}
	}
	for _, w := range a.workloads {
		for _, g := range w.groups {
			if keys := a.topologyOf(g); len(keys) > 1 {
				mistakes = append(mistakes, fmt.Errorf("scheduling.topology: %s and %s are both Required, and a pod group can have one of them; "+
					"make one Preferred, which is ignored", keys[0], keys[1]))
			}
		}
	}
	return errors.Join(mistakes...)
}

func cannotKeepTogether(t *pluginpb.Topology) string {
	if t.GetTaskRole() == "" {
		return fmt.Sprintf("scheduling.topology: %s is Required of all Pods, but they are in several pod groups, and each group is kept together "+
			"on its own; make it Preferred, give gang.minTasks instead of perRole, or do not add Tasks to an attempt", t.GetKey())
	}
	return fmt.Sprintf("scheduling.topology: %s is Required of role %s alone, but its Pods share a pod group with other roles, or are in several groups; "+
		"make it Preferred, require it of all roles, or give gang.perRole instead of minTasks", t.GetKey(), t.GetTaskRole())
}

// placesOf is in how many groups the Pods are that a topology is for; 0 if they are in one with others.
func (a *attempt) placesOf(t *pluginpb.Topology) int {
	places := 0
	for _, w := range a.workloads {
		for _, g := range w.groups {
			for _, role := range g.roles(a.question.GetRoles()) {
				if t.GetTaskRole() != "" && t.GetTaskRole() != role.GetName() {
					continue
				}
				places++
				if !isAbout(t, g) {
					return 0
				}
				break
			}
		}
	}
	return places
}

// isAbout reports whether a topology is for all of a group.
func isAbout(t *pluginpb.Topology, g group) bool {
	if t.GetTaskRole() == "" {
		return true
	}
	for _, s := range g.tasks {
		if s.role != t.GetTaskRole() {
			return false
		}
	}
	return len(g.tasks) > 0
}

// topologyOf are the keys that are required of a group, each once.
func (a *attempt) topologyOf(g group) []string {
	var out []string
	seen := map[string]bool{}
	for _, t := range a.question.GetScheduling().GetTopology() {
		if t.GetRequired() && isAbout(t, g) && !seen[t.GetKey()] {
			seen[t.GetKey()] = true
			out = append(out, t.GetKey())
		}
	}
	return out
}

package checker

import (
	"fmt"
	"slices"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

var exitedWith7 = v1.CompletionStatus{Code: 7, Phrase: "ContainerUnrecognizedFailed", Type: v1.CompletionType{Name: v1.CompletionFailed}}

// failsOn lets Task 0 fail on a node, and stores a list of avoided nodes.
func failsOn(node string, list ...v1.AvoidedNode) *scene {
	s := newScene(1)
	s.store(func(f *v1.Framework) {
		f.Status = &v1.FrameworkStatus{State: v1.AttemptCreationPending, AttemptStatus: s.freshAttempt(0, 1)}
	})
	s.createConfigMap()
	s.store(decided(0, exitedWith7), task(0, func(t *v1.TaskStatus) { t.AttemptStatus.PodNodeName = &node }),
		func(f *v1.Framework) { f.Status.AvoidedNodes = list })
	return s
}

func entry(node string) v1.AvoidedNode {
	return v1.AvoidedNode{Name: node, Mode: v1.AvoidPrefer, TaskRoleName: "a", Code: 7}
}

func TestAvoidedNodes(t *testing.T) {
	var many []v1.AvoidedNode
	for i := range v1.MaxAvoidedNodes + 1 {
		many = append(many, entry(fmt.Sprint("n", i)))
	}
	other := entry("n0")
	other.Code = 8
	for name, test := range map[string]struct {
		s  *scene
		ok bool
	}{
		"the node of the failure": {failsOn("n0", entry("n0")), true},
		"none":                    {failsOn("n0"), true},
		"another node":            {failsOn("n0", entry("n1")), false},
		"another failure":         {failsOn("n0", other), false},
		"twice":                   {failsOn("n0", entry("n0"), entry("n0")), false},
		"too many":                {failsOn("n0", many...), false},
	} {
		told := slices.ContainsFunc(Check(test.s.h, Options{}).Violations, func(v Violation) bool { return v.Guarantee == Avoided })
		if told == test.ok {
			t.Errorf("%s: told %t", name, told)
		}
	}
}

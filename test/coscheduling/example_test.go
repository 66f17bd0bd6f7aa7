package coscheduling

import (
	"strings"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/test/gangs"
)

// The shipped example for coscheduling works as described.
func TestExample(t *testing.T) {
	world.RunExample(t, gangs.Example{
		Name: "gangcoscheduling", Permissions: "coscheduling",
		// It leaves room for one Pod on each node.
		Before: strings.Replace(gangs.Spec(gangs.Role("worker", 2)), "cpu: 10", "cpu: 31400m", 1), BeforePods: 2,
		Pods: 4, Says: "no node was found",
	})
}

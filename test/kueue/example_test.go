package kueue

import (
	"strings"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/test/gangs"
)

// The shipped example for Kueue works as described.
func TestExample(t *testing.T) {
	world.RunExample(t, gangs.Example{
		Name: "gangkueue", Permissions: "kueue",
		Before: strings.Replace(spec(gangs.Role("worker", 1)), "cpu: 10", "cpu: 2", 1), BeforePods: 1,
		Says: "Workload gangkueue-0 waits in queue research: couldn't assign flavors to pod set worker: " +
			"insufficient unused quota for cpu in flavor default, 1 more needed",
	})
}

package nativegangs

import (
	"strings"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/test/gangs"
)

// The shipped example for Kubernetes' own gangs works as described.
func TestNativeExample(t *testing.T) {
	for name, e := range ends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e.world.RunExample(t, gangs.Example{
				Name: "gangnative", Permissions: "workload",
				// It leaves room for one Pod on each node.
				Before: strings.Replace(gangs.Spec(gangs.Role("worker", 2)), "cpu: 10", "cpu: 31400m", 1), BeforePods: 2,
				Pods: 4, Says: "no node was found",
			})
		})
	}
}

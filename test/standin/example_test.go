package main

import (
	"strings"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/test/gangs"
)

// The shipped examples for these schedulers work as described. Each runs the controller with its plugin alone, so they precede the stories,
// which run at once.
func TestExamples(t *testing.T) {
	before := func(queue, tasks, resources string) string {
		role := strings.NewReplacer("taskNumber: 1", "taskNumber: "+tasks, "requests: {cpu: 10}", resources).Replace(gangs.Role("worker", 1))
		return gangs.With("scheduling: {queue: "+queue+"}", gangs.Spec(role))
	}
	for _, e := range []gangs.Example{
		{
			Name: "gangvolcano", Permissions: "volcano",
			Before: before("research", "1", "requests: {cpu: 4}"), BeforePods: 1, // of 8 in the queue, and the gang needs 5
			Says: "queue resource quota insufficient",
		},
		{
			Name:   "ganghived",
			Before: before("VC1", "10", "requests: {cpu: 1}"), BeforePods: 10, // one cell each of 12, and the gang needs 3
			Pods: 4, Bound: 1, Says: "insufficient capacity when scheduling in VC VC1",
		},
		{
			Name:   "gangyunikorn",
			Before: before("root.research", "2", "requests: {cpu: 31400m}"), BeforePods: 2, // beside one Pod on each node
			Pods: 4, Says: "waits for its placeholders",
		},
	} {
		t.Run(e.Name, func(t *testing.T) { world.RunExample(t, e) })
	}
}

package main

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

func TestVolcano(t *testing.T) {
	p := &played{
		plugin: "volcano", scheduling: "queue: research", resources: "requests: {cpu: 10}",
		noPods: true, words: "resource in cluster is overused: overused cpu",
		annotation: "scheduling.k8s.io/group-name", group: "%[2]s-%[3]d",
	}
	p.tell(t,
		chapter{"fits by sum, and not by nodes", volcanoSum},
		chapter{"a gang of some", volcanoMinimum},
		chapter{"queues", volcanoQueues},
		chapter{"rescaled", volcanoRescale},
		chapter{"preempted", volcanoPreempted},
		chapter{"taken back", volcanoTakenBack},
	)
}

func groups(s *story) dynamic.ResourceInterface {
	return objects.Resource(volcanoAPI.WithResource("podgroups")).Namespace(s.namespace)
}

// awaitGang waits until a PodGroup is as it should be.
func awaitGang(s *story, name, what string, is func(*gang) bool) {
	s.t.Helper()
	clustertest.Eventually(s.t, patience, func(ctx context.Context) error {
		found, err := groups(s).List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + name})
		if err != nil {
			return err
		}
		var gangs []*gang
		if err := decode(found.Items, &gangs); err != nil {
			return err
		}
		if len(gangs) != 1 || !is(gangs[0]) {
			return fmt.Errorf("PodGroup %s is not %s: %+v", name, what, found.Items)
		}
		return nil
	})
}

// A gang that is let in, as there is room for it in all, has its Pods. None of them is bound if they do not fit on the nodes.
func volcanoSum(s *story) {
	s.create("wide", "", role{name: "worker", tasks: 5, resources: "requests: {cpu: 12}"}) // two on each of two nodes
	s.awaitTold("wide", "tasks in gang unschedulable")
	s.staysBound("wide", 5, 0)
}

// Of a gang that needs some of its Tasks only, the others are placed as there is room.
func volcanoMinimum(s *story) {
	s.createFor("some", s.chosen(""), "queue: research, gang: {minTasks: 3, perRole: [{role: ps, minTasks: 1}]}", "",
		role{name: "ps", tasks: 1}, role{name: "worker", tasks: 7})
	s.staysBound("some", 8, 6)
	awaitGang(s, "some-0", "running", func(g *gang) bool { return g.Spec.MinMember == 3 && g.Status.Phase == phaseRunning })
}

// A gang waits in its queue, and it says for what.
func volcanoQueues(s *story) {
	for name, words := range map[string]string{
		"small":  "queue resource quota insufficient",
		"closed": "is not open",
		"nosuch": "Volcano has not looked at it yet",
	} {
		s.createFor(name, s.chosen(""), "queue: "+name, "", role{name: "worker", tasks: 2})
		s.awaitWaiting(name, words)
		s.staysBound(name, 0, 0)
	}
	open := func(state string) {
		_, err := objects.Resource(volcanoAPI.WithResource("queues")).Patch(s.t.Context(), "closed", types.MergePatchType,
			[]byte(`{"status": {"state": "`+state+`"}}`), metav1.PatchOptions{})
		require.NoError(s.t, err)
	}
	open("Open")
	s.awaitBound("closed", 2, 2)
	open("Closed") // which does nothing to what was let in
	s.staysBound("closed", 2, 2)
}

// Tasks that are added join the gang. Where they do not fit, none of them is placed, and the others run on; but a Task that is
// retried meanwhile waits with them.
func volcanoRescale(s *story) {
	s.create("grows", "", role{name: "worker", tasks: 2, retries: 1})
	s.awaitBound("grows", 2, 2)
	s.scale("grows", 4)
	s.awaitBound("grows", 4, 4)
	s.scale("grows", 8) // there is room for six
	s.staysBound("grows", 8, 4)
	awaitGang(s, "grows-0", "unknown", func(g *gang) bool { return g.Spec.MinMember == 8 && g.Status.Phase == phaseUnknown })
	s.deletePod("grows-worker-1")
	s.staysBound("grows", 8, 3)
	s.scale("grows", 4)
	s.awaitBound("grows", 4, 4)
	s.scale("grows", 1)
	s.awaitBound("grows", 1, 1)
	awaitGang(s, "grows-0", "running", func(g *gang) bool { return g.Spec.MinMember == 1 && g.Status.Phase == phaseRunning })
}

// A gang of a higher priority takes the place of a Pod above the minimum of another one. Its Task is retried, and waits until
// there is room again.
func volcanoPreempted(s *story) {
	_, err := core.SchedulingV1().PriorityClasses().Create(s.t.Context(),
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: s.namespace}, Value: 1000}, metav1.CreateOptions{})
	require.NoError(s.t, err)
	s.createFor("low", s.chosen(""), "queue: research, gang: {minTasks: 2}", "", role{name: "worker", tasks: 6, retries: 3})
	s.awaitBound("low", 6, 6)
	s.createFor("high", s.chosen(""), "queue: research, priorityClassName: "+s.namespace, "",
		role{name: "worker", tasks: 1, resources: "requests: {cpu: 4}"}) // as much as is left, but on two nodes
	s.awaitBound("high", 1, 1)
	s.staysBound("low", 6, 5)
	s.delete("high")
	s.awaitBound("low", 6, 6)
}

// An attempt whose group is deleted is taken back: the next one has a group of its own, and it costs no retry.
func volcanoTakenBack(s *story) {
	s.create("gang", "", role{name: "worker", tasks: 4})
	s.awaitBound("gang", 4, 4)
	require.NoError(s.t, groups(s).Delete(s.t.Context(), "gang-0", metav1.DeleteOptions{}))
	f := s.awaitAttempt("gang", 1)
	if n := f.RetryPolicyStatus.AccountableRetriedCount; n != 0 {
		s.t.Errorf("it counts as %d retries", n)
	}
	s.awaitGroup("gang", 1)
	s.awaitBound("gang", 4, 4)
}

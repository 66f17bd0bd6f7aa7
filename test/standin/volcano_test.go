package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/gangs"
)

func TestVolcano(t *testing.T) {
	p := &played{
		plugin: "volcano", scheduling: "queue: open", resources: "requests: {cpu: 10}",
		noPods: true, words: "resource in cluster is overused: overused cpu",
		annotation: "scheduling.k8s.io/group-name", group: "%[2]s-%[3]d",
	}
	p.tell(t,
		chapter{"fits by sum, and not by nodes", volcanoSum},
		chapter{"a gang of some", volcanoMinimum},
		chapter{"queues", volcanoQueues},
		chapter{"no queue", volcanoWithoutQueue},
		chapter{"rescaled", volcanoRescale},
		chapter{"stages", volcanoStages},
		chapter{"preempted", volcanoPreempted},
		chapter{"preempted below the minimum", volcanoHalved},
		chapter{"taken back", volcanoTakenBack},
	)
}

func groups(s *story) dynamic.ResourceInterface {
	return world.Objects.Resource(volcanoAPI.WithResource("podgroups")).Namespace(s.Namespace)
}

// awaitGang waits until a PodGroup is as it should be.
func awaitGang(s *story, name, what string, is func(*gang) bool) {
	s.T.Helper()
	clustertest.Eventually(s.T, gangs.Patience, func(ctx context.Context) error {
		found, err := groups(s).List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + name})
		if err != nil {
			return err
		}
		var all []*gang
		if err := decode(found.Items, &all); err != nil {
			return err
		}
		if len(all) != 1 || !is(all[0]) {
			return fmt.Errorf("PodGroup %s is not %s: %+v", name, what, found.Items)
		}
		return nil
	})
}

// A gang that is admitted, because there is room for it in total, has its Pods. None of them is bound if they do not fit on the nodes.
func volcanoSum(s *story) {
	s.create("wide", "", role{name: "worker", tasks: 5, resources: "requests: {cpu: 12}"}) // two on each of two nodes
	s.awaitTold("wide", "tasks in gang unschedulable")
	s.StaysBound("wide", 5, 0)
}

// If a gang needs only some of its Tasks, the others are placed as there is room.
func volcanoMinimum(s *story) {
	s.createFor("some", s.chosen(""), "queue: open, gang: {minTasks: 3, perRole: [{role: ps, minTasks: 1}]}", "",
		role{name: "ps", tasks: 1}, role{name: "worker", tasks: 7})
	s.StaysBound("some", 8, 6)
	awaitGang(s, "some-0", "running", func(g *gang) bool { return g.Spec.MinMember == 3 && g.Status.Phase == phaseRunning })
}

// A gang waits in its queue, and reports the reason.
func volcanoQueues(s *story) {
	becomes := func(state string) {
		_, err := world.Objects.Resource(volcanoAPI.WithResource("queues")).Patch(s.T.Context(), "closed", types.MergePatchType,
			[]byte(`{"status": {"state": "`+state+`"}}`), metav1.PatchOptions{}, "status")
		require.NoError(s.T, err)
	}
	becomes("Closed")
	waits := map[string]string{
		"small":  "queue resource quota insufficient",
		"closed": "Volcano names no reason: is the queue open?",
		"nosuch": "Volcano has not looked at it yet",
	}
	for name := range waits { // all at first, as each message takes seconds
		s.createFor(name, s.chosen(""), "queue: "+name, "", role{name: "worker", tasks: 2})
	}
	for name, words := range waits {
		s.AwaitWaiting(name, words)
		s.StaysBound(name, 0, 0)
	}
	becomes("Open")
	s.AwaitBound("closed", 2, 2)
	becomes("Closed") // it does not affect admitted groups
	s.StaysBound("closed", 2, 2)
}

// A gang without a queue is not Volcano's, and its user gets a warning.
func volcanoWithoutQueue(s *story) {
	s.createFor("loose", s.chosen(""), "gang: {minTasks: 2}", "", role{name: "worker", tasks: 2})
	s.awaitWarning("loose", "volcano: spec.scheduling.gang is not Volcano's without a queue")
}

// Added Tasks join the gang. If they do not fit, none of them is placed, and the others keep running; but a Task that is retried meanwhile
// waits with them.
func volcanoRescale(s *story) {
	s.create("grows", "", role{name: "worker", tasks: 2, retries: 1})
	s.AwaitBound("grows", 2, 2)
	s.Scale("grows", 4)
	s.AwaitBound("grows", 4, 4)
	s.Scale("grows", 8) // there is room for six
	s.StaysBound("grows", 8, 4)
	awaitGang(s, "grows-0", "unknown", func(g *gang) bool { return g.Spec.MinMember == 8 && g.Status.Phase == phaseUnknown })
	s.deletePod("grows-worker-1")
	s.StaysBound("grows", 8, 3)
	s.Scale("grows", 4)
	s.AwaitBound("grows", 4, 4)
	s.Scale("grows", 1)
	s.AwaitBound("grows", 1, 1)
	awaitGang(s, "grows-0", "running", func(g *gang) bool { return g.Spec.MinMember == 1 && g.Status.Phase == phaseRunning })
}

// The PodGroup asks for the Tasks of a later stage before one of their Pods is created, also when all was to start again in the first stage.
// Otherwise Volcano might place one without the other, by the minimum of the first stage.
func volcanoStages(s *story) {
	changes := map[string]watch.Interface{}
	for name, client := range map[string]dynamic.ResourceInterface{
		"group": groups(s), "pods": world.Objects.Resource(corev1.SchemeGroupVersion.WithResource("pods")).Namespace(s.Namespace),
	} {
		w, err := client.Watch(s.T.Context(), metav1.ListOptions{})
		require.NoError(s.T, err)
		defer w.Stop()
		changes[name] = w
	}
	s.create("staged", "", role{name: "init", tasks: 1, retries: 1, restart: "Framework",
		simulate: `simulate.frameworkcontroller.io/run-for: 0s, simulate.frameworkcontroller.io/exit-codes: "1,0"`},
		role{name: "train", tasks: 2, after: "init"})
	asked := firstVersion(s, changes["group"], func(o *unstructured.Unstructured) bool {
		n, _, _ := unstructured.NestedInt64(o.Object, "spec", "minTaskMember", "train")
		return n == 2
	})
	created := firstVersion(s, changes["pods"], func(o *unstructured.Unstructured) bool { return strings.HasPrefix(o.GetName(), "staged-train-") })
	if created < asked {
		s.T.Errorf("the first Pod of the second stage is of resourceVersion %d, and the PodGroup asks for it from %d on", created, asked)
	}
	s.AwaitBound("staged", 2, 2)
	s.Await("staged", "in its second stage after a retry of the first", func(f *v1.FrameworkStatus) bool {
		return f.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0].RetryPolicyStatus.TotalRetriedCount == 1 && runningTasks(f, "train") == 2
	})
}

// firstVersion waits for a change after which an object is as described, and returns its resourceVersion. They are ordered across kinds.
func firstVersion(s *story, changes watch.Interface, is func(*unstructured.Unstructured) bool) uint64 {
	s.T.Helper()
	patience := time.After(gangs.Patience)
	for {
		select {
		case e := <-changes.ResultChan():
			o, ok := e.Object.(*unstructured.Unstructured)
			require.True(s.T, ok, "the watch has ended: %+v", e)
			if !is(o) {
				continue
			}
			version, err := strconv.ParseUint(o.GetResourceVersion(), 10, 64)
			require.NoError(s.T, err)
			return version
		case <-patience:
			require.Fail(s.T, "there was no such change")
		}
	}
}

// highPriority makes a PriorityClass for the story, and returns what is in spec.scheduling of a Framework that has it.
func highPriority(s *story) string {
	_, err := world.Core.SchedulingV1().PriorityClasses().Create(s.T.Context(),
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: s.Namespace}, Value: 1000}, metav1.CreateOptions{})
	require.NoError(s.T, err)
	return "queue: open, priorityClassName: " + s.Namespace
}

// A gang of a higher priority displaces a Pod above the minimum of another one. Its Task is retried, and waits until there is room again.
func volcanoPreempted(s *story) {
	high := highPriority(s)
	s.createFor("low", s.chosen(""), "queue: open, gang: {minTasks: 2}", "", role{name: "worker", tasks: 6, retries: 3})
	s.AwaitBound("low", 6, 6)
	s.createFor("high", s.chosen(""), high, "",
		role{name: "worker", tasks: 1, resources: "requests: {cpu: 4}"}) // as much as is left, but on two nodes
	s.AwaitBound("high", 1, 1)
	s.StaysBound("low", 6, 5)
	s.Delete("high")
	s.AwaitBound("low", 6, 6)
}

// A gang that loses a Pod of its minimum, and finds no place for another one, keeps the rest of its places. The condition says what to set;
// with that, the attempt ends, and leaves its places to others.
func volcanoHalved(s *story) {
	high := highPriority(s)
	s.createFor("half", s.chosen(""), "queue: open, gang: {minTasks: 3}", "",
		role{name: "worker", tasks: 3, retries: 3, resources: "requests: {cpu: 11}"})
	s.AwaitBound("half", 3, 3) // 10 CPUs are left on one node, and 21 on the other
	s.createFor("high", s.chosen(""), high, "", role{name: "worker", tasks: 2, resources: "requests: {cpu: 12}"})
	s.AwaitBound("high", 2, 2)
	s.AwaitBound("half", 3, 2)
	s.AwaitWaiting("half", "The other Tasks of the gang keep their nodes meanwhile; to end the attempt instead, set for role worker "+
		"task.startDeadline.unscheduledSec, {code: -130, maxRetryCount: 0} first in task.retryPolicy.budgets, and minFailedTaskCount")
	s.edit("half", `[{"op": "add", "path": "/spec/taskRoles/0/task/startDeadline", "value": {"unscheduledSec": 1}},
		{"op": "add", "path": "/spec/taskRoles/0/task/retryPolicy/budgets", "value": [{"code": -130, "maxRetryCount": 0}]}]`)
	f := s.Await("half", "completed", func(f *v1.FrameworkStatus) bool { return f.State == v1.Completed })
	require.Zero(s.T, f.AttemptStatus.ID)
	require.EqualValues(s.T, completion.CodePodUnschedulable, f.AttemptStatus.CompletionStatus.Code)
	var retries int32
	for _, t := range f.AttemptStatus.TaskRoleStatuses[0].TaskStatuses {
		retries += t.RetryPolicyStatus.TotalRetriedCount
	}
	require.EqualValues(s.T, 1, retries, "of the preempted Pod alone")
	s.AwaitBound("half", 0, 0)
}

// An attempt whose group is deleted is taken back: the next one has a group of its own, and it costs no retry.
func volcanoTakenBack(s *story) {
	s.create("gang", "", role{name: "worker", tasks: 4})
	s.AwaitBound("gang", 4, 4)
	require.NoError(s.T, groups(s).Delete(s.T.Context(), "gang-0", metav1.DeleteOptions{}))
	f := s.awaitAttempt("gang", 1)
	if n := f.RetryPolicyStatus.AccountableRetriedCount; n != 0 {
		s.T.Errorf("it counts as %d retries", n)
	}
	s.awaitGroup("gang", 1)
	s.AwaitBound("gang", 4, 4)
}

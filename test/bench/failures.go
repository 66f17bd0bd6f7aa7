package main

import (
	"fmt"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
)

// failure is a question to a classifier, and the code that it has to give.
type failure struct {
	question *pluginpb.FailedPod
	code     int32
}

// failures returns questions about n Pods with different causes of death in turn. The codes come from the rules.
func failures(rules *completion.Rules, n int) []failure {
	deaths := deaths()
	out := make([]failure, n)
	for i := range out {
		pod := deaths[i%len(deaths)]
		pod.Name = fmt.Sprintf("bench-%s-%d", role, i)
		out[i] = failure{question(pod, i), rules.Classify(pod).Code}
	}
	return out
}

// deaths are Pods that failed in different ways. The node has evicted one; of the others, a container ran out of memory,
// has the reason in its log, or ended as no rule knows, so that all rules are tried.
func deaths() []completion.Pod {
	const log = `Traceback (most recent call last):
  File "/workspace/train.py", line 212, in <module>
    main(parse_arguments())
  File "/workspace/train.py", line 177, in main
    loss = step(model, batch)
  File "/workspace/model/step.py", line 64, in step
    raise RuntimeError("the gradients have become infinite")
RuntimeError: the gradients have become infinite
`
	return []completion.Pod{
		{Reason: "Evicted", Message: "The node was low on resource: memory. Container main was using 8123Mi, which exceeds its request of 4Gi."},
		ended(completion.Container{Code: 137, Signal: 9, Reason: "OOMKilled"}),
		ended(completion.Container{Code: 1, Reason: "Error", Message: log}),
		ended(completion.Container{Code: 77, Reason: "Error"}),
	}
}

func ended(c completion.Container) completion.Pod {
	c.Name, c.Terminated, c.FinishedAt = "main", true, time.Unix(1_800_000_000, 0).UTC()
	return completion.Pod{Containers: []completion.Container{c}}
}

// question is as large as the controller's questions.
func question(pod completion.Pod, i int) *pluginpb.FailedPod {
	q := podverdict.Question(pod)
	q.Uid = fmt.Sprintf("%s-%d", fakeUID, i)
	q.Framework = &pluginpb.Framework{Namespace: namespace, Name: "bench", Uid: fakeUID}
	q.TaskRole, q.TaskIndex, q.Node = role, int32(i), "node"
	q.Labels = map[string]string{"FC_FRAMEWORK_NAME": "bench", "FC_TASKROLE_NAME": role, "FC_TASK_INDEX": fmt.Sprint(i)}
	q.Annotations = map[string]string{"FC_FRAMEWORK_UID": fakeUID, "FC_CONFIGMAP_UID": fakeUID, "FC_TASKROLE_UID": fakeUID, "FC_TASK_UID": fakeUID}
	for _, condition := range []string{"Initialized", "Ready", "ContainersReady", "PodScheduled"} {
		q.Conditions = append(q.Conditions, &pluginpb.PodCondition{Type: condition, Status: "True"})
	}
	return q
}

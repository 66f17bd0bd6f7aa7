package plugintest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// RandomPod generates a realistic failed Pod, without UID.
func RandomPod(r *rand.Rand) *pluginpb.FailedPod {
	pod := &pluginpb.FailedPod{
		Framework:     &pluginpb.Framework{Namespace: pick(r, "default", "team-a"), Name: "f", Uid: "f-uid", AttemptId: r.Int32N(3)},
		TaskRole:      pick(r, "worker", "ps", "chief"),
		TaskIndex:     r.Int32N(10),
		TaskAttemptId: r.Int32N(4),
		Labels:        map[string]string{"app": pick(r, "a", "b")},
		Node:          pick(r, "", "n1", "n2", "n3"),
		Reason:        pick(r, "", "", "", "Evicted", "NodeLost", "OutOfcpu", "DeadlineExceeded", "evicted"),
		Message:       pick(r, "", "", "The node was low on resource: memory", "line one\nline <two> & \u2028 \"three\"", "日本語"),
	}
	pod.Name = fmt.Sprintf("f-%s-%d", pod.TaskRole, pod.TaskIndex)
	for i := range r.IntN(4) {
		pod.Containers = append(pod.Containers, randomContainer(r, i))
	}
	for id := range pod.TaskAttemptId {
		pod.Earlier = append(pod.Earlier, &pluginpb.EarlierVerdict{
			TaskAttemptId: id, Code: randomCode(r), Phrase: "Earlier", Type: &pluginpb.CompletionType{Name: "Failed"},
			Node: pick(r, "n1", "n2", "n3"), CompletionTime: moment(r),
		})
	}
	if r.IntN(6) == 0 {
		reason := pick(r, "DeletionByPodGC", "TerminationByKubelet", "PreemptionByScheduler")
		pod.Conditions = []*pluginpb.PodCondition{{Type: "DisruptionTarget", Status: pick(r, "True", "True", "False"), Reason: reason}}
	}
	return pod
}

func randomContainer(r *rand.Rand, i int) *pluginpb.Container {
	c := &pluginpb.Container{Name: fmt.Sprintf("c%d", i), Image: "image", RestartCount: r.Int32N(2)}
	c.Init = i == 0 && r.IntN(2) == 0
	c.Sidecar = c.Init && r.IntN(2) == 0
	if r.IntN(5) == 0 {
		c.WaitingReason = "PodInitializing"
		return c
	}
	c.Terminated = &pluginpb.Terminated{
		ExitCode: randomCode(r), Signal: pick[int32](r, 0, 0, 0, 9, 11), FinishedAt: moment(r),
		Reason:  pick(r, "Error", "Error", "Completed", "OOMKilled", "ContainerCannotRun", ""),
		Message: pick(r, "", "", "CUDA error", "no such file\n", strings.Repeat("long ", 300)),
	}
	return c
}

func randomCode(r *rand.Rand) int32 {
	return pick[int32](r, 0, 0, 1, 1, 2, 42, 125, 127, 128, 134, 137, 139, 143, 200, 201, 205, 210, 220, 255, -1073741510, -210, -300)
}

// moment is one of a few times, so that some are equal.
func moment(r *rand.Rand) *timestamppb.Timestamp {
	return &timestamppb.Timestamp{Seconds: 1_700_000_000 + r.Int64N(3)}
}

func pick[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

// oddPods are unusual Pods that a plugin must survive. Their UIDs describe the oddity.
func oddPods() []*pluginpb.FailedPod {
	parameter := map[string]*structpb.Value{"no-such-parameter": structpb.NewListValue(&structpb.ListValue{})}
	return []*pluginpb.FailedPod{
		{Uid: "nothing but a uid"},
		{Uid: "empty parts", Framework: &pluginpb.Framework{}, Conditions: []*pluginpb.PodCondition{{}},
			Containers: []*pluginpb.Container{{}, {Terminated: &pluginpb.Terminated{}}}, Earlier: []*pluginpb.EarlierVerdict{{}}},
		{Uid: "extreme numbers", TaskIndex: math.MaxInt32, TaskAttemptId: -1, Containers: []*pluginpb.Container{
			{Terminated: &pluginpb.Terminated{ExitCode: math.MinInt32, Signal: math.MaxInt32}},
			{Terminated: &pluginpb.Terminated{ExitCode: math.MaxInt32, FinishedAt: &timestamppb.Timestamp{Seconds: -1}}}}},
		{Uid: "a long message", Message: strings.Repeat("m", 512<<10), Containers: []*pluginpb.Container{
			{Terminated: &pluginpb.Terminated{ExitCode: 1, Message: strings.Repeat("\"<\n", 100<<10)}}}},
		{Uid: "other parameters", Parameters: &structpb.Struct{Fields: parameter},
			Containers: []*pluginpb.Container{{Terminated: &pluginpb.Terminated{ExitCode: 1}}}},
		{Uid: "a code that is the controller's", Containers: []*pluginpb.Container{{Terminated: &pluginpb.Terminated{ExitCode: 205}}}},
	}
}

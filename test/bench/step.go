package main

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// coreStep measures how long the core's step takes on the large Framework, all of whose Tasks run, when one Pod has succeeded.
func coreStep() (time.Duration, error) {
	in, err := allRunning(largeTasks)
	if err != nil {
		return 0, err
	}
	ref := lifecycle.TaskRef{Role: role, Index: largeTasks / 2}
	pod := podOf(in.Saved, ref, lifecycle.PodSucceeded)
	pod.Outcome = completion.Pod{Containers: []completion.Container{{Name: "main", Terminated: true}}}
	in.Observed = lifecycle.Observed{
		ConfigMap: in.Observed.ConfigMap,
		Partial:   true,
		Pods:      map[lifecycle.TaskRef]lifecycle.PodView{ref: {Pod: pod}},
	}
	if out := lifecycle.Step(in); len(out.Moves) == 0 {
		return 0, fmt.Errorf("the core makes nothing of a Pod that has succeeded")
	}
	result := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			lifecycle.Step(in)
		}
	})
	return time.Duration(result.NsPerOp()), nil
}

// allRunning steps a new Framework until all its Tasks run.
func allRunning(tasks int) (lifecycle.Input, error) {
	in := lifecycle.Input{
		Framework: lifecycle.Framework{Name: "bench", UID: fakeUID, Generation: 1, Spec: &framework("bench", tasks).Spec},
		Config:    lifecycle.Config{CreationTimeout: time.Hour},
		Now:       time.Unix(1_800_000_000, 0),
	}
	for i := range 20 {
		binary.BigEndian.PutUint64(in.Seed[:], uint64(i))
		in.Observed = everythingRuns(in.Saved)
		in.Saved = lifecycle.Step(in).State
		if in.Saved.Framework().Tasks.Running == int32(tasks) {
			return in, nil
		}
	}
	return in, fmt.Errorf("the core has not come to run its Tasks; it is in state %s", in.Saved.Framework().State)
}

// everythingRuns observes everything that a state asks for: the ConfigMap, and every Pod, running.
func everythingRuns(s *lifecycle.State) lifecycle.Observed {
	seen := lifecycle.Observed{ConfigMap: lifecycle.ConfigMapView{ConfigMap: &lifecycle.ConfigMap{
		UID: fakeUID, Cached: true, FrameworkUID: fakeUID,
	}}}
	if s == nil || s.Framework().AttemptStatus.ConfigMapUID == nil {
		return seen
	}
	seen.Pods = map[lifecycle.TaskRef]lifecycle.PodView{}
	for ref := range s.Tasks {
		seen.Pods[ref] = lifecycle.PodView{Pod: podOf(s, ref, lifecycle.PodRunning)}
	}
	return seen
}

func podOf(s *lifecycle.State, ref lifecycle.TaskRef, phase lifecycle.PodPhase) *lifecycle.Pod {
	return &lifecycle.Pod{
		UID:          types.UID(fmt.Sprintf("%s-%d", fakeUID, ref.Index)),
		Cached:       true,
		ConfigMapUID: fakeUID,
		TaskUID:      s.Task(ref).InstanceUID,
		Phase:        phase,
		NodeName:     "node", IP: "10.0.0.1", HostIP: "10.255.0.1",
	}
}

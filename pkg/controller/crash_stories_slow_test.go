package controller

import (
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// slowStories are about a cluster that delays everything, and a large status.
func slowStories() []story {
	return []story{
		{
			// Nothing advances before the state that it has led to is stored, so that no state is skipped.
			name: "every state",
			spec: edits(taskRetries(1), taskDelay(1), frameworkRetries(1), frameworkDelay(1)),
			begin: func(w *world) {
				w.Hold(apitest.ConfigMaps)
				w.Hold(apitest.Pods)
			},
			exit: func(s scene, pod podRun) int64 {
				return onlyIf(pod.taskAttempt > 0 || pod.frameworkAttempt > 0, int64(1-pod.frameworkAttempt))
			},
			steps: []step{
				{whenFramework(v1.AttemptCreationRequested), func(w *world) { w.Release(apitest.ConfigMaps) }},
				{whenTask(v1.AttemptCreationRequested), func(w *world) { w.Release(apitest.Pods) }},
				{whenTask(v1.AttemptRunning), endUnseen},
				{whenTask(v1.AttemptDeletionRequested), func(w *world) { w.Release(apitest.Pods) }},
				{whenTask(v1.AttemptDeleting), letPodGo},
				{secondRuns, func(w *world) { w.KeepGarbage(true); w.Hold(apitest.ConfigMaps) }},
				{whenFramework(v1.AttemptDeletionRequested), func(w *world) { w.Release(apitest.ConfigMaps) }},
				{whenFramework(v1.AttemptDeleting), func(w *world) { w.KeepGarbage(false) }},
			},
		},
		{
			// Without the stop, the policy would ask for another attempt.
			name: "stopped before the ConfigMap is seen",
			spec: edits(fancy),
			begin: func(w *world) {
				w.Hold(apitest.ConfigMaps)
				w.KeepGarbage(true)
			},
			steps: []step{
				{whenFramework(v1.AttemptCreationRequested), stopA},
				{configMapTerminates, func(w *world) { w.Release(apitest.ConfigMaps) }},
				{whenFramework(v1.AttemptDeleting), func(w *world) { w.KeepGarbage(false) }},
			},
			over: func(s scene) bool { return s.status.State == v1.Completed && s.status.AttemptStatus.ID == 0 },
		},
		{
			name:  "a status that is stored compressed",
			spec:  edits(tasks(2500), execution(v1.ExecutionCreate)),
			begin: func(w *world) { w.options.CompressEarly = true },
			steps: []step{{begun, stopA}},
		},
	}
}

func whenFramework(state v1.State) func(scene) bool {
	return func(s scene) bool { return s.reached(0, state) }
}

func whenTask(state v1.State) func(scene) bool {
	return func(s scene) bool { return s.taskReached(0, 0, state) }
}

func configMapTerminates(s scene) bool {
	cm := s.Get(apitest.ConfigMaps, v1.ConfigMapName("a"))
	return cm != nil && cm.GetDeletionTimestamp() != nil
}

func secondRuns(s scene) bool { return s.taskReached(0, 1, v1.AttemptPreparing) }

const kept = "example.com/keep"

// endUnseen lets the first Pod fail, and stay when it is deleted. The caches see its failure, and nothing later yet.
func endUnseen(w *world) {
	w.Hold(apitest.Pods)
	w.Edit(apitest.Pods, "a-w-0", func(o *unstructured.Unstructured) {
		apitest.Exited(1)(o)
		o.SetFinalizers([]string{kept})
	})
	version, _ := strconv.ParseInt(w.Get(apitest.Pods, "a-w-0").GetResourceVersion(), 10, 64)
	w.HoldAt(apitest.Pods, version)
}

func letPodGo(w *world) { w.Unfinalize(apitest.Pods, "a-w-0", kept) }

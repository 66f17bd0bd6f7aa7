package controller

import (
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// troubles are stories in which others interfere, or something is refused.
func troubles() []story {
	return []story{
		{
			name:  "others delete a Pod",
			spec:  edits(fancy),
			exit:  func(_ scene, pod podRun) int64 { return onlyIf(pod.taskAttempt > 0, 0) },
			steps: []step{{oneRuns, func(w *world) { w.Delete(apitest.Pods, "a-w-0") }}},
		},
		{
			// The Pod terminates slowly; otherwise, the order of the observed deletions would decide whether its Task is retried.
			name:  "others delete the ConfigMap",
			spec:  edits(fancy),
			begin: func(w *world) { w.KeepTerminating(true) },
			exit:  func(_ scene, pod podRun) int64 { return onlyIf(pod.frameworkAttempt > 0, 0) },
			steps: []step{
				{oneRuns, func(w *world) { w.Delete(apitest.ConfigMaps, "a-attempt") }},
				{whenFramework(v1.AttemptDeleting), func(w *world) { w.KeepTerminating(false) }},
			},
		},
		{
			name:  "a Pod that does not terminate is deleted by force",
			spec:  edits(tasks(2), gracefulTimeoutSec(0)),
			begin: func(w *world) { w.KeepTerminating(true) },
			exit:  once(func(s scene) bool { return s.seen() && s.count() == 1 }, 0),
			steps: []step{{func(s scene) bool { return s.running() == 2 }, respec(tasks(1), gracefulTimeoutSec(0))}},
		},
		{
			name: "a Pod is refused",
			spec: edits(tasks(2), policy(2, -1)),
			fault: func(q apitest.Request) *apitest.Fault {
				if q.Verb != "create" || q.Resource != apitest.Pods || q.Name != "a-w-1" {
					return nil
				}
				f := apitest.Refuse(http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "it has no taste")
				return &f
			},
			exit: once(func(s scene) bool { return s.taskReached(1, 0, v1.Completed) }, 0), // otherwise it depends on which is first,
		},
		{
			name:   "a Pod finds no node in time",
			spec:   edits(tasks(2), taskRetries(1), startDeadline(v1.StartDeadlineSpec{UnscheduledSec: 3})),
			starts: func(pod podRun) bool { return pod.index == 0 || pod.taskAttempt > 0 },
		},
		conflictOf(apitest.Pods, "a-w-0"),
		conflictOf(apitest.ConfigMaps, "a-attempt"),
		{
			name:  "no cache ever shows the Pod",
			spec:  edits(frameworkRetries(1)),
			begin: func(w *world) { w.options.Lifecycle.CreationTimeout = time.Second; w.Hold(apitest.Pods) },
			steps: []step{{func(s scene) bool { return s.reached(1, v1.AttemptCreationPending) }, func(w *world) { w.Release(apitest.Pods) }}},
		},
		{
			name:  "no cache ever shows the ConfigMap",
			begin: func(w *world) { w.options.Lifecycle.CreationTimeout = time.Second; w.Hold(apitest.ConfigMaps) },
		},
		{
			name:  "the spec makes no sense, and is mended",
			begin: func(w *world) { w.Set(apitest.Frameworks, "a", "none", "spec", "taskRoles") },
			steps: []step{{func(s scene) bool { return s.condition("a", v1.ConditionStatusInvalid) != "" }, respec()}},
		},
		{
			name:  "another controller replaces the CRD",
			begin: func(w *world) { w.errorsExpected = true },
			exit:  once(func(s scene) bool { return len(s.History(apitest.CRDs, v1.CRDName)) > 1 }, 0),
			steps: []step{{oneRuns, func(w *world) {
				w.Edit(apitest.CRDs, v1.CRDName, func(o *unstructured.Unstructured) {
					o.Object["spec"] = map[string]any{"versions": []any{map[string]any{"name": "v1"}}}
				})
			}}},
		},
	}
}

// conflictOf is the story of a name that somebody else uses for a while.
func conflictOf(resource, name string) story {
	return story{
		name:  "the name is taken: " + name,
		begin: func(w *world) { w.Create(resource, foreign(resource, name)) },
		steps: []step{{waits, func(w *world) { w.Delete(resource, name) }}},
	}
}

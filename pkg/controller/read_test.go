package controller

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// A Framework is first read from the API server, so that a lagging watch does not matter.
func TestFirstSightIsConsistent(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("a")
	w.eventually("there is a status", func() bool { return w.status("a").State != "" })
	w.Hold(apitest.Frameworks)
	w.runs("a")
	attempt := w.status("a").AttemptStatus

	w.restart()
	w.EndPod("a-w-0", 0)
	w.reaches("a", v1.Completed)
	if now := w.status("a").AttemptStatus; *now.ConfigMapUID != *attempt.ConfigMapUID || now.ID != attempt.ID {
		t.Error("the attempt did not continue")
	}
	w.requireRequests("create pods", 1)
}

// An old object of the same name in the cache does not count either.
func TestFirstSightOfARecreatedFramework(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("a", func(s *v1.FrameworkSpec) { s.ExecutionType = v1.ExecutionCreate })
	w.reaches("a", v1.AttemptCreationPending)
	w.Hold(apitest.Frameworks)
	w.Delete(apitest.Frameworks, "a")
	w.create("a")
	w.restart()
	w.runs("a")
	w.Release(apitest.Frameworks)
	w.EndPod("a-w-0", 0)
	w.reaches("a", v1.Completed)
	w.requireRequests("create pods", 1)
}

// A Pod that went while no controller ran is asked for before it counts as gone.
func TestRecordedPodIsAskedFor(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a")
	w.stop()
	w.Vanish(apitest.Pods, "a-w-0")
	w.start()
	w.reaches("a", v1.Completed)
	w.requireTaskCode("a", -101)
	w.requireRequests("get pods a-w-0", 1)
}

// A Pod that is only missing from the cache keeps its state, and is followed once the cache shows it.
func TestRecordedPodIsMissingFromTheCache(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a")
	w.stop()
	w.HoldAt(apitest.Pods, 1)
	w.start()
	w.requested("get pods a-w-0", 1)
	w.never("an outcome", func() bool { return w.task("a", "w", 0).AttemptStatus.CompletionStatus != nil })
	w.Release(apitest.Pods)
	w.EndPod("a-w-0", 0)
	w.reaches("a", v1.Completed)
	w.requireTaskCode("a", 0)
}

// An answer to a question from before a creation shows nothing about the creation.
func TestAskedAgainAfterACreation(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", taskRetries(1))
	w.stop()
	w.Vanish(apitest.Pods, "a-w-0")
	w.Hold(apitest.Pods)
	w.Inject("create pods", 1, apitest.LoseAnswer)
	w.start()
	w.eventually("the second attempt has a Pod", func() bool { return w.Get(apitest.Pods, "a-w-0") != nil })
	w.respec("a", tasks(0))
	w.requested("delete pods", 1)
	w.Release(apitest.Pods)
	w.eventually("the Task is dropped", func() bool { return len(w.status("a").AttemptStatus.TaskRoleStatuses[0].TaskStatuses) == 0 })
}

// A Pod deleted as soon as it is found may never appear in a cache. Its end is detected all the same.
func TestNeverInTheCache(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("a", func(s *v1.FrameworkSpec) { s.TaskRoles[0].TaskNumber = 0 })
	w.reaches("a", v1.AttemptPreparing)
	w.Hold(apitest.Pods)
	w.Inject("create pods", 1, apitest.LoseAnswer)
	for _, n := range []int32{1, 0} {
		w.respec("a", tasks(n))
		w.eventually("the Pod comes and goes", func() bool { return (w.Get(apitest.Pods, "a-w-0") != nil) == (n == 1) })
	}
	w.Compact()
	w.eventually("the Task is dropped", func() bool { return len(w.status("a").AttemptStatus.TaskRoleStatuses[0].TaskStatuses) == 0 })
}

// The same for the ConfigMap.
func TestConfigMapNeverInTheCache(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.Hold(apitest.ConfigMaps)
	w.Inject("create configmaps", 1, apitest.LoseAnswer)
	w.create("a")
	w.eventually("the ConfigMap is there", func() bool { return w.Get(apitest.ConfigMaps, "a-attempt") != nil })
	w.stopFramework("a")
	w.eventually("the ConfigMap has gone", func() bool { return w.Get(apitest.ConfigMaps, "a-attempt") == nil })
	w.Compact()
	w.reaches("a", v1.Completed)
	w.requireCode("a", -210)
}

// A cache that was filled late shows a ConfigMap that has gone. No Pod is created under it.
func TestRecordedConfigMapIsOnlyInTheCache(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", taskRetries(1))
	w.stop()
	w.Hold(apitest.ConfigMaps)
	w.Vanish(apitest.ConfigMaps, "a-attempt")
	w.start()
	w.reaches("a", v1.Completed)
	w.requireCode("a", -100)
	w.requireRequests("create pods", 1)
}

// A Pod that vanishes while the watch is broken is known to be gone once the watch has restarted, even if another Pod has its
// name by then.
func TestPodGoneBetweenWatches(t *testing.T) {
	t.Parallel()
	for _, replaced := range []bool{false, true} {
		t.Run(fmt.Sprintf("replaced=%v", replaced), func(t *testing.T) {
			t.Parallel()
			w := startWorld(t)
			w.running("a")
			w.Hold(apitest.Pods)
			w.Vanish(apitest.Pods, "a-w-0")
			if replaced {
				other := foreign(apitest.Pods, "a-w-0")
				other.SetLabels(map[string]string{v1.KeyFrameworkName: "a"})
				w.Create(apitest.Pods, other)
			}
			w.Compact()
			w.reaches("a", v1.Completed)
			w.requireTaskCode("a", -101)
			asked := w.Requests("get pods") // it might only have lost its label
			if len(asked) == 0 || asked[0].Version == "" {
				t.Errorf("got %v, want one of what an API server has at hand at first", asked)
			}
			if more := len(asked) > 1; more != replaced {
				t.Errorf("asked %d times", len(asked))
			}
		})
	}
}

func TestRecordedConfigMapIsAskedFor(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a")
	w.stop()
	w.Vanish(apitest.ConfigMaps, "a-attempt")
	w.start()
	w.reaches("a", v1.Completed)
	w.requireCode("a", -100)
	w.requireRequests("get configmaps a-attempt", 1)
}

func TestRecordedConfigMapIsMissingFromTheCache(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a")
	w.stop()
	w.HoldAt(apitest.ConfigMaps, 1)
	w.start()
	w.requested("get configmaps a-attempt", 1)
	w.never("an outcome", func() bool { return w.status("a").AttemptStatus.CompletionStatus != nil })
	w.EndPod("a-w-0", 0)
	w.taskReaches("a", "w", 0, v1.Completed)
	w.Release(apitest.ConfigMaps)
	w.reaches("a", v1.Completed)
	w.requireCode("a", 0)
}

// After a restart the stored status counts. One that makes no sense stops its own Framework only, and only until
// it is repaired.
func TestBadStoredStatus(t *testing.T) {
	t.Parallel()
	edits := map[string]func(status map[string]any){
		"type":          func(status map[string]any) { status["startTime"] = int64(1) },
		"unknown state": func(status map[string]any) { status["state"] = "Dreaming" },
		"contradiction": func(status map[string]any) { status["state"] = "AttemptDeleting" },
		"not an object": func(status map[string]any) { status["retryPolicyStatus"] = "never" },
	}
	for name, edit := range edits {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := startWorld(t)
			w.tampered = true
			w.running("a")
			w.stop()
			good := w.Get(apitest.Frameworks, "a").Object["status"]
			w.Edit(apitest.Frameworks, "a", func(o *unstructured.Unstructured) { edit(o.Object["status"].(map[string]any)) })
			w.start()
			w.requireMarkedInvalid("a", "StatusInvalid")
			w.EndPod("a-w-0", 0)
			w.never("a deletion", func() bool { return len(w.Requests("delete pods a-w-0")) > 0 })

			w.Edit(apitest.Frameworks, "a", func(o *unstructured.Unstructured) { o.Object["status"] = good })
			w.reaches("a", v1.Completed)
			w.requireNotInvalid("a")
		})
	}
}

// A stored spec that does not decode stops its own Framework only, and only until it is repaired.
func TestBadStoredSpec(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	f := framework(t, "a")
	f.Object["spec"].(map[string]any)["taskRoles"] = "none"
	w.Create(apitest.Frameworks, f)
	w.requireMarkedInvalid("a", "SpecInvalid")
	w.respec("a")
	w.runs("a")
	w.requireNotInvalid("a")
}

// The spec of a Framework that runs may be spoiled too. Its Pods are left alone meanwhile.
func TestSpecSpoiledWhileRunning(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a")
	w.Set(apitest.Frameworks, "a", "none", "spec", "taskRoles")
	w.requireMarkedInvalid("a", "SpecInvalid")
	w.EndPod("a-w-0", 0)
	w.never("a deletion", func() bool { return len(w.Requests("delete pods a-w-0")) > 0 })

	w.respec("a")
	w.reaches("a", v1.Completed)
	w.requireNotInvalid("a")
	w.requireNotOverwritten("a")
}

// A Framework may be repaired just while it is being reported as invalid.
func TestRepairedWhileBeingReported(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	held := make(chan struct{})
	w.Inject("patch frameworks/status", 1, apitest.Fault{Wait: held})
	f := framework(t, "a")
	f.Object["spec"].(map[string]any)["taskRoles"] = "none"
	w.Create(apitest.Frameworks, f)
	w.requested("patch frameworks/status", 1)
	w.respec("a")
	close(held)
	w.runs("a")
	w.requireNotInvalid("a")
}

// requireMarkedInvalid checks that the Framework is reported as invalid, and that others continue.
func (w *world) requireMarkedInvalid(name, reason string) {
	w.t.Helper()
	w.conditionBecomes(name, v1.ConditionStatusInvalid, "True because "+reason)
	w.warnedOnce(name, reason)
	w.running("neighbour")
}

func (w *world) requireNotInvalid(name string) {
	w.t.Helper()
	if c := w.condition(name, v1.ConditionStatusInvalid); c != "" && c[:5] != "False" {
		w.t.Errorf("the condition %s is %s", v1.ConditionStatusInvalid, c)
	}
}

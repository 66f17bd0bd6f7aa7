package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/admitter/admission"
)

// A scheduler that admits gangs is heard at once, and may take an attempt back. The scheduler is played by the stories.
func TestAdmission(t *testing.T) {
	require.NoError(t, build(t.Context(), pluginDir()+"/", "../admitter"))
	withPlugins(t, `
- {name: admitter, kind: SchedulerHints, command: admitter}
`)
	first := newAdmissionStory(t) // it ends after the others, and the kind with it
	first.defineKind(string(admission.CRD))
	first.isAdmitted()
	stories := map[string]func(*admissionStory){
		"taken back":                      (*admissionStory).isEvicted,
		"taken back within a time":        (*admissionStory).isEvictedWithin,
		"taken back before it ran":        (*admissionStory).isNotYetAdmitted,
		"a field that is dropped":         (*admissionStory).wantsUnknownField,
		"Tasks complete":                  (*admissionStory).hasFewerTasks,
		"suspended while it waits":        (*admissionStory).isSuspended,
		"the object of a running gang":    (*admissionStory).objectIsDeleted,
		"taken back between two Pods":     (*admissionStory).isEvictedBetweenPods,
		"a patch for a role that is gone": (*admissionStory).wantsUnknownRole,
		"the object is edited":            (*admissionStory).objectIsEdited,
	}
	t.Run("stories", func(t *testing.T) {
		for name, tell := range stories {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				tell(newAdmissionStory(t))
			})
		}
	})
	t.Run("the kind goes", func(t *testing.T) { newAdmissionStory(t).kindIsDeleted() })
	t.Run("the kind changes its version", func(t *testing.T) { newAdmissionStory(t).versionChanges() })
	t.Run("controller started anew", func(t *testing.T) { newAdmissionStory(t).isEvictedMeanwhile() })
}

// admissionStory is a story with Admissions.
type admissionStory struct {
	*story
	admissions dynamic.ResourceInterface
}

func newAdmissionStory(t *testing.T) *admissionStory {
	s := newStory(t)
	return &admissionStory{s, s.objects(admission.Resource)}
}

func (s *admissionStory) gang(tasks int, simulated ...string) string {
	return s.gangOf("research", tasks, simulated...)
}

func (s *admissionStory) gangOf(queue string, tasks int, simulated ...string) string {
	return fmt.Sprintf(`{scheduling: {queue: %s}, taskRoles: [{name: a, taskNumber: %d, frameworkAttemptCompletionPolicy: {minFailedTaskCount: 1, minSucceededTaskCount: -1}, task: {pod: %s}}]}`,
		queue, tasks, pod(simulated...))
}

// says acts as the scheduler on an attempt, as soon as its object exists.
func (s *admissionStory) says(name string, a admission.Answer) {
	s.t.Helper()
	s.eventually(func(ctx context.Context) error { return admission.Say(ctx, s.admissions, name, a) })
}

func (s *admissionStory) awaitAdmission(name string) {
	s.t.Helper()
	s.awaitCondition(name, v1.ConditionWaiting, metav1.ConditionTrue, "SchedulerNotReady")
}

// The admission's patches are applied to the Pods.
func (s *admissionStory) isAdmitted() {
	s.create("gang", s.gang(3))
	s.awaitAdmission("gang")
	s.requirePods(podCount{})
	before := time.Now()
	s.says("gang-0", admission.Answer{Phase: admission.Admitted})
	s.awaitAllRunning("gang", 3)
	// Without the watch it would be asked after two minutes.
	if took := time.Since(before); took > time.Minute {
		s.t.Errorf("the admission was heard of after %s", took)
	}
	until(s.story, thePods, "gang-a-2", "placed as it was admitted", func(p *corev1.Pod) bool { return p.Labels["pool"] == "fast" })
	s.patch("gang", `[{op: replace, path: /spec/taskRoles/0/taskNumber, value: 4}]`)
	s.awaitAllRunning("gang", 4)
	s.requirePods(podCount{created: 4})
}

// An attempt that is taken back ends whole, does not count, and the next one waits.
func (s *admissionStory) isEvicted() {
	s.create("gang", s.gang(2))
	s.says("gang-0", admission.Answer{Phase: admission.Admitted})
	s.awaitAllRunning("gang", 2)
	s.says("gang-0", admission.Answer{Phase: admission.Evicted, Message: "preempted by gang-of-others"})
	f := s.awaitState("gang", v1.AttemptPreparing, 1)
	if n := f.Status.RetryPolicyStatus.AccountableRetriedCount; n != 0 {
		s.t.Errorf("the eviction counts as %d retries", n)
	}
	s.awaitAdmission("gang")
	s.requirePods(podCount{created: 2, gone: 2})
	s.says("gang-1", admission.Answer{Phase: admission.Admitted})
	s.awaitAllRunning("gang", 2)
}

// Its Pods get the grace period that the scheduler sets.
func (s *admissionStory) isEvictedWithin() {
	s.create("gang", s.gang(2, "terminate-after", "2s"))
	s.says("gang-0", admission.Answer{Phase: admission.Admitted})
	s.awaitAllRunning("gang", 2)
	s.says("gang-0", admission.Answer{Phase: admission.Evicted, GraceSeconds: 17})
	for _, name := range []string{"gang-a-0", "gang-a-1"} {
		until(s.story, thePods, name, "terminating within 17 s", func(p *corev1.Pod) bool {
			return p.DeletionGracePeriodSeconds != nil && *p.DeletionGracePeriodSeconds == 17
		})
	}
	s.awaitState("gang", v1.AttemptPreparing, 1)
}

// No Pod is created without a field that the scheduler needs.
func (s *admissionStory) wantsUnknownField() {
	s.create("gang", s.gangOf(admission.UnknownField, 2))
	s.awaitWaiting("gang", "HintsObjectsFailed", "the API server drops spec.noSuchField from Pods")
	s.requirePods(podCount{})
}

// There is nothing to take back before.
func (s *admissionStory) isNotYetAdmitted() {
	s.create("gang", s.gang(2))
	s.says("gang-0", admission.Answer{Phase: admission.Evicted, Message: "the queue is closed"})
	s.awaitWaiting("gang", "SchedulerNotReady", "the queue is closed")
	s.says("gang-0", admission.Answer{Phase: admission.Admitted})
	f := s.awaitState("gang", v1.AttemptRunning, 0)
	if f.Status.RetryPolicyStatus.TotalRetriedCount != 0 {
		s.t.Error("it was retried")
	}
}

// The object follows the Tasks that have completed.
func (s *admissionStory) hasFewerTasks() {
	s.create("gang", s.gang(3))
	s.says("gang-0", admission.Answer{Phase: admission.Admitted})
	s.awaitAllRunning("gang", 3)
	s.endPod("gang-a-1", 0)
	s.awaitPods("gang-0", 2)
	s.awaitState("gang", v1.AttemptRunning, 0)
}

func (s *admissionStory) isSuspended() {
	s.create("gang", s.gang(2))
	s.awaitAdmission("gang")
	s.patch("gang", `spec: {suspend: true}`)
	s.awaitState("gang", v1.AttemptCompleted, 0)
	s.patch("gang", `spec: {suspend: false}`)
	s.says("gang-1", admission.Answer{Phase: admission.Admitted})
	s.awaitAllRunning("gang", 2)
	s.requirePods(podCount{created: 2})
}

// If others delete its object, a Framework continues with its existing Pods, and reports why it gets no more.
func (s *admissionStory) objectIsDeleted() {
	s.create("gang", s.gang(2))
	s.says("gang-0", admission.Answer{Phase: admission.Admitted})
	s.awaitAllRunning("gang", 2)
	require.NoError(s.t, s.admissions.Delete(s.t.Context(), "gang-0", metav1.DeleteOptions{}))
	s.awaitAdmission("gang")
	s.requirePods(podCount{created: 2})
}

// Events while no controller runs are noticed by the next one.
func (s *admissionStory) isEvictedMeanwhile() {
	s.create("gang", s.gang(2))
	s.says("gang-0", admission.Answer{Phase: admission.Admitted})
	s.awaitAllRunning("gang", 2)
	controller.down(s.t, func() { s.says("gang-0", admission.Answer{Phase: admission.Evicted, Message: "preempted"}) })
	awaitStarted(s.t)
	s.awaitState("gang", v1.AttemptPreparing, 1)
	s.requirePods(podCount{created: 2, gone: 2})
}

// Created Pods are deleted, and the missing ones are not created before the next attempt is admitted.
func (s *admissionStory) isEvictedBetweenPods() {
	s.limit("pods", 1)
	s.create("gang", s.gang(3))
	s.says("gang-0", admission.Answer{Phase: admission.Admitted})
	s.awaitRunning("gang", 1)
	s.awaitWaiting("gang", "Forbidden", "exceeded quota")
	s.says("gang-0", admission.Answer{Phase: admission.Evicted, Message: "preempted"})
	f := s.awaitState("gang", v1.AttemptPreparing, 1)
	if n := f.Status.RetryPolicyStatus.AccountableRetriedCount; n != 0 {
		s.t.Errorf("the eviction counts as %d retries", n)
	}
	s.unlimit()
	s.awaitAdmission("gang")
	s.requirePods(podCount{created: 1, gone: 1})
	s.says("gang-1", admission.Answer{Phase: admission.Admitted})
	s.awaitAllRunning("gang", 3)
	s.requirePods(podCount{created: 4, gone: 1})
}

// No Pod is created by an answer that makes no sense.
func (s *admissionStory) wantsUnknownRole() {
	s.create("gang", s.gangOf(admission.UnknownRole, 2))
	s.says("gang-0", admission.Answer{Phase: admission.Admitted})
	s.awaitWaiting("gang", "PluginUnavailable", `there is no role "gone"`)
	s.requirePods(podCount{})
}

// Changes by others to the object are kept until the hints change.
func (s *admissionStory) objectIsEdited() {
	s.create("gang", s.gang(2))
	s.awaitAdmission("gang")
	s.editPods("gang-0", 9)
	s.says("gang-0", admission.Answer{Phase: admission.Admitted})
	s.awaitAllRunning("gang", 2)
	s.awaitPods("gang-0", 9)
	s.patch("gang", `[{op: replace, path: /spec/taskRoles/0/taskNumber, value: 3}]`)
	s.awaitPods("gang-0", 3)
	s.awaitAllRunning("gang", 3)
	s.requirePods(podCount{created: 3})
}

func (s *admissionStory) editPods(name string, pods int) {
	s.t.Helper()
	patch := fmt.Appendf(nil, `{"spec":{"pods":%d}}`, pods)
	_, err := s.admissions.Patch(s.t.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{})
	require.NoError(s.t, err)
}

func (s *admissionStory) awaitPods(name string, pods int64) {
	s.t.Helper()
	s.eventually(func(ctx context.Context) error {
		o, err := s.admissions.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if n, _, _ := unstructured.NestedInt64(o.Object, "spec", "pods"); n != pods {
			return fmt.Errorf("it has %d Pods", n)
		}
		return nil
	})
}

// oneRunsAndOneWaits begins two gangs of two Tasks, one of which is admitted.
func (s *admissionStory) oneRunsAndOneWaits() {
	s.create("runs", s.gang(2))
	s.says("runs-0", admission.Answer{Phase: admission.Admitted})
	s.awaitAllRunning("runs", 2)
	s.create("waits", s.gang(2))
	s.awaitAdmission("waits")
}

// All objects disappear with the CRD. A running gang is not evicted by that, and a waiting one continues when the CRD is back, both without
// help.
func (s *admissionStory) kindIsDeleted() {
	s.oneRunsAndOneWaits()
	s.kubectl("delete", "crd", admission.Resource.GroupResource().String())
	for _, name := range []string{"runs", "waits"} {
		s.awaitWaiting(name, "HintsObjectsFailed", "Admission "+name+"-0")
	}
	client, err := dynamic.NewForConfig(kube.Config)
	require.NoError(s.t, err)
	require.NoError(s.t, admission.Define(s.t.Context(), client))
	for _, name := range []string{"runs", "waits"} {
		s.says(name+"-0", admission.Answer{Phase: admission.Admitted})
		s.awaitCondition(name, v1.ConditionWaiting, metav1.ConditionFalse, "")
	}
	s.awaitAllRunning("waits", 2)
	if f := s.awaitAllRunning("runs", 2); f.Status.AttemptStatus.ID != 0 {
		s.t.Errorf("what ran is in attempt %d", f.Status.AttemptStatus.ID)
	}
	s.requirePods(podCount{created: 4})
}

// If the version that the plugin uses is no longer served, a running gang continues, and a new one reports the missing version. The new
// one, and one that waited before, are admitted when the version is served again, without help.
func (s *admissionStory) versionChanges() {
	s.oneRunsAndOneWaits()
	s.serveVersions("v2")
	s.create("comes", s.gang(2))
	s.awaitWaiting("comes", "HintsObjectsFailed", "Admission comes-0")
	s.serveVersions("v1", "v2")
	for _, name := range []string{"waits", "comes"} {
		s.says(name+"-0", admission.Answer{Phase: admission.Admitted})
		s.awaitAllRunning(name, 2)
		s.awaitCondition(name, v1.ConditionWaiting, metav1.ConditionFalse, "")
	}
	if f := s.awaitAllRunning("runs", 2); f.Status.AttemptStatus.ID != 0 {
		s.t.Errorf("what ran is in attempt %d", f.Status.AttemptStatus.ID)
	}
	s.requirePods(podCount{created: 6})
}

// serveVersions has the kind served in these versions of two, and waits until the API server does so. It is stored in the newer.
func (s *admissionStory) serveVersions(served ...string) {
	s.t.Helper()
	var versions []any
	for _, name := range []string{"v1", "v2"} {
		versions = append(versions, map[string]any{"name": name, "served": slices.Contains(served, name), "storage": name == "v2",
			"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}}})
	}
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"versions": versions}})
	require.NoError(s.t, err)
	s.kubectl("patch", "crd", admission.Resource.GroupResource().String(), "--type=merge", "--patch="+string(patch))
	s.eventually(func(ctx context.Context) error {
		_, err := s.admissions.List(ctx, metav1.ListOptions{})
		if want := slices.Contains(served, "v1"); (err == nil) != want {
			return fmt.Errorf("served is %t, and listing says: %v", want, err)
		}
		return nil
	})
}

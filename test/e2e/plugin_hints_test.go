package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// hints-volcano has PodGroups created, and waits for them. The stories play Volcano itself: they admit groups. Pods go to the cluster's
// scheduler.
func TestVolcano(t *testing.T) {
	withPlugins(t, `
- {name: volcano, kind: SchedulerHints, command: hints-volcano, parameters: {schedulerName: default-scheduler}}
`)
	// The kind is not known at first, so this story runs before the others.
	early := newVolcanoStory(t)
	early.create("early", early.gang(1))
	early.awaitWaiting("early", "HintsObjectsFailed", `no matches for kind "PodGroup"`)
	early.defineKind(podGroupDefinition)
	early.admit("early-0")
	early.awaitAllRunning("early", 1)

	stories := map[string]func(*volcanoStory){
		"admitted":                  (*volcanoStory).isAdmitted,
		"rescaled":                  (*volcanoStory).isRescaled,
		"retried":                   (*volcanoStory).isRetried,
		"name of the group taken":   (*volcanoStory).nameIsTaken,
		"group deleted":             (*volcanoStory).groupIsDeleted,
		"group of a gang deleted":   (*volcanoStory).isTakenBack,
		"retried alone":             (*volcanoStory).isRetriedAlone,
		"disabled while it waits":   (*volcanoStory).isDisabled,
		"without a queue":           (*volcanoStory).hasNoQueue,
		"stopped before it started": (*volcanoStory).isStopped,
	}
	t.Run("stories", func(t *testing.T) {
		for name, tell := range stories {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				tell(newVolcanoStory(t))
			})
		}
	})
	t.Run("controller started anew", func(t *testing.T) { newVolcanoStory(t).outlivesTheController() })
}

// volcanoStory is a story with PodGroups.
type volcanoStory struct {
	*story
	groups dynamic.ResourceInterface
}

var podGroups = schema.GroupVersionResource{Group: "scheduling.volcano.sh", Version: "v1beta1", Resource: "podgroups"}

func newVolcanoStory(t *testing.T) *volcanoStory {
	s := newStory(t)
	return &volcanoStory{s, s.objects(podGroups)}
}

// objects returns the objects of any kind in the namespace of the story.
func (s *story) objects(kind schema.GroupVersionResource) dynamic.ResourceInterface {
	s.t.Helper()
	client, err := dynamic.NewForConfig(kube.Config)
	require.NoError(s.t, err)
	return client.Resource(kind).Namespace(s.namespace)
}

// gang is a spec with a role of `tasks` Tasks for Volcano.
func (s *volcanoStory) gang(tasks int) string {
	return fmt.Sprintf(`{plugins: [{name: volcano, parameters: {queue: research}}], taskRoles: [{name: a, taskNumber: %d, task: {pod: %s}}]}`,
		tasks, pod())
}

// awaitAdmission returns once the Framework waits for its scheduler with that message.
func (s *volcanoStory) awaitAdmission(name, message string) {
	s.t.Helper()
	s.awaitWaiting(name, "SchedulerNotReady", message)
}

func (s *story) awaitWaiting(name, reason, message string) {
	s.t.Helper()
	s.await(name, "waiting because of "+message, func(f *v1.FrameworkStatus) bool {
		return slices.ContainsFunc(f.Conditions, func(c metav1.Condition) bool {
			return c.Type == v1.ConditionWaiting && c.Status == metav1.ConditionTrue && c.Reason == reason && strings.Contains(c.Message, message)
		})
	})
}

// awaitGroup returns the group once its minimum has that value.
func (s *volcanoStory) awaitGroup(name string, members int64) *unstructured.Unstructured {
	s.t.Helper()
	var group *unstructured.Unstructured
	s.eventually(func(ctx context.Context) (err error) {
		if group, err = s.groups.Get(ctx, name, metav1.GetOptions{}); err != nil {
			return err
		}
		if found, _, _ := unstructured.NestedInt64(group.Object, "spec", "minMember"); found != members {
			return fmt.Errorf("it has %d members, want %d", found, members)
		}
		return nil
	})
	return group
}

// admit admits a group as Volcano does when there is room for it, as soon as the group exists.
func (s *volcanoStory) admit(name string) {
	s.t.Helper()
	s.eventually(func(ctx context.Context) error {
		_, err := s.groups.Patch(ctx, name, types.MergePatchType, []byte(`{"status":{"phase":"Inqueue"}}`), metav1.PatchOptions{})
		return err
	})
}

func (s *volcanoStory) awaitNoGroup(name string) {
	s.t.Helper()
	s.eventually(func(ctx context.Context) error {
		if _, err := s.groups.Get(ctx, name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			return errors.Join(fmt.Errorf("group %s is there", name), err)
		}
		return nil
	})
}

// No Pod is created before the group is admitted. Then all are, as members of it, and it is deleted with the attempt.
func (s *volcanoStory) isAdmitted() {
	s.create("gang", s.gang(3))
	s.awaitAdmission("gang", "PodGroup gang-0 waits in queue research")
	group := s.awaitGroup("gang-0", 3)
	if owner := metav1.GetControllerOf(group); owner == nil || owner.Kind != "ConfigMap" || owner.Name != v1.ConfigMapName("gang") {
		s.t.Errorf("the group belongs to %v", owner)
	}
	s.requirePods(podCount{})
	s.admit("gang-0")
	s.awaitAllRunning("gang", 3)
	until(s.story, thePods, "gang-a-2", "a member", func(p *corev1.Pod) bool { return p.Annotations["scheduling.k8s.io/group-name"] == "gang-0" })
	s.awaitCondition("gang", v1.ConditionWaiting, metav1.ConditionFalse, "")
	s.patch("gang", `spec: {executionType: Stop}`)
	s.awaitState("gang", v1.Completed, 0)
	s.awaitNoGroup("gang-0")
}

// The group is changed with the number of Tasks, and is still admitted.
func (s *volcanoStory) isRescaled() {
	s.create("gang", s.gang(2))
	s.admit("gang-0")
	s.awaitAllRunning("gang", 2)
	s.patch("gang", `[{op: replace, path: /spec/taskRoles/0/taskNumber, value: 5}]`)
	s.requireApplied(s.awaitGroup("gang-0", 5))
	s.awaitAllRunning("gang", 5)
	s.patch("gang", `[{op: replace, path: /spec/taskRoles/0/taskNumber, value: 1}]`)
	s.awaitGroup("gang-0", 1)
	s.awaitAllRunning("gang", 1)
	s.requirePods(podCount{created: 5, gone: 4})
	s.requireNoEdit("gang")
}

// requireApplied: the controller owns all fields that it has set, as applied, so that fields which it no longer sets are removed.
func (s *volcanoStory) requireApplied(group *unstructured.Unstructured) {
	s.t.Helper()
	var owned []string
	for _, f := range group.GetManagedFields() {
		if f.Manager == "frameworkcontroller" {
			owned = append(owned, string(f.Operation))
		}
	}
	if !slices.Equal(owned, []string{"Apply"}) {
		s.t.Errorf("the controller's fields are set by %q", owned)
	}
}

// requireNoEdit: no event reports a foreign edit of the status, with the answer in it, when something else was changed.
func (s *volcanoStory) requireNoEdit(name string) {
	s.t.Helper()
	events, err := s.warnings(s.t.Context(), name)
	if err != nil || len(events["StatusOverwritten"]) > 0 {
		s.t.Errorf("the warnings are %q (%v)", messages(events), err)
	}
}

// Each attempt has a group of its own, which waits for its own turn.
func (s *volcanoStory) isRetried() {
	s.create("gang", strings.Replace(s.gang(2), "{", "{retryPolicy: {maxRetryCount: 1}, ", 1))
	s.admit("gang-0")
	s.awaitAllRunning("gang", 2)
	s.endPod("gang-a-0", 1)
	s.awaitAdmission("gang", "PodGroup gang-1 waits in queue research")
	s.awaitNoGroup("gang-0")
	s.admit("gang-1")
	s.awaitState("gang", v1.AttemptRunning, 1)
	s.awaitAllRunning("gang", 2)
}

// A group of somebody else is left unchanged.
func (s *volcanoStory) nameIsTaken() {
	foreign := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"minMember": int64(7)}}}
	foreign.SetAPIVersion(podGroups.GroupVersion().String())
	foreign.SetKind("PodGroup")
	foreign.SetName("gang-0")
	if _, err := s.groups.Create(s.t.Context(), foreign, metav1.CreateOptions{}); err != nil {
		s.t.Fatal(err)
	}
	s.create("gang", s.gang(1))
	s.awaitWaiting("gang", "HintsObjectsFailed", "making PodGroup gang-0: the name is taken")
	s.awaitGroup("gang-0", 7)
	// Nor does an apply that names the UID of an earlier group change this one.
	foreign.SetUID("another")
	foreign.SetManagedFields(nil)
	if _, err := s.groups.Apply(s.t.Context(), "gang-0", foreign, metav1.ApplyOptions{FieldManager: "frameworkcontroller", Force: true}); err == nil {
		s.t.Error("the API server does not look at the UID")
	}
	require.NoError(s.t, s.groups.Delete(s.t.Context(), "gang-0", metav1.DeleteOptions{}))
	s.awaitGroup("gang-0", 1)
	s.admit("gang-0")
	s.awaitAllRunning("gang", 1)
}

// A user who deletes a waiting group takes it out of the queue. The controller does not recreate it.
func (s *volcanoStory) groupIsDeleted() {
	s.create("gang", s.gang(1))
	s.awaitAdmission("gang", "PodGroup gang-0 waits in queue research")
	require.NoError(s.t, s.groups.Delete(s.t.Context(), "gang-0", metav1.DeleteOptions{}))
	s.awaitAdmission("gang", "the PodGroup was deleted")
	s.requirePods(podCount{})
}

// A gang that runs, and whose group is deleted, is taken back: the next attempt waits for its own.
func (s *volcanoStory) isTakenBack() {
	s.create("gang", s.gang(2))
	s.admit("gang-0")
	s.awaitAllRunning("gang", 2)
	require.NoError(s.t, s.groups.Delete(s.t.Context(), "gang-0", metav1.DeleteOptions{}))
	s.awaitAdmission("gang", "PodGroup gang-1 waits in queue research")
	s.admit("gang-1")
	s.awaitState("gang", v1.AttemptRunning, 1)
	s.awaitAllRunning("gang", 2)
}

// The group asks for no more Pods than are left, so a single retried Task is placed.
func (s *volcanoStory) isRetriedAlone() {
	s.create("gang", strings.Replace(s.gang(3), "task: {", "task: {retryPolicy: {maxRetryCount: 1}, ", 1))
	s.admit("gang-0")
	s.awaitAllRunning("gang", 3)
	s.endPod("gang-a-0", 0)
	s.awaitGroup("gang-0", 2)
	s.endPod("gang-a-1", 0)
	s.awaitGroup("gang-0", 1)
	s.endPod("gang-a-2", 1)
	s.requirePods(podCount{created: 4, gone: 3})
}

// Without the plugin, a user gets Pods without waiting.
func (s *volcanoStory) isDisabled() {
	s.create("gang", s.gang(2))
	s.awaitAdmission("gang", "PodGroup gang-0 waits in queue research")
	s.patch("gang", `[{op: replace, path: /spec/plugins, value: [{name: volcano, disabled: true}]}]`)
	s.awaitAllRunning("gang", 2)
}

// Frameworks that name no queue are not for Volcano.
func (s *volcanoStory) hasNoQueue() {
	s.create("plain", roleOf(1, pod()))
	s.awaitAllRunning("plain", 1)
	s.awaitNoGroup("plain-0")
}

// A stop does not wait for the scheduler.
func (s *volcanoStory) isStopped() {
	s.create("gang", s.gang(1))
	s.awaitAdmission("gang", "PodGroup gang-0 waits in queue research")
	s.patch("gang", `spec: {executionType: Stop}`)
	s.awaitState("gang", v1.Completed, 0)
	s.awaitNoGroup("gang-0")
	s.requirePods(podCount{})
}

// The answer is stored, so another controller continues with the same group, admitted or not.
func (s *volcanoStory) outlivesTheController() {
	s.create("waiting", s.gang(1))
	s.create("running", s.gang(2))
	s.admit("running-0")
	s.awaitAllRunning("running", 2)
	s.awaitAdmission("waiting", "PodGroup waiting-0 waits in queue research")
	before := s.awaitGroup("waiting-0", 1).GetUID()
	controller.down(s.t, func() {})
	awaitStarted(s.t)
	s.patch("running", `[{op: replace, path: /spec/taskRoles/0/taskNumber, value: 3}]`)
	s.awaitAllRunning("running", 3)
	s.admit("waiting-0")
	s.awaitAllRunning("waiting", 1)
	if after := s.awaitGroup("waiting-0", 1).GetUID(); after != before {
		s.t.Error("its group was made anew")
	}
	s.requirePods(podCount{created: 4})
}

// defineKind installs as much of a scheduler as is needed to store its objects, until the test ends.
func (s *story) defineKind(definition string) {
	path := filepath.Join(s.t.TempDir(), "crd.yaml")
	require.NoError(s.t, os.WriteFile(path, []byte(definition), 0o644))
	s.kubectl("apply", "-f", path)
	s.t.Cleanup(func() {
		if _, err := s.tryKubectl(context.Background(), "delete", "-f", path); err != nil {
			s.t.Error(err)
		}
	})
}

const podGroupDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: podgroups.scheduling.volcano.sh}
spec:
  group: scheduling.volcano.sh
  names: {kind: PodGroup, listKind: PodGroupList, plural: podgroups, singular: podgroup}
  scope: Namespaced
  versions:
  - name: v1beta1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

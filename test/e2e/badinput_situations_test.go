package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// situation is a problem in the cluster, and the report of it on the Framework called bad.
type situation struct {
	did    string
	before func(*story) // done before the Framework is created
	spec   string
	then   func(*story) // done to the Framework
	answer answer
	mend   func(*story) // the remedy; afterwards the problem is no longer reported
	end    string       // the Framework's description at its end; empty: it runs with all its Tasks after it was mended
	tasks  int32        // the number of those Tasks; 0 means 1
	shared bool         // a neighbour in the same namespace has the same trouble, so it runs in another one
}

const endStopped = "Completed attempt=0 retried=0/0 code=-210 StopFrameworkRequested\na-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion\n"

var situations = []situation{
	{
		did:    "quota of Pods used up",
		before: func(s *story) { s.limit(corev1.ResourcePods, 1) },
		spec:   roleOf(3, pod()), tasks: 3,
		answer: waitsFor("Forbidden", "exceeded quota: few"),
		mend:   func(s *story) { s.unlimit() }, shared: true,
	}, {
		did:    "quota of ConfigMaps used up",
		before: func(s *story) { s.limit("count/configmaps", 0) },
		spec:   roleOf(1, pod()),
		answer: waitsFor("Forbidden", "creating ConfigMap bad-attempt: configmaps \"bad-attempt\" is forbidden: exceeded quota: few"),
		mend:   func(s *story) { s.unlimit() }, shared: true,
	}, {
		did:    "name of a Pod taken",
		before: func(s *story) { s.createForeignPod("bad-a-1") },
		spec:   roleOf(2, pod()), tasks: 2,
		then:   func(s *story) { s.awaitRunning("bad", 1); s.requireUntouched("bad-a-1") },
		answer: waitsFor("NameConflict", "creating Pod bad-a-1: the name is taken"),
		mend:   func(s *story) { s.deletePod("bad-a-1") },
	}, {
		did:    "name of the ConfigMap taken",
		before: func(s *story) { s.createForeignConfigMap("bad-attempt") },
		spec:   roleOf(2, pod()), tasks: 2,
		answer: waitsFor("NameConflict", "creating ConfigMap bad-attempt: the name is taken"),
		mend:   func(s *story) { s.deleteConfigMap("bad-attempt") },
	}, {
		did:    "deleted as an orphan, and created again",
		before: func(s *story) { s.orphan("bad", roleOf(1, pod())) },
		spec:   roleOf(1, pod()),
		answer: waitsFor("NameConflict", "creating ConfigMap bad-attempt: the name is taken"),
		mend:   func(s *story) { s.deleteConfigMap("bad-attempt") },
	}, {
		did:    "LimitRange refuses",
		before: func(s *story) { s.limitCPU("1") },
		spec:   roleOf(1, `{spec: {containers: [{name: c, image: app, resources: {limits: {cpu: 2}}}]}}`),
		answer: answer{condition: v1.ConditionFailed, reason: "Failed", says: "PodCreationUnknownError", event: "PodRefused", eventSays: "maximum cpu usage per Container is 1, but limit is 2"},
		end:    failedAs(refusedUnknown),
	}, {
		did:    "Pod Security refuses",
		before: func(s *story) { s.label("pod-security.kubernetes.io/enforce", "baseline") },
		spec:   roleOf(1, inPod(`hostNetwork: true`)),
		answer: answer{condition: v1.ConditionFailed, reason: "Failed", says: "PodCreationUnknownError", event: "PodRefused", eventSays: "violates PodSecurity"},
		end:    failedAs(refusedUnknown),
	}, {
		did:  "ServiceAccount that is missing",
		spec: roleOf(2, inPod(`serviceAccountName: late`)), tasks: 2,
		answer: waitsFor("ServiceAccountNotFound", `creating Pod bad-a-0: pods "bad-a-0" is forbidden: error looking up service account`),
		mend:   func(s *story) { s.createServiceAccount("late") },
	}, {
		did:    "PriorityClass that comes late",
		spec:   roleOf(1, inPod(`priorityClassName: late`)),
		answer: waitsFor("PriorityClassNotFound", "no PriorityClass with name late was found"),
		mend:   func(s *story) { s.createPriorityClass("late") },
	}, {
		did:    "RuntimeClass that comes late",
		spec:   roleOf(1, inPod(`runtimeClassName: late`)),
		answer: waitsFor("RuntimeClassNotFound", `RuntimeClass "late" not found`),
		mend:   func(s *story) { s.createRuntimeClass("late") },
	}, {
		did:    "containers that are misspelt",
		spec:   roleOf(1, `{spec: {conatiners: [{name: c, image: app}]}}`),
		answer: answer{condition: v1.ConditionFailed, reason: "Failed", says: "PodCreationPermanentError", event: "PodWarning", eventSays: `unknown field "spec.conatiners"`},
		end:    failedAs(refusedForGood),
	}, {
		did:    "namespace terminating",
		before: func(s *story) { s.createHeldPod("held") },
		spec:   `{executionType: Create, taskRoles: [{name: a, task: {pod: ` + pod() + `}}]}`,
		then: func(s *story) {
			s.awaitState("bad", v1.AttemptCreationPending, 0)
			s.deleteNamespace()
			s.patch("bad", `spec: {executionType: Start}`)
		},
		// The API server takes no event in such a namespace.
		answer: answer{condition: v1.ConditionWaiting, reason: "Forbidden", says: "because it is being terminated"},
		mend:   func(s *story) { s.removePodFinalizers("held") },
		end:    endGone, shared: true,
	}, {
		did:    "ConfigMap deleted",
		spec:   roleOf(1, pod("terminate-after", "5s")), // so that Pod and ConfigMap are seen terminating
		then:   func(s *story) { s.awaitRunning("bad", 1); s.deleteConfigMap("bad-attempt") },
		answer: answer{condition: v1.ConditionFailed, reason: "Failed", says: "ConfigMapExternalDeleted", event: "AttemptCompleted"},
		end:    "Completed attempt=0 retried=0/0 code=-100 ConfigMapExternalDeleted\na-0 Completed retried=0/0 code=-101 PodExternalDeleted\n",
	}, {
		did:  "label of the ConfigMap removed", // changes nothing
		spec: roleOf(1, pod()),
		then: func(s *story) { s.awaitRunning("bad", 1); s.unlabelConfigMap("bad-attempt") },
		mend: func(s *story) {
			s.patch("bad", `spec: {executionType: Stop}`)
			s.awaitNothingNamed("bad-attempt", "bad-a-0")
		},
		end: endStopped,
	}, {
		did:    "Pod deleted",
		spec:   roleOf(1, pod()),
		then:   func(s *story) { s.awaitRunning("bad", 1); s.deletePod("bad-a-0") },
		answer: answer{condition: v1.ConditionFailed, reason: "Failed", says: "PodExternalDeleted", event: "TaskFailed", eventSays: "Task a-0: PodExternalDeleted"},
		end:    failedAs("code=-101 PodExternalDeleted"),
	}, {
		did:  "labels of a Pod removed", // changes nothing
		spec: roleOf(1, pod()),
		then: func(s *story) { s.awaitRunning("bad", 1); s.unlabelPod("bad-a-0") },
		mend: func(s *story) {
			s.patch("bad", `spec: {executionType: Stop}`)
			s.awaitNothingNamed("bad-attempt", "bad-a-0")
		},
		end: endStopped,
	}, {
		did:    "Pod finalizer that never goes",
		spec:   roleOf(1, `{metadata: {finalizers: [example.com/never]}, spec: {terminationGracePeriodSeconds: 1, containers: [{name: c, image: app}]}}`),
		then:   func(s *story) { s.awaitRunning("bad", 1); s.patch("bad", `spec: {executionType: Stop}`) },
		answer: waitsFor("PodTerminating", "Pod bad-a-0 has been terminating since 2"),
		mend:   func(s *story) { s.removePodFinalizers("bad-a-0") },
		end:    endStopped,
	}, {
		did:    "node that never confirms",
		spec:   roleOf(1, strings.Replace(pod("terminate-after", "1h"), "spec: {", "spec: {terminationGracePeriodSeconds: 1, ", 1)),
		then:   func(s *story) { s.awaitRunning("bad", 1); s.patch("bad", `spec: {executionType: Stop}`) },
		answer: waitsFor("PodTerminating", "Pod bad-a-0 has been terminating since 2"),
		mend: func(s *story) {
			s.patch("bad", `[{op: add, path: /spec/taskRoles/0/task/podGracefulDeletionTimeoutSec, value: 0}]`)
		},
		end: endStopped,
	}, {
		did:  "ConfigMap finalizer that never goes",
		spec: roleOf(1, pod()),
		then: func(s *story) {
			s.awaitRunning("bad", 1)
			s.setConfigMapFinalizers("bad-attempt", `["foregroundDeletion", "example.com/never"]`)
			s.patch("bad", `spec: {executionType: Stop}`)
		},
		answer: waitsFor("ConfigMapTerminating", "ConfigMap bad-attempt has been terminating since 2"),
		mend:   func(s *story) { s.setConfigMapFinalizers("bad-attempt", `null`) },
		end:    endStopped,
	}, {
		did:    "no node has the label",
		spec:   roleOf(1, inPod(`nodeSelector: {no: where}`)),
		answer: waitsFor("Unschedulable", "Task a-0 (Pod bad-a-0): no node was found: 0/"),
		mend:   func(s *story) { s.patch("bad", `spec: {executionType: Stop}`) },
		end:    endStopped,
	}, {
		did:    "no node is large enough",
		spec:   roleOf(1, `{spec: {containers: [{name: c, image: app, resources: {requests: {cpu: 5000}}}]}}`),
		answer: waitsFor("Unschedulable", "bad-a-0"),
		mend:   func(s *story) { s.patch("bad", `spec: {executionType: Stop}`) },
		end:    endStopped,
	}, {
		did:    "gate that nobody opens",
		spec:   roleOf(1, inPod(`schedulingGates: [{name: example.com/queue}]`)),
		answer: waitsFor("SchedulingGated", "Task a-0 (Pod bad-a-0): its scheduling gates hold it back: example.com/queue"),
		mend:   func(s *story) { s.patch("bad", `spec: {executionType: Stop}`) },
		end:    endStopped,
	}, {
		did:  "image that cannot be pulled", // the kubelet reports it alternately in these two ways
		spec: roleOf(2, pod("hold", "true")), tasks: 2,
		then: func(s *story) {
			s.hinderPod("bad-a-1", "ErrImagePull", "app: not found")
			s.hinderPod("bad-a-1", "ImagePullBackOff", "Back-off pulling image")
		},
		answer: waitsFor("ImageNotPulled", "Task a-1 (Pod bad-a-1 on node node-"),
		mend:   func(s *story) { s.unholdPod("bad-a-0"); s.unholdPod("bad-a-1") },
	}, {
		did:    "secret that is not there",
		spec:   roleOf(1, pod("hold", "true")),
		then:   func(s *story) { s.hinderPod("bad-a-0", "CreateContainerConfigError", `secret "s" not found`) },
		answer: waitsFor("ContainerNotStarted", `container c does not start: CreateContainerConfigError: secret "s" not found`),
		mend:   func(s *story) { s.unholdPod("bad-a-0") },
	}, {
		did:    "minSucceededTaskCount above taskNumber",
		spec:   `{taskRoles: [{name: a, frameworkAttemptCompletionPolicy: {minSucceededTaskCount: 5}, task: {pod: ` + pod() + `}}]}`,
		answer: answer{event: "SuccessUnreachable", eventSays: "role a: minSucceededTaskCount 5 is above taskNumber 1"},
	}, {
		did:    "gang of more Tasks than there are",
		spec:   `{scheduling: {gang: {minTasks: 5}}, taskRoles: [{name: a, task: {pod: ` + pod() + `}}]}`,
		answer: answer{event: "GangTooLarge", eventSays: "minTasks 5 is above"},
	}, {
		did:    "two budgets of one cause",
		spec:   `{taskRoles: [{name: a, task: {retryPolicy: {budgets: [{code: 9, maxRetryCount: 0}, {code: 9, maxRetryCount: 5}]}, pod: ` + pod() + `}}]}`,
		answer: answer{event: "FieldWithoutEffect", eventSays: "role a: task.retryPolicy.budgets[1] has the same cause code=9 as budgets[0]"},
	}, {
		did: "roles that start after each other",
		spec: `{taskRoles: [{name: a, startAfter: [{role: c}], task: {pod: ` + pod() + `}}, {name: b, startAfter: [{role: a, when: Ready}], task: {pod: ` + pod() + `}},
			{name: c, startAfter: [{role: b, when: Succeeded}], task: {pod: ` + pod() + `}}]}`, tasks: 3,
		answer: waitsFor("StartBlocked", "roles start after each other in a circle, so none of them ever starts: a after c, c after b, b after a; take one of these out of taskRoles[].startAfter"),
		mend:   func(s *story) { s.patch("bad", `[{op: remove, path: /spec/taskRoles/2/startAfter}]`) },
	}, {
		did: "initializer that has failed for good",
		spec: `{taskRoles: [{name: a, frameworkAttemptCompletionPolicy: {minFailedTaskCount: -1}, task: {pod: ` + pod() + `}},
			{name: b, startAfter: [{role: a, when: Succeeded}], task: {pod: ` + pod() + `}}]}`,
		then:   func(s *story) { s.awaitRunning("bad", 1); s.endPod("bad-a-0", 9) },
		answer: waitsFor("StartBlocked", "role b has no Pods: it starts after role a has succeeded, and a Task of that role has failed for good"),
		mend:   func(s *story) { s.patch("bad", `[{op: remove, path: /spec/taskRoles/1/startAfter}]`) },
	}, {
		did:    "spec that leaves no room for a status",
		spec:   roleOf(1, inEnv(`{name: A, value: `+letters(1571000)+`}`)),
		answer: answer{event: "StatusRefused", eventSays: "storing the status"},
		mend:   func(s *story) { s.patch("bad", `spec: {taskRoles: [{name: a, task: {pod: `+pod()+`}}]}`) },
	},
}

const endGone = "gone"

func failedAs(outcome string) string {
	return "Completed attempt=0 retried=0/0 " + outcome + " trigger=a-0\na-0 Completed retried=0/0 " + outcome + "\n"
}

func TestTroubleIsAnswered(t *testing.T) {
	t.Parallel()
	unharmed(t)
	for _, row := range situations {
		t.Run(row.did, func(t *testing.T) {
			t.Parallel()
			row.tell(t)
		})
	}
}

func (row situation) tell(t *testing.T) {
	s := newStory(t)
	if row.before != nil {
		row.before(s)
	}
	s.create("bad", row.spec)
	mended := row.mend == nil
	defer func() {
		if !mended { // the test has failed; let the namespace be cleared nevertheless
			row.mend(s)
		}
	}()
	if row.then != nil {
		row.then(s)
	}
	s.requireAnswer("bad", row.answer)
	if row.shared {
		newStory(t).neighbour()
	} else {
		s.neighbour()
	}
	if !mended {
		mended = true
		row.mend(s)
	}
	row.requireEnd(s)
}

func (row situation) requireEnd(s *story) {
	switch row.end {
	case "":
		s.awaitRunning("bad", max(row.tasks, 1))
		if row.answer.condition == v1.ConditionWaiting {
			s.awaitCondition("bad", v1.ConditionWaiting, metav1.ConditionFalse, "NothingInTheWay")
		}
	case endGone:
		untilGone(s, theFrameworks, "bad")
	default:
		s.requireCompleted("bad", row.end)
	}
}

// awaitRunning returns once that number of Tasks run.
func (s *story) awaitRunning(name string, tasks int32) {
	s.t.Helper()
	s.await(name, fmt.Sprintf("running with %d Tasks", tasks), func(f *v1.FrameworkStatus) bool { return f.Tasks.Running == tasks })
}

func (s *story) limit(what corev1.ResourceName, n int64) {
	s.t.Helper()
	hard := corev1.ResourceList{what: *resource.NewQuantity(n, resource.DecimalSI)}
	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "few"}, Spec: corev1.ResourceQuotaSpec{Hard: hard}}
	if _, err := core.CoreV1().ResourceQuotas(s.namespace).Create(s.t.Context(), quota, metav1.CreateOptions{}); err != nil {
		s.t.Fatal(err)
	}
	until(s, resourceQuotas, "few", "in force", func(q *corev1.ResourceQuota) bool { return len(q.Status.Hard) > 0 })
}

func (s *story) unlimit() {
	s.t.Helper()
	require.NoError(s.t, core.CoreV1().ResourceQuotas(s.namespace).Delete(s.t.Context(), "few", metav1.DeleteOptions{}))
}

func (s *story) createServiceAccount(name string) {
	s.t.Helper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := core.CoreV1().ServiceAccounts(s.namespace).Create(s.t.Context(), account, metav1.CreateOptions{}); err != nil {
		s.t.Fatal(err)
	}
}

// createPriorityClass makes one for all namespaces, until the test has ended.
func (s *story) createPriorityClass(name string) {
	s.t.Helper()
	classes := core.SchedulingV1().PriorityClasses()
	class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: 1}
	if _, err := classes.Create(s.t.Context(), class, metav1.CreateOptions{}); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = classes.Delete(context.Background(), name, metav1.DeleteOptions{}) })
}

// createRuntimeClass makes one for all namespaces, until the test has ended.
func (s *story) createRuntimeClass(name string) {
	s.t.Helper()
	classes := core.NodeV1().RuntimeClasses()
	class := &nodev1.RuntimeClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Handler: name}
	if _, err := classes.Create(s.t.Context(), class, metav1.CreateOptions{}); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = classes.Delete(context.Background(), name, metav1.DeleteOptions{}) })
}

func (s *story) limitCPU(most string) {
	s.t.Helper()
	limit := corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Max: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(most)}}
	_, err := core.CoreV1().LimitRanges(s.namespace).Create(s.t.Context(), &corev1.LimitRange{
		ObjectMeta: metav1.ObjectMeta{Name: "small"}, Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{limit}},
	}, metav1.CreateOptions{})
	require.NoError(s.t, err)
	// It is in force once it refuses.
	s.eventually(func(ctx context.Context) error {
		large := corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100")}}
		_, err := s.pods.Create(ctx, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: "probe"},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "app", Resources: large}}},
		}, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if !apierrors.IsForbidden(err) {
			return fmt.Errorf("a large Pod is not refused: %w", err)
		}
		return nil
	})
}

func (s *story) label(key, value string) {
	s.t.Helper()
	patch := fmt.Sprintf(`{"metadata":{"labels":{%q:%q}}}`, key, value)
	if _, err := core.CoreV1().Namespaces().Patch(s.t.Context(), s.namespace, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *story) deleteNamespace() {
	s.t.Helper()
	require.NoError(s.t, core.CoreV1().Namespaces().Delete(s.t.Context(), s.namespace, metav1.DeleteOptions{}))
}

// orphan leaves the objects of a deleted Framework of that name.
func (s *story) orphan(name, spec string) {
	s.t.Helper()
	s.create(name, spec)
	s.awaitRunning(name, 1)
	s.delete(name, metav1.DeletePropagationOrphan)
	untilGone(s, theFrameworks, name)
	until(s, thePods, v1.PodName(name, "a", 0), "running", isRunning)
}

// createHeldPod creates somebody else's Pod, which stays when it is deleted.
func (s *story) createHeldPod(name string) {
	s.t.Helper()
	s.createForeignPod(name)
	s.holdPod(name)
}

// holdPod has a Pod not go when it is deleted, until its finalizers are removed.
func (s *story) holdPod(name string) {
	s.t.Helper()
	s.patchPod(name, `{"metadata":{"finalizers":["example.com/never"]}}`)
}

func (s *story) createForeignConfigMap(name string) {
	s.t.Helper()
	foreign := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"whose": "somebody else's"}}
	if _, err := s.configMaps.Create(s.t.Context(), foreign, metav1.CreateOptions{}); err != nil {
		s.t.Fatal(err)
	}
}

// requireUntouched: the Pod is unchanged since somebody else created it.
func (s *story) requireUntouched(name string) {
	s.t.Helper()
	p, err := s.pods.Get(s.t.Context(), name, metav1.GetOptions{})
	if err != nil || p.DeletionTimestamp != nil || len(p.Labels)+len(p.Annotations)+len(p.OwnerReferences) > 0 {
		s.t.Errorf("the Pod was touched: %v, %v", p, err)
	}
}

func (s *story) unlabelConfigMap(name string) {
	s.t.Helper()
	if _, err := s.configMaps.Patch(s.t.Context(), name, types.MergePatchType, []byte(`{"metadata":{"labels":null}}`), metav1.PatchOptions{}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *story) setConfigMapFinalizers(name, list string) {
	s.t.Helper()
	patch := []byte(`{"metadata":{"finalizers":` + list + `}}`)
	if _, err := s.configMaps.Patch(s.t.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *story) unlabelPod(name string) {
	s.t.Helper()
	s.patchPod(name, `{"metadata":{"labels":null}}`)
}

func (s *story) removePodFinalizers(name string) {
	s.t.Helper()
	s.patchPod(name, `{"metadata":{"finalizers":null}}`)
}

func (s *story) patchPod(name, patch string) {
	s.t.Helper()
	if _, err := s.pods.Patch(s.t.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		s.t.Fatal(err)
	}
}

// awaitNothingNamed returns once the ConfigMap and the Pod of those names are gone, regardless of labels.
func (s *story) awaitNothingNamed(configMap, pod string) {
	s.t.Helper()
	s.eventuallySoon(func(ctx context.Context) error {
		if _, err := s.configMaps.Get(ctx, configMap, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			return fmt.Errorf("ConfigMap %s is still there: %v", configMap, err)
		}
		if _, err := s.pods.Get(ctx, pod, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			return fmt.Errorf("Pod %s is still there: %v", pod, err)
		}
		return nil
	})
}

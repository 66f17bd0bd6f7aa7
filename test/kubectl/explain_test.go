package kubectl

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

// situation is an event in the life of a Framework, with questions about it. Its name is the name of the Framework and of the file with the
// answer.
type situation struct {
	name string
	// namespace is a namespace with a security standard, rather than the usual one.
	namespace string
	spec      string
	does      func(s *scene, name string) // brings the situation about, until it can be asked about
	asks      []string                    // about a role or Tasks; the Framework is asked about in any case
	until     func(*v1.Framework) bool    // when it can be asked about, if does has not waited for it
	// told are reasons of events to wait for.
	told []string
	// either replaces wordings that depend on what is seen first.
	either *strings.Replacer
}

// A Pod that runs 0s ends at once.
var atOnce = []string{"run-for=0s"}

func ends(code string, more ...string) []string {
	return append([]string{"run-for=0s", "exit-code=" + code}, more...)
}

var held = []string{"hold=true"}

// beingDeleted is reported while the Pod exists.
var beingDeleted = strings.NewReplacer("Pod is being deleted by others", "Pod was deleted by others")

var situations = []situation{
	{name: "succeeded", spec: specOf("", role{simulated: atOnce}), until: completed, asks: []string{"worker-0"}},
	{name: "unknownexit", spec: specOf("", role{simulated: ends("7")}), until: completed, asks: []string{"worker/0"}},
	{name: "lastwords", spec: specOf("", role{simulated: ends("1", "message=cannot open /data: no such file")}), until: completed},
	{name: "outofmemory", spec: specOf("", role{simulated: ends("137", "reason=OOMKilled")}), until: completed},
	{name: "commandnotfound", spec: specOf("", role{simulated: ends("127")}), until: completed},
	{name: "crashed", spec: specOf("", role{simulated: ends("139")}), until: completed},
	{name: "permanent", spec: specOf("retryPolicy: {fancyRetryPolicy: true, maxRetryCount: 3}",
		role{simulated: ends("210"), retry: "fancyRetryPolicy: true, maxRetryCount: 3"}), until: completed},
	{name: "transient", spec: specOf("", role{simulated: []string{"run-for=2s", "exit-code=200"}, retry: "fancyRetryPolicy: true, backoff: {initialDelaySec: 600}"}),
		until: tasksIn(v1.AttemptCompleted), asks: []string{"worker-0", "worker"}},
	{name: "conflict", spec: specOf("retryPolicy: {fancyRetryPolicy: true}", role{simulated: ends("201")}),
		until: hasState(v1.AttemptCompleted)},
	{name: "retriesused", spec: specOf("", role{simulated: ends("7"), retry: "maxRetryCount: 2"}), until: completed, asks: []string{"worker-0"}},
	{name: "retriedwhole", spec: specOf("retryPolicy: {maxRetryCount: 1}", role{simulated: ends("7")}), until: completed},
	{name: "recovered", spec: specOf("", role{simulated: []string{"run-for=0s", "exit-codes=3,0"}, retry: "maxRetryCount: 1"}), until: completed, asks: []string{"worker-0"}},
	{name: "running", spec: specOf("", role{name: "ps"}, role{tasks: 3}), until: runs, asks: []string{"worker-2", "worker"}},
	{name: "tolerated", spec: specOf("", role{name: "ps"}, role{simulated: ends("7"), policy: "minFailedTaskCount: -1"}),
		until: func(f *v1.Framework) bool {
			return f.Status != nil && f.Status.Tasks.Failed == 1 && f.Status.Tasks.Running == 1
		}, asks: []string{"worker"}},
	{name: "failedsuccess", spec: specOf("", role{simulated: ends("7"), policy: "minFailedTaskCount: -1"}), until: completed},
	{name: "cutshort", spec: specOf("", role{name: "ps"}, role{simulated: atOnce, policy: "minSucceededTaskCount: 1"}), until: completed, asks: []string{"ps-0"}},
	{name: "starting", spec: specOf("", role{simulated: held}), until: startsOnNode, asks: []string{"worker-0"}},
	{name: "noroom", spec: specOf("", role{container: "resources: {requests: {cpu: 1000}}"}), until: waits("Unschedulable"), asks: []string{"worker-0"}},
	{name: "noimage", spec: specOf("", role{simulated: held}), until: waits("ImageNotPulled"), asks: []string{"worker-0"},
		does: writesPod(waitingContainer("ImagePullBackOff", `Back-off pulling image "app"`))},
	{name: "nosecret", spec: specOf("", role{simulated: held}), until: waits("ContainerNotStarted"),
		does: writesPod(waitingContainer("CreateContainerConfigError", `secret "token" not found`))},
	{name: "crashing", spec: specOf("", role{simulated: held, podSpec: "restartPolicy: Always"}), until: waits("ContainerCrashing"), does: writesPod(crashes)},
	{name: "gated", spec: specOf("", role{podSpec: "schedulingGates: [{name: example.com/queue}]"}), until: waits("SchedulingGated")},
	{name: "startorder", spec: "{taskRoles: [" + strings.Join([]string{
		`{name: init, task: {pod: {spec: {restartPolicy: Never, containers: [{name: main, image: app}]}}}}`,
		`{name: trainer, startAfter: [{role: init, when: Succeeded}], task: {pod: {spec: {containers: [{name: main, image: app}]}}}}`,
		`{name: launcher, startAfter: [{role: trainer}], task: {pod: {spec: {initContainers: [{name: barrier, image: barrier}], containers: [{name: main, image: app}]}}}}`}, ", ") + "]}",
		until: func(f *v1.Framework) bool { return waits("StartsLater")(f) && f.Status.Tasks.Running == 1 }, asks: []string{"trainer", "launcher-0"}},
	{name: "holding", spec: specOf("executionType: Create", role{}), until: hasState(v1.AttemptCreationPending)},
	{name: "stopped", spec: specOf("", role{}), until: completed, does: func(s *scene, name string) {
		s.until(name, "running", runs)
		s.patch(name, `{"spec":{"executionType":"Stop"}}`)
	}, asks: []string{"worker-0"}},
	{name: "suspended", spec: specOf("suspend: true", role{}), until: hasState(v1.AttemptCreationPending)},
	{name: "paused", spec: specOf("", role{}), until: hasState(v1.AttemptCompleted), does: func(s *scene, name string) {
		s.until(name, "running", runs)
		s.patch(name, `{"spec":{"suspend":true}}`)
	}, told: []string{"PodDeleted"}},
	{name: "elsewhere", spec: specOf("managedBy: example.com/other", role{}), until: func(*v1.Framework) bool { return true }},
	{name: "nametaken", spec: specOf("", role{}), until: waits("NameConflict")},
	{name: "noaccount", spec: specOf("", role{podSpec: "serviceAccountName: builder"}), until: waits("ServiceAccountNotFound"), asks: []string{"worker-0", "worker"}},
	{name: "nopriority", spec: specOf("", role{podSpec: "priorityClassName: urgent"}), until: waits("PriorityClassNotFound")},
	{name: "badtemplate", spec: specOf("", role{container: "ports: [{containerPort: 70000}]"}), until: completed},
	{name: "poddeleted", spec: specOf("", role{}), until: completed, does: func(s *scene, name string) {
		s.until(name, "running", runs)
		s.deletePod(name + "-worker-0")
	}, either: beingDeleted},
	{name: "podevicted", spec: specOf("", role{}), until: completed, does: func(s *scene, name string) {
		s.until(name, "running", runs)
		require.NoError(s, core.CoreV1().Pods(s.namespace).EvictV1(s.Context(), &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: name + "-worker-0"}}))
	}},
	{name: "nodeshort", spec: specOf("", role{}), until: completed, does: func(s *scene, name string) {
		s.until(name, "running", runs)
		writesPod(func(status *corev1.PodStatus) {
			status.Phase, status.Reason, status.Message = corev1.PodFailed, "Evicted", "The node was low on resource: memory."
		})(s, name)
	}},
	{name: "configmapdeleted", spec: specOf("", role{}), until: completed, does: func(s *scene, name string) {
		s.until(name, "running", runs)
		require.NoError(s, core.CoreV1().ConfigMaps(s.namespace).Delete(s.Context(), name+"-attempt", metav1.DeleteOptions{}))
	}, either: strings.NewReplacer("Its only Task has failed", "Its only Task was cut short")},
	{name: "gangtimeout", spec: specOf("scheduling: {timeoutSec: 5}", role{tasks: 2, container: "resources: {requests: {cpu: 1000}}"}), until: completed,
		told: []string{"PodDeleted"}},
	{name: "scaledown", spec: specOf("", role{tasks: 3, podSpec: "terminationGracePeriodSeconds: 600", simulated: []string{"terminate-after=600s"}}),
		until: func(f *v1.Framework) bool { return f.Status != nil && f.Status.Tasks.Total == 2 }, does: func(s *scene, name string) {
			s.until(name, "running", runs)
			s.patchJSON(name, `[{"op":"replace","path":"/spec/taskRoles/0/taskNumber","value":2}]`)
		}, asks: []string{"worker-2", "worker"}},
	{name: "stuckpod", spec: specOf("", role{metadata: "finalizers: [example.com/backup]", podSpec: "terminationGracePeriodSeconds: 0"}),
		until: waits("PodTerminating"), does: func(s *scene, name string) {
			s.until(name, "running", runs)
			s.patch(name, `{"spec":{"executionType":"Stop"}}`)
		}},
	{name: "deleting", spec: specOf("", role{podSpec: "terminationGracePeriodSeconds: 600", simulated: []string{"terminate-after=600s"}}),
		until: func(f *v1.Framework) bool { return hasState(v1.AttemptDeleting)(f) && f.Status.Tasks.Running == 0 }, does: func(s *scene, name string) {
			s.until(name, "running", runs)
			foreground := metav1.DeletePropagationForeground
			require.NoError(s, frameworks.FrameworkControllerV1().Frameworks(s.namespace).Delete(s.Context(), name, metav1.DeleteOptions{PropagationPolicy: &foreground}))
		}},
	{name: "warned", spec: specOf("scheduling: {gang: {minTasks: 9}}", role{policy: "minSucceededTaskCount: 5, minFailedTaskCount: 4"}), until: runs,
		told: []string{"GangTooLarge", "SuccessUnreachable", "FailureUnreachable", "HintsWarning"}},
	{name: "keyvolume", spec: specOf("ssh: {mountPath: /root/.ssh}", role{podSpec: "volumes: [{name: fc-ssh, emptyDir: {}}]"}), until: runs, told: []string{"KeyVolumeTaken"}},
	{name: "avoided", spec: specOf("", role{retry: "maxRetryCount: 1, avoidNodes: {mode: Require, forSec: 3000}"}),
		until: func(f *v1.Framework) bool { return runs(f) && len(f.Status.AvoidedNodes) == 1 }, does: func(s *scene, name string) {
			s.until(name, "running", runs)
			writesPod(exits(7))(s, name)
		}, told: []string{"TaskRetried"}, asks: []string{"worker"}},
	{name: "misspelt", spec: specOf("", role{podSpec: "nodeSelctor: {a: b}"}), until: runs, told: []string{"PodWarning"}},
	{name: "notasks", spec: "{taskRoles: []}", until: hasState(v1.AttemptPreparing)},
	{name: "badparameters", spec: specOf("plugins: [{name: podpattern, parameters: {nonsense: 1}}]", role{simulated: ends("7")}), until: completed},
	{name: "service", spec: specOf("", role{simulated: []string{"run-for=2s"}, retry: "maxRetryCount: -2, backoff: {initialDelaySec: 600}"}),
		until: tasksIn(v1.AttemptCompleted)},
	{name: "untilsuccess", spec: specOf("", role{simulated: []string{"run-for=2s", "exit-code=7"}, retry: "maxRetryCount: -1, backoff: {initialDelaySec: 600}"}),
		until: tasksIn(v1.AttemptCompleted)},
	{name: "secondtry", spec: specOf("", role{simulated: []string{"run-for=2s", "exit-code=7"}, retry: "maxRetryCount: 3, backoff: {initialDelaySec: 600}"}),
		until: tasksIn(v1.AttemptCompleted), asks: []string{"worker-0"}},
	{name: "endingtask", spec: specOf("", role{simulated: []string{"terminate-after=600s"}, retry: "maxRetryCount: 3", podSpec: "terminationGracePeriodSeconds: 600"}),
		until: tasksIn(v1.AttemptDeleting), does: func(s *scene, name string) {
			s.until(name, "running", runs)
			s.deletePod(name + "-worker-0")
		}, asks: []string{"worker-0"}, either: beingDeleted},
	{name: "endingwhole", spec: specOf("retryPolicy: {maxRetryCount: 3}", role{simulated: []string{"run-for=0s", "exit-code=7"}},
		role{name: "ps", podSpec: "terminationGracePeriodSeconds: 600", simulated: []string{"terminate-after=600s"}}),
		until: func(f *v1.Framework) bool { return hasState(v1.AttemptDeleting)(f) && f.Status.Tasks.Running == 0 }},
	{name: "deadline", spec: specOf("", role{}), until: completed, does: func(s *scene, name string) {
		s.until(name, "running", runs)
		writesPod(func(status *corev1.PodStatus) {
			status.Phase, status.Reason, status.Message = corev1.PodFailed, "DeadlineExceeded", "Pod was active on the node longer than the specified deadline"
		})(s, name)
	}},
	{name: "rolegone", spec: specOf("", role{name: "ps"}, role{podSpec: "terminationGracePeriodSeconds: 600", simulated: []string{"terminate-after=600s"}}),
		until: func(f *v1.Framework) bool { return f.Status != nil && f.Status.Tasks.Total == 1 }, does: func(s *scene, name string) {
			s.until(name, "running", runs)
			s.patchJSON(name, `[{"op":"remove","path":"/spec/taskRoles/1"}]`)
		}, asks: []string{"worker"}},
	{name: "toomany", spec: specOf("", role{name: "a", tasks: 10_000}, role{name: "b", tasks: 10_000}, role{name: "c"}),
		until: func(f *v1.Framework) bool {
			return f.Status != nil && meta.IsStatusConditionTrue(f.Status.Conditions, v1.ConditionStatusInvalid)
		}},
	{name: "forbiddenpod", namespace: "restricted", spec: specOf("", role{}), until: completed},
	{name: "peers", spec: specOf("", role{tasks: 3, retry: "restart: Role, maxRetryCount: 1, backoff: {initialDelaySec: 600}"}),
		until: func(f *v1.Framework) bool {
			return f.Status != nil && !slices.ContainsFunc(f.Status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses, func(t v1.TaskStatus) bool { return t.State != v1.AttemptCompleted })
		}, does: func(s *scene, name string) {
			s.until(name, "running", runs)
			writesPod(exits(7))(s, name)
		}, told: []string{"PodDeleted"}, asks: []string{"worker-0", "worker-1"}},
	{name: "budgetused", spec: specOf("", role{simulated: ends("137"), retry: "maxRetryCount: 5, budgets: [{code: 137, maxRetryCount: 1}]"}),
		until: completed, asks: []string{"worker-0"}},
	{name: "windowused", spec: specOf("", role{simulated: ends("7"), retry: "maxRetryCount: -1, window: {failures: 2, withinSec: 86400}"}),
		until: completed, asks: []string{"worker-0"}},
	{name: "noplugin", spec: specOf("plugins: [{name: missing}]", role{}), until: waits("PluginUnavailable"), asks: []string{"worker-0", "worker"}},
	{name: "quotaused", spec: specOf("", role{metadata: `labels: {quota: "yes"}`, podSpec: "priorityClassName: limited"}), until: waits("Forbidden"), asks: []string{"worker-0", "worker"}},
}

// The answers of explain to each situation are in testdata/explain.
func TestExplain(t *testing.T) {
	s := newScene(t, "explain")
	s.makePod("nametaken-worker-0", nil)
	s.limit("limited")
	newScene(t, "restricted").restrict()
	for _, story := range slices.Concat(situations, pluginSituations) {
		t.Run(story.name, func(t *testing.T) {
			t.Parallel()
			s := &scene{t, cmp.Or(story.namespace, s.namespace)}
			s.create(story.name, story.spec)
			if story.does != nil {
				story.does(s, story.name)
			}
			s.until(story.name, "as wanted", story.until)
			s.eventsSettle(story.name, story.told...)
			text := transcript(t, "explain", story.name, "-n", s.namespace)
			for _, about := range story.asks {
				text += "\n" + transcript(t, "explain", story.name, about, "-n", s.namespace)
			}
			if story.either != nil {
				text = story.either.Replace(text)
			}
			requireGolden(t, "explain/"+story.name+".txt", text)
		})
	}
}

// tasksIn reports whether the first Task is in a state.
func tasksIn(state v1.State) func(*v1.Framework) bool {
	return func(f *v1.Framework) bool {
		if f.Status == nil || len(f.Status.AttemptStatus.TaskRoleStatuses) == 0 {
			return false
		}
		return f.Status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0].State == state
	}
}

// startsOnNode reports whether the first Task has a Pod that a node is about to start.
func startsOnNode(f *v1.Framework) bool {
	if !tasksIn(v1.AttemptPreparing)(f) {
		return false
	}
	// A Pod that was seen before it was scheduled has an empty name of a node.
	node := f.Status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0].AttemptStatus.PodNodeName
	return node != nil && *node != ""
}

// writesPod writes the status of the first Pod.
func writesPod(change func(*corev1.PodStatus)) func(*scene, string) {
	return func(s *scene, name string) { s.writePod(name+"-worker-0", change) }
}

// exits lets the container of a Pod end with a code.
func exits(code int32) func(*corev1.PodStatus) {
	return func(status *corev1.PodStatus) {
		status.Phase = corev1.PodFailed
		status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", Image: "app",
			State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: "Error"}}}}
	}
}

// crashes has a container that was started for the fourth time.
func crashes(status *corev1.PodStatus) {
	waitingContainer("CrashLoopBackOff", "back-off 40s restarting failed container")(status)
	status.Phase = corev1.PodRunning
	c := &status.ContainerStatuses[0]
	c.RestartCount = 4
	c.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error", Message: "no configuration", FinishedAt: metav1.Now(), StartedAt: metav1.Now()}
}

// restrict makes the API server refuse Pods that are not restricted, such as the Pods of the stories.
func (s *scene) restrict() {
	s.Helper()
	_, err := core.CoreV1().Namespaces().Patch(s.Context(), s.namespace, types.MergePatchType,
		[]byte(`{"metadata":{"labels":{"pod-security.kubernetes.io/enforce":"restricted"}}}`), metav1.PatchOptions{})
	require.NoError(s, err)
}

// limit forbids Pods of a priority class, as a quota that is used up.
func (s *scene) limit(class string) {
	s.Helper()
	c := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: class}, Value: 10}
	_, err := core.SchedulingV1().PriorityClasses().Create(s.Context(), c, metav1.CreateOptions{})
	require.NoError(s, err)
	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "none-left"}, Spec: corev1.ResourceQuotaSpec{
		Hard: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("0")},
		ScopeSelector: &corev1.ScopeSelector{MatchExpressions: []corev1.ScopedResourceSelectorRequirement{
			{ScopeName: corev1.ResourceQuotaScopePriorityClass, Operator: corev1.ScopeSelectorOpIn, Values: []string{class}}}},
	}}
	_, err = core.CoreV1().ResourceQuotas(s.namespace).Create(s.Context(), quota, metav1.CreateOptions{})
	require.NoError(s, err)
	clustertest.Eventually(s.T, patience, func(ctx context.Context) error {
		q, err := core.CoreV1().ResourceQuotas(s.namespace).Get(ctx, quota.Name, metav1.GetOptions{})
		if err == nil && len(q.Status.Hard) == 0 {
			err = fmt.Errorf("the quota is not counted yet")
		}
		return err
	})
}

// eventsSettle waits until the events that belong to the status have arrived: they are sent after it, one after the other. For Frameworks
// that have completed, or have a warning, the last event is known.
func (s *scene) eventsSettle(name string, last ...string) {
	s.Helper()
	f, err := frameworks.FrameworkControllerV1().Frameworks(s.namespace).Get(s.Context(), name, metav1.GetOptions{})
	require.NoError(s, err)
	if completed(f) {
		last = append(last, "Completed")
	}
	s.eventually(250*time.Millisecond, func(ctx context.Context) error {
		list, err := core.CoreV1().Events(s.namespace).List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.kind=Framework,involvedObject.name=" + name})
		if err != nil {
			return err
		}
		for _, reason := range last {
			if !slices.ContainsFunc(list.Items, func(e corev1.Event) bool { return e.Reason == reason }) {
				return fmt.Errorf("%s has no event %s yet", name, reason)
			}
		}
		return nil
	})
}

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// manyPlugins has plugins of every kind. A plugin after podpattern is practically never asked, unless a Framework chooses it.
const manyPlugins = `
- {name: go, kind: FailureClassifier, command: go-classifier}
- {name: podpattern, kind: FailureClassifier, command: classifier-podpattern}
- {name: exitcodes, kind: FailureClassifier, command: classifier-exitcodes}
- {name: absent, kind: FailureClassifier, command: no-such-plugin, timeout: 200ms}
- {name: leader, kind: CompletionPolicy, command: completion-leader}
- {name: taskcount, kind: CompletionPolicy, command: completion-taskcount}
- {name: hived, kind: SchedulerHints, command: hints-hived, parameters: {virtualCluster: VC1}}
`

// Plugins that run as processes make every kind of decision, and the status names the plugin.
func TestPluginsDecide(t *testing.T) {
	withPlugins(t, manyPlugins+nodePlugin(t))
	t.Run("all", func(t *testing.T) { // ends when its parts have; only then is the configuration restored
		for name, test := range map[string]func(*story){
			"go":          func(s *story) { classifierRetries(s, "go", 42) },
			"verdict":     verdictNamesSource,
			"fall-back":   absentClassifier,
			"leader":      leaderDecides,
			"no-leader":   leaderRefuses,
			"bad-codes":   classifierRefuses,
			"thresholds":  thresholdsDecide,
			"hived":       hivedHints,
			"hived-vague": hivedRefuses,
			"choose":      onlyTheChosen,
			"disable":     allButTheDisabled,
			"unknown":     unknownPlugin,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(newStory(t))
			})
		}
		t.Run("node", func(t *testing.T) {
			t.Parallel()
			if nodePlugin(t) == "" {
				t.Skip("skipping: node or npm is not installed")
			}
			classifierRetries(newStory(t), "node", 43)
		})
	})
}

// nodePlugin configures the example in Node.js, which it installs the first time; empty if there is no Node.js.
func nodePlugin(t *testing.T) string {
	t.Helper()
	node, err := exec.LookPath("node")
	npm, err2 := exec.LookPath("npm")
	if err != nil || err2 != nil {
		return ""
	}
	dir := filepath.Join(kube.Dir, "node-classifier")
	if _, err := os.Stat(dir); err != nil {
		require.NoError(t, os.CopyFS(dir, os.DirFS("../../example/plugin/node-classifier")))
		install := exec.CommandContext(t.Context(), npm, "ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund")
		install.Dir = dir
		if output, err := install.CombinedOutput(); err != nil {
			t.Fatalf("npm ci: %v\n%s", err, output)
		}
	}
	return fmt.Sprintf("- {name: node, kind: FailureClassifier, command: %s, args: [%s], files: {%s: ''}, parameters: {exitCode: 43}}\n",
		node, filepath.Join(dir, "plugin.js"), filepath.Join(dir, "judge.js"))
}

// classifierRetries: an exit code that means nothing to the built-in rules becomes Transient, so the Task is retried
// although it has no retry that counts.
func classifierRetries(s *story, name string, code int32) {
	s.create("retried", fmt.Sprintf(`{plugins: [{name: %s}], taskRoles: [{name: a, taskNumber: 1, task: {
		retryPolicy: {fancyRetryPolicy: true, maxRetryCount: 0}, pod: %s}}]}`, name, pod("run-for", "0s", "exit-codes", fmt.Sprintf("%d,%d,0", code, code))))
	f := s.awaitState("retried", v1.Completed, 0)
	if got, want := describe(f.Status), "Completed attempt=0 retried=0/0 code=0 Succeeded trigger=a-0\na-0 Completed retried=2/0 code=0 Succeeded\n"; got != want {
		s.t.Errorf("got:\n%swant:\n%s", got, want)
	}

	s.create("other", fmt.Sprintf(`{plugins: [{name: %s}], taskRoles: [{name: a, taskNumber: 1, task: {
		retryPolicy: {fancyRetryPolicy: true, maxRetryCount: 0}, pod: %s}}]}`, name, pod("run-for", "0s", "exit-code", "1")))
	f = s.awaitState("other", v1.Completed, 0)
	if got, want := describe(f.Status), failedWith("code=1 ContainerUnrecognizedFailed"); got != want {
		s.t.Errorf("got:\n%swant:\n%s", got, want)
	}
	requireSource(s, "without an opinion of the plugin", f.Status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0].AttemptStatus.CompletionStatus.Source, nil)
}

func requireSource(s *story, of string, got, want *v1.CompletionSource) {
	s.t.Helper()
	switch {
	case got == nil && want == nil:
	case got == nil || want == nil || *got != *want:
		s.t.Errorf("source %s: got %+v, want %+v", of, got, want)
	}
}

// exitsOnce is a spec with one Task, which ends at once with that code and is never retried.
func exitsOnce(plugins string, code int32) string {
	return fmt.Sprintf(`{plugins: %s, taskRoles: [{name: a, taskNumber: 1, task: {pod: %s}}]}`, plugins, pod("run-for", "0s", "exit-code", fmt.Sprint(code)))
}

// endOf returns the completion statuses of a Framework with one Task, once it has ended.
func (s *story) endOf(name string) (framework *v1.FrameworkAttemptCompletionStatus, first v1.CompletionStatus) {
	s.t.Helper()
	f := s.awaitState(name, v1.Completed, 0)
	return f.Status.AttemptStatus.CompletionStatus, task(f.Status, "a", 0).AttemptStatus.CompletionStatus.CompletionStatus
}

func verdictNamesSource(s *story) {
	s.create("it", exitsOnce("[]", 42))
	framework, first := s.endOf("it")
	if first.Code != 42 || first.Phrase != "LicenseServerBusy" || fmt.Sprint(first.Type.Attributes) != "[Transient]" {
		s.t.Errorf("%+v", first)
	}
	requireSource(s, "of the Task", first.Source, &v1.CompletionSource{Plugin: "go", Version: "1.2.0", Rule: "exit code 42"})
	if framework.Code != 42 {
		s.t.Errorf("%+v", framework)
	}
}

// absentClassifier: a classifier is configured but missing, and by default costs only its own opinion.
func absentClassifier(s *story) {
	s.create("it", exitsOnce("[{name: absent}]", 1))
	framework, first := s.endOf("it")
	if first.Code != 1 || first.Phrase != "ContainerUnrecognizedFailed" || framework.Code != 1 {
		s.t.Errorf("%+v, %+v", first, framework)
	}
	requireSource(s, "of the Task", first.Source, nil)
}

// leaderDecides: other roles do not matter, although one failure of theirs would fail the attempt by the thresholds.
func leaderDecides(s *story) {
	role := func(name string, tasks int) string {
		return fmt.Sprintf("{name: %s, taskNumber: %d, task: {pod: %s}}", name, tasks, pod())
	}
	s.create("led", `{plugins: [{name: leader, parameters: {leader: {role: chief}}}], taskRoles: [`+role("chief", 1)+`, `+role("worker", 2)+`]}`)
	s.awaitAllRunning("led", 3)
	s.endPod("led-worker-0", 1)
	s.await("led", "with a Task that has failed", func(f *v1.FrameworkStatus) bool { return task(f, "worker", 0).State == v1.Completed })
	s.endPod("led-chief-0", 0)
	f := s.awaitState("led", v1.Completed, 0)
	want := "Completed attempt=0 retried=0/0 code=0 Succeeded trigger=chief-0\nchief-0 Completed retried=0/0 code=0 Succeeded\n" +
		"worker-0 Completed retried=0/0 code=1 ContainerUnrecognizedFailed\nworker-1 Completed retried=0/0 code=-220 FrameworkAttemptCompletion\n"
	if got := describe(f.Status); got != want {
		s.t.Errorf("got:\n%swant:\n%s", got, want)
	}
	requireSource(s, "of the Framework", f.Status.AttemptStatus.CompletionStatus.Source, &v1.CompletionSource{Plugin: "leader", Version: "1.0.0", Rule: "leader chief"})
}

// leaderRefuses: a Framework that names a leader which it does not have gets a message, and keeps running until it is corrected.
func leaderRefuses(s *story) {
	role := func(name string) string { return fmt.Sprintf("{name: %s, task: {pod: %s}}", name, pod()) }
	s.create("it", `{plugins: [{name: leader, parameters: {leader: {role: boss}}}], taskRoles: [`+role("chief")+`, `+role("worker")+`]}`)
	s.awaitAllRunning("it", 2)
	s.endPod("it-worker-0", 1) // by the thresholds, this would end the attempt
	s.requireAnswer("it", waitsFor("PluginRefused", `plugin leader: the parameters of the Framework are wrong: leader.role: the Framework has no role "boss"`))
	s.patch("it", `spec: {plugins: [{name: leader, parameters: {leader: {role: chief}}}]}`)
	s.awaitCondition("it", v1.ConditionWaiting, metav1.ConditionFalse, "NothingInTheWay")
	s.endPod("it-chief-0", 0)
	f := s.awaitState("it", v1.Completed, 0)
	requireSource(s, "of the Framework", f.Status.AttemptStatus.CompletionStatus.Source, &v1.CompletionSource{Plugin: "leader", Version: "1.0.0", Rule: "leader chief"})
}

// classifierRefuses: the Pods of a Framework with wrong parameters are judged by others, and an event reports it.
func classifierRefuses(s *story) {
	s.create("it", exitsOnce("[{name: exitcodes, parameters: {codes: {x: {phrase: Mine}}}}]", 42))
	if _, first := s.endOf("it"); first.Code != 42 || first.Phrase != "ContainerUnrecognizedFailed" || first.Source != nil {
		s.t.Errorf("%+v by %+v", first, first.Source)
	}
	s.requireAnswer("it", answer{event: "PluginSkipped", eventSays: "plugin exitcodes, which refuses: the parameters of the Framework are wrong: codes: "})
}

// thresholdsDecide: by default, the process that knows the thresholds decides, with the built-in result.
func thresholdsDecide(s *story) {
	s.create("it", exitsOnce("[]", 0))
	framework, _ := s.endOf("it")
	if framework.Code != 0 || framework.Source == nil || framework.Source.Plugin != "taskcount" {
		s.t.Errorf("%+v by %+v", framework, framework.Source)
	}
}

// onlyTheChosen: a Framework that names a classifier is judged by no other.
func onlyTheChosen(s *story) {
	s.create("it", exitsOnce("[{name: podpattern}]", 42))
	if _, first := s.endOf("it"); first.Code != 42 || first.Phrase != "ContainerUnrecognizedFailed" || first.Source != nil && first.Source.Plugin != "podpattern" {
		s.t.Errorf("%+v by %+v", first, first.Source)
	}
}

// allButTheDisabled: the others of the kind are still asked.
func allButTheDisabled(s *story) {
	s.create("it", exitsOnce("[{name: go, disabled: true}]", 42))
	if _, first := s.endOf("it"); first.Phrase != "ContainerUnrecognizedFailed" {
		s.t.Errorf("%+v by %+v", first, first.Source)
	}
	s.create("known", exitsOnce("[{name: go, disabled: true}]", 210))
	if _, first := s.endOf("known"); first.Code != 210 || first.Source == nil || first.Source.Plugin != "podpattern" {
		s.t.Errorf("%+v by %+v", first, first.Source)
	}
}

// unknownPlugin: a Framework that names a plugin which is not configured waits until it is.
func unknownPlugin(s *story) {
	s.create("it", exitsOnce("[{name: nobody}]", 0))
	c := s.awaitCondition("it", "Waiting", metav1.ConditionTrue, "PluginUnavailable")
	s.t.Log(c.Message)
	s.patch("it", `spec: {plugins: []}`)
	if framework, _ := s.endOf("it"); framework.Code != 0 {
		s.t.Errorf("%+v", framework)
	}
}

// gpus is a template of Pods with n GPUs, as users write it: the limit implies the request.
func gpus(n int) string {
	return fmt.Sprintf("{spec: {restartPolicy: Never, containers: [{name: c, image: app, resources: {limits: {nvidia.com/gpu: %d}}}]}}", n)
}

// hivedHints: every Pod of roles with GPUs has exactly the annotations that HiveD needs; no other Pod has any.
func hivedHints(s *story) {
	s.create("train", `{plugins: [{name: hived, parameters: {priority: 1000, leafCellType: V100}}], taskRoles: [
		{name: ps, taskNumber: 1, task: {pod: `+pod()+`}},
		{name: chief, taskNumber: 1, task: {pod: `+gpus(2)+`}},
		{name: worker, taskNumber: 3, task: {pod: `+gpus(2)+`}}]}`)
	want := `virtualCluster: VC1
priority: 1000
leafCellType: V100
leafCellNumber: 2
affinityGroup:
  name: ` + s.namespace + `/train-attempt-0
  members:
    - podNumber: 4
      leafCellNumber: 2
`
	for _, name := range []string{"train-chief-0", "train-worker-0", "train-worker-1", "train-worker-2"} {
		p := until(s, thePods, name, "created", func(*corev1.Pod) bool { return true })
		if got := p.Annotations[hived+"pod-scheduling-spec"]; got != want {
			s.t.Errorf("%s: got:\n%swant:\n%s", name, got, want)
		}
		limit := p.Spec.Containers[0].Resources.Limits[hived+"pod-scheduling-enable"]
		if p.Spec.SchedulerName != "hivedscheduler" || limit.String() != "1" || gpusFrom(p.Spec.Containers[0]) != "metadata.annotations['"+hived+"pod-leaf-cell-isolation']" {
			s.t.Errorf("%s: scheduler %s, limit %s, %+v", name, p.Spec.SchedulerName, limit.String(), p.Spec.Containers[0].Env)
		}
	}
	p := until(s, thePods, "train-ps-0", "running", isRunning)
	if _, found := p.Annotations[hived+"pod-scheduling-spec"]; found || p.Spec.SchedulerName != corev1.DefaultSchedulerName {
		s.t.Errorf("%s needs no GPU: %s, %v", p.Name, p.Spec.SchedulerName, p.Annotations)
	}
	f := s.await("train", "there", func(*v1.FrameworkStatus) bool { return true })
	if h := f.Status.AttemptStatus.SchedulerHints; h == nil || h.Plugin != "hived" || h.Version == "" {
		s.t.Errorf("schedulerHints: %+v", h)
	}
}

// hivedRefuses: the author learns of settings that HiveD would refuse, and of a parameter reserved for the operator, and corrects them.
func hivedRefuses(s *story) {
	for name, test := range map[string]struct{ parameters, words string }{
		"vague": {`virtualCluster: ""`, "virtualCluster: is missing"},
		"bold":  {`priorityClasses: {high: 1000}`, `spec.plugins[0].parameters: Frameworks may not set parameter "priorityClasses" of plugin hived. Remove it, or ask the operator to add it`},
	} {
		s.create(name, `{plugins: [{name: hived, parameters: {`+test.parameters+`}}], taskRoles: [{name: worker, taskNumber: 1, task: {pod: `+gpus(1)+`}}]}`)
		c := s.awaitCondition(name, "Waiting", metav1.ConditionTrue, "HintsRefused")
		if !strings.Contains(c.Message, test.words) {
			s.t.Errorf("%s: %s", name, c.Message)
		}
		if pods, err := s.pods.List(s.t.Context(), frameworkLabel(name)); err != nil || len(pods.Items) > 0 {
			s.t.Errorf("%s: %d Pods, %v", name, len(pods.Items), err)
		}
		s.patch(name, `spec: {plugins: [{name: hived}]}`)
		until(s, thePods, name+"-worker-0", "created", func(p *corev1.Pod) bool { return p.Spec.SchedulerName == "hivedscheduler" })
	}
}

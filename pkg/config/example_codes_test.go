package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/lifecycletest"
)

// The codes of the original's default configuration, in its order (contract 4.7). New ones may stand in between.
func TestDefaultExampleKeepsTheOriginalCodes(t *testing.T) {
	tests := []string{
		"-1000 PodEvicted [Transient]",
		"-1001 PodNodeLost [Transient]",
		"-1002 PodScheduledToInsufficientResourceNode [Transient]",
		"-1003 PodPreemptedForCriticalPod [Transient]",
		"-1004 PodDeadlineExceeded [Permanent]",
		"-1005 PodNodeAdmissionForbidden [Permanent]",
		"-1006 PodNodeAdmissionUnexpectedError [Transient]",
		"-1200 ContainerDockerOOMKilled [Permanent]",
		"-1201 ContainerDockerCreationError []",
		"-1202 ContainerDockerStartCmdPermissionDenied [Permanent]",
		"-1203 ContainerDockerStartCmdNotFound [Permanent]",
		"-1204 ContainerDockerStartUnknownError []",
		"130 ContainerSigIntReceived [Transient]",
		"131 ContainerSigQuitReceived [Transient]",
		"132 ContainerSigIllReceived [Permanent]",
		"134 ContainerSigAbrtReceived []",
		"135 ContainerSigBusReceived [Permanent]",
		"136 ContainerSigFpeReceived [Permanent]",
		"137 ContainerSigKillReceived [Transient]",
		"139 ContainerSigSegvReceived [Permanent]",
		"141 ContainerSigPipeReceived [Permanent]",
		"143 ContainerSigTermReceived [Transient]",
	}
	for _, r := range load(t, defaultExample).PodFailureSpec {
		if r.Type.Attributes != nil && len(r.Type.Attributes) == 0 {
			t.Errorf("%d: statuses would have attributes of [] instead of null", *r.Code)
		}
		line := fmt.Sprintf("%d %s %s", *r.Code, r.Phrase, r.Type.Attributes)
		if len(tests) > 0 && line == tests[0] {
			tests = tests[1:]
		}
	}
	if len(tests) > 0 {
		t.Errorf("missing, changed or at another place: %q", tests[0])
	}
}

// podFailed is a Pod that the kubelet refused or ended.
func podFailed(reason, message string, cs ...completion.Container) completion.Pod {
	return completion.Pod{Name: "f-worker-0", Reason: reason, Message: message, Containers: cs}
}

// containerFailed is a Pod whose only container failed.
func containerFailed(reason string, code int32, message string) completion.Pod {
	return podFailed("", "", ended(reason, code, message))
}

func ended(reason string, code int32, message string) completion.Container {
	return completion.Container{Name: "main", Terminated: true, Reason: reason, Code: code, Message: message}
}

const (
	runcFailed   = `failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: `
	startProcess = runcFailed + `unable to start container process: `
)

// vectors have reasons, numbers and texts of the kubelet of Kubernetes 1.35, containerd 2, CRI-O and cri-dockerd.
var vectors = []struct {
	want completion.Code
	pod  completion.Pod
}{
	{-1000, podFailed("Evicted", "The node was low on resource: memory. ", ended("Error", 137, ""))},
	{-1001, podFailed("NodeLost", "Node n which was running pod p is unresponsive")},
	{-1002, podFailed("OutOfcpu", "Pod was rejected: Node didn't have enough resource: cpu, requested: 8000, used: 1, capacity: 4000")},
	{-1002, podFailed("OutOfephemeral-storage", "Pod was rejected: Node didn't have enough resource: ephemeral-storage")},
	{-1002, podFailed("OutOfnvidia.com/gpu", "Pod was rejected: Node didn't have enough resource: nvidia.com/gpu")},
	{-1003, podFailed("Preempting", "Preempted in order to admit critical pod", ended("Error", 137, ""))},
	{-1004, podFailed("DeadlineExceeded", "Pod was active on the node longer than the specified deadline", ended("Error", 143, ""))},
	{-1005, podFailed("Forbidden", "Pod was rejected: forbidden")},
	{-1006, podFailed("UnexpectedAdmissionError", "Pod was rejected: Allocate failed due to no healthy devices present")},
	{-1006, podFailed("UnknownReason", "Pod was rejected: GeneralPredicates failed due to unknown reason, which is unexpected.")},
	{-1006, podFailed("InvalidNodeInfo", "Pod was rejected: Kubelet cannot get node info.")},
	{-1006, podFailed("UnexpectedPredicateFailureType", "Pod was rejected: GeneralPredicates failed due to x, which is unexpected.")},
	{-1007, podFailed("NodeShutdown", "Pod was rejected: Pod was rejected as the node is shutting down.")},
	{-1007, podFailed("Terminated", "Pod was terminated in response to imminent node shutdown.", ended("Error", 143, ""))},
	{-1007, podFailed("Shutdown", "Node is shutting down, evicting pods", ended("Error", 137, ""))},
	{-1008, podFailed("NodeAffinity", "Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector")},
	{-1008, podFailed("NodeName", "Pod was rejected: Predicate NodeName failed: node(s) didn't match the requested node name")},
	{-1008, podFailed("NodePorts", "Pod was rejected: Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports")},
	{-1008, podFailed("TaintToleration", "Pod was rejected: Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate")},
	{-1009, podFailed("SysctlForbidden", `Pod was rejected: forbidden sysctl: "kernel.msgmax" not allowlisted`)},
	{-1009, podFailed("PodOSNotSupported", "Pod was rejected: Failed to admit pod as the OS field doesn't match node OS")},
	{-1009, podFailed("PodOSSelectorNodeLabelDoesNotMatch", "Pod was rejected: Failed to admit pod")},
	{-1009, podFailed("InitContainerRestartPolicyForbidden", "Pod was rejected: Init container may not have a non-default restart policy")},
	{-1010, podFailed("AppArmor", "Pod was rejected: Cannot enforce AppArmor: AppArmor is not enabled on the host")},
	{-1010, podFailed("PodFeatureUnsupported", "Pod was rejected: Pod requires node features that are not available: x")},
	{-1010, podFailed("PodLevelResourcesNotSupported", "Pod was rejected: pod-level resources are not supported")},
	{-1010, podFailed("SupplementalGroupsPolicyNotSupported", "Pod was rejected: SupplementalGroupsPolicy=Strict is not supported in this node")},
	{-1010, podFailed("SMTAlignmentError", "Pod was rejected: SMT Alignment Error: requested 3 cpus not multiple cpus per core = 2")},
	{-1011, podFailed("TopologyAffinityError", "Pod was rejected: Resources cannot be allocated with Topology locality")},
	{-1012, podFailed("VolumeAttachmentLimitExceeded", "Pod was rejected: volume attachment limit exceeded")},

	{-1200, containerFailed("OOMKilled", 137, "last words")},
	{-1200, containerFailed("OOMKilled", 1, "")},
	{-1201, containerFailed("ContainerCannotRun", 125, "invalid mode")},
	{-1202, containerFailed("ContainerCannotRun", 126, `exec: "/etc": permission denied`)},
	{-1203, containerFailed("ContainerCannotRun", 127, `exec: "foo": executable file not found in $PATH`)},
	{-1203, containerFailed("ContainerCannotRun", 128, "The system\ncannot find the file specified.\n")},
	{-1203, containerFailed("ContainerCannotRun", 128, "stat /foo: No such file or directory")},
	{-1204, containerFailed("ContainerCannotRun", 128, "something else")},
	{-1205, containerFailed("ContainerStatusUnknown", 137, "The container could not be located when the pod was terminated")},
	{-1205, containerFailed("Unknown", 255, "")},
	{-1206, containerFailed("StartError", 128, startProcess+`exec: "/etc": permission denied`)},
	{-1206, containerFailed("StartError", 128, startProcess+`error during container init: exec: "/etc": is a directory`)},
	{-1206, containerFailed("StartError", 128, runcFailed+`starting container process caused: exec: "/f": permission denied: unknown`)},
	{-1206, containerFailed("StartError", 128, `failed to start containerd task "x": OCI runtime start failed: unable to start container process: exec /f: exec format error`)},
	{-1206, containerFailed("StartError", 128, `OCI runtime create failed: crun: open executable: Permission denied: OCI permission denied`)},
	{-1206, containerFailed("StartError", 128, "OCI runtime create failed: crun: exec container process `/f`: Exec format error: OCI runtime error")},
	{-1207, containerFailed("StartError", 128, startProcess+`exec: "foo": executable file not found in $PATH: unknown`)},
	{-1207, containerFailed("StartError", 128, startProcess+`error during container init: exec: "/foo": stat /foo: no such file or directory: unknown`)},
	{-1207, containerFailed("StartError", 128, runcFailed+`container_linux.go:380: starting container process caused "exec: \"foo\": executable file not found in $PATH": unknown`)},
	{-1207, containerFailed("StartError", 128, "OCI runtime create failed: crun: executable file `foo` not found in $PATH: No such file or directory")},
	{-1208, containerFailed("StartError", 128, startProcess+`error during container init: error mounting "/a" to rootfs at "/b": no such file or directory`)},
	{-1208, containerFailed("StartError", 128, startProcess+`error during container init: error running hook #0: exec: "hook": executable file not found in $PATH`)},
	{-1208, containerFailed("StartError", 128, `failed to create shim task: unable to retrieve OCI runtime error: exec: "runc": executable file not found in $PATH`)},
	{-1208, containerFailed("StartError", 128, `sandbox container "x" is not running`)},
	{-1209, containerFailed("seccomp killed", 159, "")},

	{130, containerFailed("Error", 130, "m")},
	{131, containerFailed("Error", 131, "m")},
	{132, containerFailed("Error", 132, "m")},
	{134, containerFailed("Error", 134, "m")},
	{135, containerFailed("Error", 135, "m")},
	{136, containerFailed("Error", 136, "m")},
	{137, containerFailed("Error", 137, "m")},
	{139, containerFailed("Error", 139, "m")},
	{141, containerFailed("Error", 141, "m")},
	{143, containerFailed("Error", 143, "m")},

	// Failures that look alike and are not.
	{1, containerFailed("Error", 1, "OOMKilled")},
	{128, containerFailed("Error", 128, `exec: "foo": executable file not found in $PATH`)},
	{255, containerFailed("Error", 255, "Unknown")},
	{137, podFailed("Terminated", "by some other controller", ended("Error", 137, "m"))},
	{-300, podFailed("Terminated", "")},
	{-300, podFailed("NotEvictedAtAll", "Evicted")},
	{200, podFailed("Evicted", "m", ended("Error", 200, ""))},
	{-1000, podFailed("EVICTED", "m", ended("Completed", 0, ""))},
	// The Pod's own reason says more than its containers, and OOMKilled more than the signal.
	{-1000, podFailed("Evicted", "m", ended("OOMKilled", 137, ""))},
	{-1200, podFailed("", "", ended("Error", 137, ""), ended("OOMKilled", 137, ""))},
}

func TestDefaultExampleClassifies(t *testing.T) {
	rules := load(t, defaultExample).Rules()
	for _, v := range vectors {
		if got := rules.Classify(v.pod); got.Code != v.want {
			t.Errorf("want %d, got %d %s %s", v.want, got.Code, got.Phrase, got.Diagnostics)
		}
	}
}

// A container that is stopped because another one failed does not hide the failure. Signals of crashing programs do not
// count as such stops.
func TestStoppedContainers(t *testing.T) {
	rules := load(t, defaultExample).Rules()
	main := ended("Error", 1, "cannot open /data")
	for _, signal := range []completion.Code{130, 131, 137, 143} {
		if got := rules.Classify(podFailed("", "", main, ended("Error", signal, ""))); got.Code != 1 {
			t.Errorf("stopped with %d: got %d %s", signal, got.Code, got.Phrase)
		}
	}
	for _, signal := range []completion.Code{132, 134, 135, 136, 139, 141} {
		if got := rules.Classify(podFailed("", "", main, ended("Error", signal, ""))); got.Code != signal {
			t.Errorf("crashed with %d: got %d %s", signal, got.Code, got.Phrase)
		}
	}
	if got := rules.Classify(podFailed("", "", main, ended("OOMKilled", 137, ""))); got.Code != -1200 {
		t.Errorf("out of memory: got %d %s", got.Code, got.Phrase)
	}
}

// Every pattern is useful: alone, it gives its code to at least one vector.
func TestDefaultExampleHasNoIdlePattern(t *testing.T) {
	for _, r := range load(t, defaultExample).PodFailureSpec {
		for i, p := range r.PodPatterns {
			alone := compile(t, completion.RuleSpec{Code: r.Code, PodPatterns: []*completion.PodPatternSpec{p}})
			if !decides(alone, *r.Code) {
				t.Errorf("%d: no vector for podPatterns[%d]", *r.Code, i)
			}
		}
	}
}

// mayPass are the codes of refused and ended Pods whose retries need not be counted. The first ones are the original's;
// and a node that shuts down gets no more Pods from the scheduler.
var mayPass = []completion.Code{-1000, -1001, -1002, -1003, -1006, -1007}

// Failures that the kubelet may report again for the next Pod are counted: a Task does not wait, so without a limit on
// its retries it would create Pod after Pod.
func TestDefaultExampleCountsWhatComesAgainAtOnce(t *testing.T) {
	for _, v := range vectors {
		if v.pod.Reason == "" || v.want > -1000 || slices.Contains(mayPass, v.want) {
			continue
		}
		config := lifecycletest.Config()
		config.Rules = load(t, defaultExample).Rules()
		story := lifecycletest.NewStory(config)
		refused := "exit a-0 0 " + v.pod.Reason
		for _, c := range [][2]string{{"framework", "a fancy max=2"}, {refused}, {refused}, {refused}, {refused}} {
			if _, err := story.Do(c[0], c[1]); err != nil {
				t.Fatal(err)
			}
		}
		task := story.Stored().Status().AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0]
		if n := task.RetryPolicyStatus; task.State != v1.Completed || n.TotalRetriedCount != n.AccountableRetriedCount {
			t.Errorf("%d: %s: %s after %d retries, of which %d count", v.want, v.pod.Reason, task.State,
				n.TotalRetriedCount, n.AccountableRetriedCount)
		}
	}
}

// Refusals of a Pod by the kubelet are transient in the original's list, and are not counted. Even so, a node that
// refuses every Pod gets few of them, and after a while one each minute.
func TestDefaultExampleMakesFewPodsThatAreRefused(t *testing.T) {
	config := lifecycletest.Config()
	config.Rules = load(t, defaultExample).Rules()
	story := lifecycletest.NewStory(config)
	do := func(line, input string) {
		t.Helper()
		_, err := story.Do(line, input)
		require.NoError(t, err)
	}
	do("framework", "a fancy max=0")
	do("refusing node1", "")
	do("exit a-0 200", "")
	for range 10 * 60 {
		do("advance 1s", "")
	}
	task := story.Stored().Status().AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0]
	if n := task.RetryPolicyStatus; task.State == v1.Completed || n.TotalRetriedCount < 10 || n.TotalRetriedCount > 18 || n.AccountableRetriedCount != 0 {
		t.Errorf("%s after %d retries, of which %d count", task.State, n.TotalRetriedCount, n.AccountableRetriedCount)
	}
	if last := task.EarlierAttempts[len(task.EarlierAttempts)-1]; last.Code != -1002 {
		t.Errorf("the last one ended with %d", last.Code)
	}
}

func compile(t *testing.T, spec completion.RuleSpec) *completion.Rules {
	t.Helper()
	rules, err := completion.Compile([]completion.RuleSpec{spec})
	require.NoError(t, err)
	return rules
}

func decides(rules *completion.Rules, code completion.Code) bool {
	for _, v := range vectors {
		if v.want == code && rules.Classify(v.pod).Code == code {
			return true
		}
	}
	return false
}

// The diagnostics show the whole message and, for a container, its name and code.
func TestDefaultExampleShowsMessages(t *testing.T) {
	rules := load(t, defaultExample).Rules()
	for _, v := range vectors {
		got := rules.Classify(v.pod)
		_, text, matched := strings.Cut(got.Diagnostics, "PodPattern matched: ")
		if !matched {
			continue
		}
		var shown v1.PodCompletionStatus
		require.NoError(t, json.Unmarshal([]byte(text), &shown))
		want := v.pod.Status()
		if shown.Message != want.Message && len(shown.Containers) == 0 {
			t.Errorf("%d shows %q of %q", got.Code, shown.Message, want.Message)
		}
		for _, c := range shown.Containers {
			if c.Name != "main" || c.Code == 0 || c.Message != last(want.Containers).Message {
				t.Errorf("%d shows %+v of %+v", got.Code, c, want.Containers)
			}
		}
	}
}

func last(cs []v1.ContainerCompletionStatus) v1.ContainerCompletionStatus {
	return cs[len(cs)-1]
}

func TestDefaultExampleSamplesClassify(t *testing.T) {
	rules := uncommented(t).Rules()
	samples := []struct {
		want completion.Code
		pod  completion.Pod
	}{
		{220, containerFailed("Error", 220, "m")},
		{221, containerFailed("Error", 1, "tensorflow.python.framework.errors_impl.ResourceExhaustedError:\nOOM when allocating tensor")},
		{222, containerFailed("Error", 1, "mpirun noticed that process rank 0\nexited on signal 11 (Segmentation fault).")},
		{223, containerFailed("Error", 1, "CUDA driver error: uncorrectable ECC error encountered")},
		{255, containerFailed("Error", 77, "m")},
		{255, podFailed("SomethingNew", "m")},
		{137, containerFailed("Error", 137, "m")},
	}
	for _, s := range samples {
		if got := rules.Classify(s.pod); got.Code != s.want {
			t.Errorf("want %d, got %d %s", s.want, got.Code, got.Diagnostics)
		}
	}
}

package kubectl

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

// readings are commands that change nothing.
var readings = map[string][][]string{
	"list": {
		{"list"}, {"list", "--waiting"}, {"list", "--failed"}, {"list", "-o", "wide"}, {"list", "-o", "name"},
		{"list", "-l", "team=vision"}, {"list", "-l", "team=none"}, {"list", "--no-headers", "--failed"},
	},
	"tree":     {{"tree", "train"}, {"tree", "train", "--all"}, {"tree", "oom"}, {"tree", "twice"}, {"tree", "twice", "--attempt", "0"}, {"tree", "twice", "--attempt", "5"}, {"tree", "train", "-o", "yaml"}, {"tree", "twice", "--attempt", "0", "-o", "json"}, {"tree", "twice", "-o", "wide"}},
	"simulate": {{"simulate", "-f", "testdata/rules.yaml"}, {"simulate", "-f", "../../example/config/default/frameworkcontroller.yaml"}, {"simulate"}, {"simulate", "-f", "testdata/none.yaml"}},
	"events":   {{"events", "twice"}, {"events", "twice", "--warnings"}, {"events", "big"}},
	"explain":  {{"explain", "train"}, {"explain", "train", "worker"}, {"explain", "big", "worker-0"}, {"explain", "train", "-o", "json"}, {"explain", "train", "-o", "name"}},
	"logs":     {{"logs", "train"}, {"logs", "train", "worker/1", "--tail", "5"}, {"logs", "oom"}, {"logs", "oom", "-f"}},
	"watch":    {{"watch", "oom"}, {"watch", "twice"}},
	"waited":   {{"wait", "train", "--for=running"}, {"wait", "oom"}},
	"tasks":    {{"tasks", "train"}, {"tasks", "train", "worker"}, {"tasks", "train", "worker/1"}, {"tasks", "twice", "-o", "wide"}, {"tasks", "train", "--state", "failed"}, {"tasks", "train", "--sort-by", "state", "--no-headers"}, {"tasks", "train", "-o", "name"}, {"tasks", "train", "worker/1", "-o", "yaml"}, {"tasks", "train", "--state", "failed", "-o", "json"}},
}

// The output of the reading commands is in testdata, and is the same for a user who has only the role view of the namespace.
func TestReading(t *testing.T) {
	t.Parallel()
	s := newScene(t, "reading")
	viewer := s.viewer()
	s.create("train", specOf("", role{name: "ps"}, role{tasks: 3}))
	s.create("oom", specOf("", role{simulated: ends("137", "reason=OOMKilled")}))
	s.create("twice", specOf("retryPolicy: {maxRetryCount: 1}", role{simulated: ends("7")}))
	s.create("held", specOf("executionType: Create", role{}))
	s.create("big", specOf("", role{container: "resources: {requests: {cpu: 1000}}"}))
	s.until("train", "running", runs)
	s.patch("train", `{"metadata":{"labels":{"team":"vision"}}}`)
	s.until("oom", "completed", completed)
	s.until("twice", "completed", completed)
	s.until("big", "waiting", waits("Unschedulable"))
	s.until("held", "held", hasState(v1.AttemptCreationPending))
	for _, name := range []string{"train", "oom", "twice", "big"} {
		s.eventsSettle(name)
	}
	for file, commands := range readings {
		var text, asViewer []string
		for _, args := range commands {
			args = append(args, "-n", s.namespace)
			text = append(text, inOneOrder(args[0], transcript(t, args...)))
			asViewer = append(asViewer, inOneOrder(args[0], shown(kubectlAs(t, viewer, args...), args...)))
		}
		requireGolden(t, file+".txt", strings.Join(text, "\n"))
		got, want := withoutHistory(strings.Join(asViewer, "\n")), withoutHistory(strings.Join(text, "\n"))
		if got != want {
			t.Errorf("who may view sees something else:\n%s\nwant\n%s", got, want)
		}
	}
	s.requirePlugins(viewer)
	s.requireAll()
	s.requireEvents()
}

// historyHint is about the history server, which a viewer of the namespace may not look for.
var historyHint = regexp.MustCompile(`(?m)^warning: services is forbidden: .*--history-url\n|; the history may have kept more, but cannot be read: .*|; the cluster has no history server that could have kept more`)

func withoutHistory(text string) string { return historyHint.ReplaceAllString(masked(text), "") }

// triedAgain is how many times the scheduler has tried, which is its own business.
var triedAgain = regexp.MustCompile(`(?m)( FailedScheduling .*) \(\d+ times\)$`)

// inOneOrder sorts events by their lines, below the header, and drops repeated ones: events of different objects arrive in any order, and a
// scheduler retries at any time.
func inOneOrder(command, text string) string {
	if command != "events" {
		return text
	}
	lines := strings.SplitAfter(triedAgain.ReplaceAllString(masked(text), "$1"), "\n")
	if len(lines) > 2 {
		slices.Sort(lines[2 : len(lines)-1])
	}
	return strings.Join(slices.Compact(lines), "")
}

// viewer is a user with the role view of the namespace.
func (s *scene) viewer() (kubeconfig string) {
	s.Helper()
	out, err := kube.Command(s.Context(), kube.Kubectl, "apply", "-f", "../../deploy/install.yaml",
		"--selector=rbac.authorization.k8s.io/aggregate-to-view=true").CombinedOutput()
	require.NoError(s, err, string(out))
	_, err = core.RbacV1().RoleBindings(s.namespace).Create(s.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "viewer"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "view"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: s.namespace, Name: "default"}},
	}, metav1.CreateOptions{})
	require.NoError(s, err)
	kubeconfig = clustertest.KubeconfigOf(s.T, kube, s.namespace, "default")
	s.eventually(200*time.Millisecond, func(context.Context) error { // until the roles are aggregated
		if a := kubectlAs(s.T, kubeconfig, "list", "-n", s.namespace); a.code != 0 {
			return fmt.Errorf("%s", a.err)
		}
		return nil
	})
	return kubeconfig
}

// requirePlugins: facts about plugins in statuses are visible to everybody, and their metrics to users who can read them.
func (s *scene) requirePlugins(viewer string) {
	s.Helper()
	args := []string{"plugins", "-n", s.namespace}
	requireGolden(s.T, "plugins.txt", transcript(s.T, args...))
	if a := kubectlAs(s.T, viewer, args...); a.code != 0 || a.out != kubectl(s.T, args...).out {
		s.Errorf("plugins of who may view: %+v", a)
	}
	a := kubectl(s.T, append(args, "--metrics="+metrics)...)
	want := regexp.MustCompile(`(?m)^podpattern +FailureClassifier +1\.0\.0 +\w+ +[1-9]\d* +0 +0 +2 +oom,twice$`)
	if !want.MatchString(a.out) || !strings.Contains(a.err, "the other columns from http://127.0.0.1:") {
		s.Errorf("plugins --metrics: %+v", a)
	}
}

// requireAll: -A includes the namespace, and JSON is the stored object.
func (s *scene) requireAll() {
	s.Helper()
	if a := kubectl(s.T, "list", "-A", "-l", "team=vision", "--no-headers"); !strings.HasPrefix(a.out, "reading") || a.code != 0 {
		s.Errorf("list -A: %+v", a)
	}
	var list struct{ Items []v1.Framework }
	a := kubectl(s.T, "list", "-o", "json", "-n", s.namespace)
	require.NoError(s, json.Unmarshal([]byte(a.out), &list))
	if len(list.Items) != 5 || list.Items[0].Kind != v1.FrameworkKind || list.Items[0].Status == nil {
		s.Errorf("list -o json: %s", a.out)
	}
	text := kubectl(s.T, "list", "-o", "yaml", "-n", s.namespace).out
	same, err := yaml.ToJSON([]byte(text))
	require.NoError(s, err)
	if strings.HasPrefix(text, "{") {
		s.Errorf("list -o yaml is no YAML: %s", text)
	}
	require.JSONEq(s, a.out, string(same))
}

// requireEvents: events of the Framework, the ConfigMap and the Pods are in one order. Their messages are Kubernetes' own.
func (s *scene) requireEvents() {
	s.Helper()
	a := kubectl(s.T, "events", "twice", "-n", s.namespace)
	for _, want := range []string{"LAST SEEN", "Framework/twice", "Pod/twice-worker-0", "Retried", "Completed"} {
		if !strings.Contains(a.out, want) {
			s.Errorf("events: %q is not in\n%s%s", want, a.out, a.err)
		}
	}
	if retried, completed := strings.Index(a.out, "Retried "), strings.Index(a.out, " Completed "); retried > completed {
		s.Errorf("events are not in order:\n%s", a.out)
	}
	if a := kubectl(s.T, "events", "twice", "--warnings", "-n", s.namespace); strings.Contains(a.out, "Normal") || !strings.Contains(a.out, "Warning") {
		s.Errorf("events --warnings: %s%s", a.out, a.err)
	}
}

// longestWall is the limit for commands that take half a second on an idle machine, and run here beside many others.
const longestWall = 20 * time.Second

// tree and tasks of 10,000 Tasks take less than a second of the processor, and less than 200 MiB.
func TestManyTasks(t *testing.T) {
	t.Parallel()
	s := newScene(t, "many")
	s.create("huge", specOf("managedBy: example.com/test", role{tasks: 10_000})) // so that nobody else writes the status
	s.writeStatus("huge", manyTasks(10_000))
	for _, args := range [][]string{{"tree", "huge"}, {"tree", "huge", "--all"}, {"tasks", "huge"}, {"tasks", "huge", "--state=failed"}} {
		cmd := kube.Command(t.Context(), bin+"/kubectl-framework", append(args, "-n", s.namespace)...)
		began := time.Now()
		out, err := cmd.Output()
		require.NoError(t, err, args)
		wall := time.Since(began)
		usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		took, memory := cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime(), usage.Maxrss>>10
		t.Logf("%s: %s, of which %s of the processor, %d MiB, %d lines", args, wall, took, memory, bytes.Count(out, []byte("\n")))
		if took > time.Second || wall > longestWall || memory > 200 {
			t.Errorf("%s took %s, of which %s of the processor, and %d MiB", args, wall, took, memory)
		}
	}
	s.requireSorted()
	requireGolden(t, "many.txt", strings.Join([]string{
		transcript(t, "tree", "huge", "-n", s.namespace), transcript(t, "tasks", "huge", "--state=failed", "-n", s.namespace),
		transcript(t, "tasks", "huge", "--state=failed", "--node=node-0", "-n", s.namespace), transcript(t, "tasks", "huge", "--node=elsewhere", "-n", s.namespace),
	}, "\n"))
	if n := strings.Count(kubectl(t, "tasks", "huge", "--node=node-1", "--no-headers", "-n", s.namespace).out, " node-1 "); n != 5000 {
		t.Errorf("%d Tasks are on node-1", n)
	}
	head := kube.Command(t.Context(), "sh", "-c", bin+"/kubectl-framework tasks huge -n many | head -1")
	if out, err := head.CombinedOutput(); err != nil || strings.Count(string(out), "\n") != 1 {
		t.Errorf("%v: %s", err, out)
	}
}

// requireSorted: by code, the only failed Task is last; by node, Tasks of one node come before the other's.
func (s *scene) requireSorted() {
	s.Helper()
	for key, want := range map[string]string{"code": "worker-4242 ", "node": "worker-9999 ", "attempt": "worker-9999 "} {
		lines := strings.Split(strings.TrimSpace(kubectl(s.T, "tasks", "huge", "--sort-by="+key, "--no-headers", "-n", s.namespace).out), "\n")
		if len(lines) != 10_000 || !strings.HasPrefix(lines[len(lines)-1], want) {
			s.Errorf("sorted by %s, the last of %d lines is %s", key, len(lines), lines[len(lines)-1])
		}
		if key == "node" && !strings.HasPrefix(lines[5000], "worker-1 ") {
			s.Errorf("sorted by node, the second half begins with %s", lines[5000])
		}
	}
}

// manyTasks is a status in its stored form: compressed. One Task has failed, and the others run.
func manyTasks(n int) map[string]any {
	now := metav1.NewTime(time.Now().Truncate(time.Second))
	role := v1.TaskRoleStatus{Name: "worker", InstanceUID: "u"}
	for i := range n {
		node, ip := fmt.Sprintf("node-%d", i%2), fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255)
		uid := types.UID(fmt.Sprintf("%08d-13de-4218-9bcc-a226366d7a47", i))
		t := v1.TaskStatus{Index: int32(i), InstanceUID: string(uid), StartTime: now, TransitionTime: now, State: v1.AttemptRunning}
		t.AttemptStatus = v1.TaskAttemptStatus{PodName: v1.PodName("huge", "worker", int32(i)), PodUID: &uid, PodNodeName: &node, PodIP: &ip, StartTime: now}
		if i == 4242 {
			t.State = v1.Completed
			t.AttemptStatus.CompletionStatus = &v1.TaskAttemptCompletionStatus{CompletionStatus: v1.CompletionStatus{
				Code: 7, Phrase: "ContainerUnrecognizedFailed", Type: v1.CompletionType{Name: v1.CompletionFailed}}}
		}
		role.TaskStatuses = append(role.TaskStatuses, t)
	}
	text, _ := json.Marshal([]v1.TaskRoleStatus{role})
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	w.Write(text)
	w.Close()
	return map[string]any{"state": v1.AttemptRunning, "startTime": now, "transitionTime": now,
		"tasks":             map[string]any{"total": n, "running": n - 1, "failed": 1, "succeeded": 0},
		"retryPolicyStatus": map[string]any{"totalRetriedCount": 0, "accountableRetriedCount": 0},
		"attemptStatus": map[string]any{"id": 0, "startTime": now, "configMapName": "huge-attempt",
			"taskRoleStatusesCompressed": zipped.Bytes()}}
}

// writeStatus writes a status, which only the controller does otherwise.
func (s *scene) writeStatus(name string, status any) {
	s.Helper()
	patch, err := json.Marshal(map[string]any{"status": status})
	require.NoError(s, err)
	s.patchStatus(name, string(patch))
}

// patchStatus changes a part of the status.
func (s *scene) patchStatus(name, patch string) {
	s.Helper()
	_, err := raw.Namespace(s.namespace).Patch(s.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}, "status")
	require.NoError(s, err)
}

// Completion for kubectl is installed, and suggests the objects of the cluster.
func TestCompletion(t *testing.T) {
	t.Parallel()
	s := newScene(t, "completion")
	s.create("train", specOf("", role{name: "ps"}, role{tasks: 2}))
	s.until("train", "running", runs)
	requireGolden(t, "completion.txt", strings.Join([]string{
		transcript(t, "completion"), transcript(t, "version"), transcript(t, "completion", "csh"),
		transcript(t, "__complete", "explain", "-n", s.namespace, ""), transcript(t, "__complete", "explain", "train", "-n", s.namespace, "w"),
		transcript(t, "__complete", "logs", "train", "worker", "-n", s.namespace, "p"), transcript(t, "__complete", "wait", "train", "--for", ""),
		transcript(t, "__complete", "scale", "-n", s.namespace, "t"), transcript(t, "__complete", "s"),
	}, "\n"))
	for _, shell := range []string{"kubectl", "bash", "zsh", "fish"} {
		if a := kubectl(t, "completion", shell); a.code != 0 || len(a.out) < 50 {
			t.Errorf("%s: %+v", shell, a)
		}
	}
	if bash, err := exec.LookPath("bash"); err == nil {
		cmd := exec.CommandContext(t.Context(), bash, "-n")
		cmd.Stdin = strings.NewReader(kubectl(t, "completion", "bash").out)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}
}

// Earlier attempts are listed below their Task or Framework, from events; the log of the controller has them in full.
func TestEarlierAttempts(t *testing.T) {
	t.Parallel()
	s := newScene(t, "earlier")
	s.create("again", specOf("retryPolicy: {maxRetryCount: 1}", role{simulated: ends("7"), retry: "maxRetryCount: 1"}))
	s.until("again", "completed", completed)
	s.eventsSettle("again")
	log := filepath.Join(t.TempDir(), "controller.log")
	require.NoError(t, os.WriteFile(log, []byte(linesWith(controller.Text(), "[earlier/")), 0o600))
	var text []string
	for _, args := range [][]string{
		{"tree", "again"}, {"tree", "again", "--attempt", "0"}, {"tree", "again", "--attempt", "0", "--from", log},
		{"tree", "again", "--from", log}, {"tree", "again", "--attempt", "7"},
	} {
		text = append(text, strings.ReplaceAll(transcript(t, append(args, "-n", s.namespace)...), log, "controller.log"))
	}
	requireGolden(t, "earlier.txt", strings.Join(text, "\n"))
}

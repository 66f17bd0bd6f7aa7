package e2e

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/util/yaml"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

var large = flag.Bool("large", false, "also run the tests with ten thousand Tasks, which take some minutes")

const (
	many      = 10000
	objectMax = 1536 << 10 // the limit of etcd
)

// perseverance is how long such a test waits for each of its steps.
var perseverance = machine.Within(12 * time.Minute)

// newLargeStory is newStory on a cluster with room for many Pods. It is not parallel, as it needs the machine for itself.
func newLargeStory(t *testing.T) *story {
	t.Helper()
	if !*large {
		t.Skip("needs the flag -large: it takes some minutes")
	}
	addNodes(t, 10)
	s := newStory(t)
	s.uncheck() // hundreds of versions with that many Tasks do not fit into memory
	return s
}

// addNodes creates more nodes, like the existing ones, until the test ends.
func addNodes(t *testing.T, n int) {
	t.Helper()
	nodes := core.CoreV1().Nodes()
	list, err := nodes.List(t.Context(), metav1.ListOptions{Limit: 1})
	if err != nil || len(list.Items) == 0 {
		t.Fatalf("%d nodes, %v", len(list.Items), err)
	}
	like := list.Items[0]
	for i := range n {
		node := &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("more-%d", i), Labels: like.Labels, Annotations: like.Annotations},
			Spec:       corev1.NodeSpec{Taints: like.Spec.Taints},
			Status:     corev1.NodeStatus{Capacity: like.Status.Capacity, Allocatable: like.Status.Allocatable},
		}
		if _, err := nodes.Create(t.Context(), node, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { nodes.Delete(context.Background(), node.Name, metav1.DeleteOptions{}) })
	}
}

// Ten thousand Tasks run, and succeed.
func TestLargeSucceeds(t *testing.T) {
	s := newLargeStory(t)
	clock := startClock(t)
	s.create("large", roleOf(many, pod()))
	attempt := s.awaitCounts("large", v1.AttemptRunning, v1.TaskCounts{Total: many, Running: many})
	clock.lap("all run")
	s.requireAllRecorded(attempt)

	s.eachPod(func(ctx context.Context, p *metav1.PartialObjectMetadata) error {
		_, err := s.pods.Patch(ctx, p.Name, types.MergePatchType,
			[]byte(`{"metadata":{"annotations":{"simulate.frameworkcontroller.io/run-for":"0s"}}}`), metav1.PatchOptions{})
		return err
	})
	clock.lap("all are told to end")
	attempt = s.awaitCounts("large", v1.Completed, v1.TaskCounts{Total: many, Succeeded: many})
	clock.lap("completed")
	if code := attempt.CompletionStatus.Code; code != completion.CodeSucceeded {
		t.Errorf("completed with %d", code)
	}
	for _, task := range attempt.TaskRoleStatuses[0].TaskStatuses {
		if got, want := describeTask(task), "Completed retried=0/0 code=0 Succeeded"; got != want {
			t.Fatalf("Task %d is %s, want %s", task.Index, got, want)
		}
	}
	s.awaitWarning("large", "StatusCompressed", "")
	s.requireNothingOf("large")
	s.requirePods(podCount{created: many, gone: many})
}

// The array of the page for users of Slurm runs to its end, with as many Pods at a time as the page says.
func TestLargeArray(t *testing.T) {
	s := newLargeStory(t)
	var f v1.Framework
	require.NoError(t, yaml.Unmarshal([]byte(page.Blocks(page.Read(t, "../../docs/tasks/from-slurm-arrays.md"), "yaml")[0].Text), &f))
	require.EqualValues(t, many, f.Spec.TaskRoles[0].TaskNumber)
	var template map[string]any
	require.NoError(t, json.Unmarshal(f.Spec.TaskRoles[0].Task.Pod, &template))
	template["metadata"] = map[string]any{"annotations": map[string]string{"simulate.frameworkcontroller.io/run-for": "1s"}}
	var err error
	f.Spec.TaskRoles[0].Task.Pod, err = json.Marshal(template)
	require.NoError(t, err)
	spec, err := json.Marshal(f.Spec)
	require.NoError(t, err)

	clock := startClock(t)
	s.create(f.Name, string(spec))
	s.awaitCounts(f.Name, v1.Completed, v1.TaskCounts{Total: many, Succeeded: many})
	clock.lap("completed")
	s.requireNothingOf(f.Name)
	s.requirePods(podCount{created: many, gone: many})
	require.Equal(t, 50, seen.mostPodsOf(s.namespace))
}

// requireAllRecorded: all Tasks run, in the Pods that there are.
func (s *story) requireAllRecorded(attempt *v1.FrameworkAttemptStatus) {
	s.t.Helper()
	var mu sync.Mutex
	uids := map[types.UID]string{}
	s.eachPod(func(_ context.Context, p *metav1.PartialObjectMetadata) error {
		mu.Lock()
		defer mu.Unlock()
		uids[p.UID] = p.Name
		return nil
	})
	for _, task := range attempt.TaskRoleStatuses[0].TaskStatuses {
		a := task.AttemptStatus
		if task.State != v1.AttemptRunning || a.PodUID == nil || uids[*a.PodUID] != a.PodName || a.PodIP == nil || *a.PodIP == "" {
			s.t.Fatalf("Task %d is %s in Pod %s with UID %v", task.Index, task.State, a.PodName, a.PodUID)
		}
		delete(uids, *a.PodUID)
	}
	if len(uids) > 0 {
		s.t.Errorf("%d Pods are not on record", len(uids))
	}
}

// Ten thousand Tasks fail, nine of ten with the longest message that a kubelet allows. Incompressible messages have to be cut: the longest
// ones, so that the short ones stay unchanged.
func TestLargeFails(t *testing.T) {
	s := newLargeStory(t)
	clock := startClock(t)
	s.create("large", fmt.Sprintf(`{taskRoles: [{name: a, taskNumber: %d, task: {pod: %s},
		frameworkAttemptCompletionPolicy: {minFailedTaskCount: %[1]d, minSucceededTaskCount: -1}}]}`, many, pod()))
	s.awaitCounts("large", v1.AttemptRunning, v1.TaskCounts{Total: many, Running: many})
	clock.lap("all run")

	s.eachPod(func(ctx context.Context, p *metav1.PartialObjectMetadata) error {
		_, err := s.pods.Patch(ctx, p.Name, types.MergePatchType, failedStatus(lastWords(p.Name)), metav1.PatchOptions{}, "status")
		return err
	})
	clock.lap("all have failed")
	attempt := s.awaitCounts("large", v1.Completed, v1.TaskCounts{Total: many, Failed: many})
	clock.lap("completed")
	if c := attempt.CompletionStatus; c.Code != 1 || c.Trigger == nil || c.Trigger.TaskRoleName != "a" {
		t.Errorf("completed with %d, because of %v", c.Code, c.Trigger)
	}
	requireLongestCut(t, attempt.TaskRoleStatuses[0].TaskStatuses)
	s.awaitWarning("large", "StatusCut", "")
	s.requireNothingOf("large")
	s.requirePods(podCount{created: many, gone: many})
}

// Ten thousand Pods that their nodes hold exceed their deadline in the same second, when it is lowered. Each Task has an end of its own,
// with its obstacle, and no Pod stays.
func TestLargeTimesOut(t *testing.T) {
	s := newLargeStory(t)
	clock := startClock(t)
	s.create("large", fmt.Sprintf(`{taskRoles: [{name: a, taskNumber: %d, frameworkAttemptCompletionPolicy: {minFailedTaskCount: %[1]d},
		task: {startDeadline: {notRunningSec: 86400}, pod: %s}}]}`, many, pod("hold", "true")))
	s.awaitAllPending("large")
	clock.lap("all are held by their nodes")

	s.patch("large", `[{op: replace, path: /spec/taskRoles/0/task/startDeadline/notRunningSec, value: 1}]`)
	attempt := s.awaitCounts("large", v1.Completed, v1.TaskCounts{Total: many, Failed: many})
	clock.lap("completed")
	if c := attempt.CompletionStatus; c.Code != completion.CodePodStartTimeout {
		t.Errorf("completed with %d", c.Code)
	}
	for _, task := range attempt.TaskRoleStatuses[0].TaskStatuses {
		if got, want := describeTask(task), "Completed retried=0/0 code=-133 PodStartTimeout"; got != want {
			t.Fatalf("Task %d is %s, want %s", task.Index, got, want)
		}
		if said := task.AttemptStatus.CompletionStatus.Diagnostics; !strings.Contains(said, "startDeadline.notRunningSec of 1 s is over") {
			t.Fatalf("of Task %d is said: %s", task.Index, said)
		}
	}
	s.requireNothingOf("large")
	s.requirePods(podCount{created: many, gone: many})
}

// awaitAllPending waits until each Task has its time begun.
func (s *story) awaitAllPending(name string) {
	s.t.Helper()
	err := wait.PollUntilContextTimeout(s.t.Context(), 3*time.Second, perseverance, true, func(ctx context.Context) (bool, error) {
		f := &v1.Framework{}
		text, err := s.frameworksAsText(ctx, name)
		if err != nil {
			return false, err
		}
		if err := json.Unmarshal(text, f); err != nil {
			return false, err
		}
		if f.Status == nil || len(f.Status.AttemptStatus.TaskRoleStatusesCompressed) == 0 {
			return false, nil
		}
		tasks := decompressed(s.t, &f.Status.AttemptStatus).TaskRoleStatuses[0].TaskStatuses
		return !slices.ContainsFunc(tasks, func(t v1.TaskStatus) bool {
			return t.AttemptStatus.PendingSince == nil || t.AttemptStatus.PendingSince.NotRunning == nil
		}), nil
	})
	if err != nil {
		s.t.Fatalf("not all Pods are held: %v", err)
	}
}

const (
	longMessage  = 4096
	shortMessage = 16
)

// lastWords is the message of a Pod. No two are alike, and they compress badly.
func lastWords(name string) string {
	var index uint64
	fmt.Sscanf(name, "large-a-%d", &index)
	random := rand.NewChaCha8([32]byte{byte(index), byte(index >> 8)})
	size := longMessage
	if index%10 == 0 {
		size = shortMessage
	}
	message := make([]byte, size)
	io.ReadFull(random, message)
	return base64.StdEncoding.EncodeToString(message)[:size]
}

func failedStatus(message string) []byte {
	now := metav1.Now()
	body, _ := json.Marshal(map[string]any{"status": map[string]any{
		"phase": corev1.PodFailed,
		"containerStatuses": []corev1.ContainerStatus{{Name: "c", Image: "app", State: corev1.ContainerState{
			Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error", Message: message, StartedAt: now, FinishedAt: now},
		}}},
	}})
	return body
}

// requireLongestCut: messages were cut, but none that is shorter than an uncut one, and all that clients parse remains parseable.
func requireLongestCut(t *testing.T, tasks []v1.TaskStatus) {
	t.Helper()
	cut, shortestCut, longestKept := 0, longMessage, 0
	for _, task := range tasks {
		c := task.AttemptStatus.CompletionStatus
		if task.State != v1.Completed || c == nil || c.Code != 1 || c.Pod == nil || len(c.Pod.Containers) != 1 {
			t.Fatalf("Task %d: %s", task.Index, describeTask(task))
		}
		requireParsable(t, task.Index, c.Diagnostics)
		got, whole := c.Pod.Containers[0].Message, lastWords(task.AttemptStatus.PodName)
		if got == whole {
			longestKept = max(longestKept, len(whole))
			continue
		}
		cut++
		shortestCut = min(shortestCut, len(whole))
	}
	t.Logf("%d of %d messages were cut; those of up to %d bytes were kept", cut, len(tasks), longestKept)
	if cut == 0 || longestKept >= shortestCut {
		t.Errorf("%d messages were cut, from %d bytes on, while those of %d bytes were kept", cut, shortestCut, longestKept)
	}
	if longestKept < shortMessage {
		t.Error("no short message was kept")
	}
}

// requireParsable parses diagnostics as OpenPAI does.
func requireParsable(t *testing.T, index int32, diagnostics string) {
	t.Helper()
	_, text, found := strings.Cut(diagnostics, "matched: ")
	var pod struct {
		Containers []struct {
			Name string
			Code int32
		}
	}
	if err := json.Unmarshal([]byte(text), &pod); !found || err != nil || len(pod.Containers) != 1 || pod.Containers[0].Code != 1 {
		t.Fatalf("the diagnostics of Task %d cannot be parsed (%v): %.200s", index, err, diagnostics)
	}
}

// awaitCounts waits until a Framework is in a state and has such counts of Tasks. It returns its attempt as clients read
// it. The stored object must be small enough, and compressed.
func (s *story) awaitCounts(name string, state v1.State, want v1.TaskCounts) *v1.FrameworkAttemptStatus {
	s.t.Helper()
	var last *v1.FrameworkStatus
	var size int
	err := wait.PollUntilContextTimeout(s.t.Context(), 3*time.Second, perseverance, true, func(ctx context.Context) (bool, error) {
		select {
		case <-controller.fault:
			return false, fmt.Errorf("the controller has ended: %w", controller.run.Err())
		default:
		}
		text, err := s.frameworksAsText(ctx, name)
		if err != nil {
			return false, err
		}
		f := &v1.Framework{}
		if err := json.Unmarshal(text, f); err != nil {
			return false, err
		}
		last, size = f.Status, len(text)
		return last != nil && last.State == state && last.Tasks != nil && *last.Tasks == want, nil
	})
	if err != nil {
		s.t.Fatalf("is not %s with %+v: %v\n%s", state, want, err, summaryOf(last))
	}
	s.t.Logf("%s: the stored object has %d KiB", state, size>>10)
	if size >= objectMax {
		s.t.Errorf("the stored object has %d bytes", size)
	}
	return decompressed(s.t, &last.AttemptStatus)
}

func summaryOf(f *v1.FrameworkStatus) string {
	if f == nil {
		return "no status"
	}
	return fmt.Sprintf("%s with %+v", f.State, f.Tasks)
}

func (s *story) frameworksAsText(ctx context.Context, name string) ([]byte, error) {
	return frameworks.FrameworkControllerV1().RESTClient().Get().Namespace(s.namespace).Resource(v1.FrameworkPlural).Name(name).DoRaw(ctx)
}

// decompressed reads an attempt as clients do that know nothing of this project: base64, gunzip, JSON.
func decompressed(t *testing.T, attempt *v1.FrameworkAttemptStatus) *v1.FrameworkAttemptStatus {
	t.Helper()
	if attempt.TaskRoleStatuses != nil || len(attempt.TaskRoleStatusesCompressed) == 0 {
		t.Fatal("the status is not compressed")
	}
	r, err := gzip.NewReader(bytes.NewReader(attempt.TaskRoleStatusesCompressed)) // encoding/json has undone the base64
	require.NoError(t, err)
	text, err := io.ReadAll(r)
	require.NoError(t, err)
	out := *attempt
	require.NoError(t, json.Unmarshal(text, &out.TaskRoleStatuses))
	if len(out.TaskRoleStatuses) != 1 || len(out.TaskRoleStatuses[0].TaskStatuses) != many {
		t.Fatalf("%d roles were compressed, %d bytes", len(out.TaskRoleStatuses), len(text))
	}
	return &out
}

// eachPod does something for each Pod of the story, some at a time.
func (s *story) eachPod(do func(context.Context, *metav1.PartialObjectMetadata) error) {
	s.t.Helper()
	text, err := coreClient().Get().Namespace(s.namespace).Resource("pods").
		SetHeader("Accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1").DoRaw(s.t.Context())
	require.NoError(s.t, err)
	pods := &metav1.PartialObjectMetadataList{}
	require.NoError(s.t, json.Unmarshal(text, pods))
	if len(pods.Items) != many {
		s.t.Fatalf("there are %d Pods", len(pods.Items))
	}
	work := make(chan *metav1.PartialObjectMetadata)
	var workers sync.WaitGroup
	for range 16 {
		workers.Go(func() {
			for p := range work {
				if err := do(s.t.Context(), p); err != nil {
					s.t.Errorf("Pod %s: %v", p.Name, err)
				}
			}
		})
	}
	for i := range pods.Items {
		work <- &pods.Items[i]
	}
	close(work)
	workers.Wait()
}

// clock logs how long the parts of a test take, and the peak memory over the controller's whole life.
type clock struct {
	t     *testing.T
	start time.Time
}

func startClock(t *testing.T) clock { return clock{t, time.Now()} }

func (c clock) lap(what string) {
	c.t.Helper()
	c.t.Logf("%6.1f s, %s: %s", time.Since(c.start).Seconds(), peakMemory(controller.run.PID()), what)
}

func peakMemory(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return err.Error()
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			return "peak " + strings.TrimSpace(value)
		}
	}
	return "no peak"
}

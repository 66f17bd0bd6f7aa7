package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

const (
	drainPage  = "../../docs/tasks/drain-a-node.md"
	backupPage = "../../docs/operations/backup-and-restore.md"
)

// Kubernetes asks the owner of a Pod for the expected number, unless a budget sets how many have to stay. The owner of our Pods is a
// ConfigMap, which cannot answer.
func TestDisruptionBudgets(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("train", `{taskRoles: [{name: worker, taskNumber: 4, task: {retryPolicy: {fancyRetryPolicy: true}, pod: `+pod()+`}}]}`)
	s.awaitAllRunning("train", 4)
	for i, wrong := range []string{"--max-unavailable=1", "--max-unavailable=50%", "--min-available=50%"} {
		name := fmt.Sprint("wrong-", i)
		s.kubectl("create", "pdb", name, "--selector=FC_FRAMEWORK_NAME=train", wrong)
		s.awaitBudget(name, "cannot be computed", func(b *policyv1.PodDisruptionBudget) bool {
			allowed := meta.FindStatusCondition(b.Status.Conditions, policyv1.DisruptionAllowedCondition)
			return allowed != nil && allowed.Reason == policyv1.SyncFailedReason && b.Status.DisruptionsAllowed == 0
		})
		require.True(t, apierrors.IsTooManyRequests(s.evict("train-worker-0")), wrong)
		s.kubectl("delete", "pdb", name)
	}
	s.kubectl("apply", "-f", s.fileFrom(drainPage, "kind: PodDisruptionBudget"))
	allows := func(n int32) func(*policyv1.PodDisruptionBudget) bool {
		return func(b *policyv1.PodDisruptionBudget) bool {
			return b.Status.ObservedGeneration == b.Generation && b.Status.ExpectedPods == 4 && b.Status.DisruptionsAllowed == n
		}
	}
	s.awaitBudget("train-worker", "allowing one", allows(1))
	require.NoError(t, s.evict("train-worker-0"))
	f := s.await("train", "running with a Task that was evicted", func(f *v1.FrameworkStatus) bool {
		return f.Tasks.Running == 4 && task(f, "worker", 0).RetryPolicyStatus.TotalRetriedCount == 1
	})
	require.Zero(t, task(f.Status, "worker", 0).RetryPolicyStatus.AccountableRetriedCount)

	s.kubectl("patch", "pdb", "train-worker", "-p", `{"spec":{"minAvailable":4}}`)
	s.awaitBudget("train-worker", "allowing none", allows(0))
	require.True(t, apierrors.IsTooManyRequests(s.evict("train-worker-1")))
	s.kubectl("create", "pdb", "second", "--selector=FC_FRAMEWORK_NAME=train", "--min-available=1")
	s.eventually(func(context.Context) error {
		if err := s.evict("train-worker-1"); !apierrors.IsInternalError(err) {
			return fmt.Errorf("got %w for a Pod with two budgets", err)
		}
		return nil
	})
}

// A drain works as for a Job: each Task finds another node, and no retry is counted. It is not parallel, because a drain takes every Pod
// off the node.
func TestDrain(t *testing.T) {
	s := newStory(t)
	s.addNode("east", "2")
	s.addNode("west", "2")
	s.create("moved", `{taskRoles: [{name: worker, taskNumber: 3, task: {retryPolicy: {fancyRetryPolicy: true}, pod: {spec: {restartPolicy: Never,
		affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [
			{key: example.com/only, operator: In, values: [east, west]}]}]}}},
		tolerations: [{key: example.com/only, operator: Exists}],
		containers: [{name: c, image: app, resources: {requests: {cpu: 500m}}}], volumes: [{name: barrier, emptyDir: {}}]}}}}]}`)
	f := s.awaitAllRunning("moved", 3)
	drained, spare, from := *task(f.Status, "worker", 0).AttemptStatus.PodNodeName, "east", 0
	if drained == spare {
		spare = "west"
	}
	for i := range 3 {
		if *task(f.Status, "worker", i).AttemptStatus.PodNodeName == drained {
			from++
		}
	}
	s.kubectl("create", "pdb", "two", "--selector=FC_FRAMEWORK_NAME=moved", "--min-available=2")
	s.awaitBudget("two", "allowing one", func(b *policyv1.PodDisruptionBudget) bool { return b.Status.DisruptionsAllowed == 1 })
	_, err := s.tryKubectl(t.Context(), "drain", drained)
	require.ErrorContains(t, err, "cannot delete Pods with local storage")
	s.kubectl("drain", drained, "--delete-emptydir-data", fmt.Sprintf("--timeout=%s", patience))
	f = s.await("moved", "running on the other node", func(f *v1.FrameworkStatus) bool {
		for i := range 3 {
			if node := task(f, "worker", i).AttemptStatus.PodNodeName; f.Tasks.Running != 3 || node == nil || *node != spare {
				return false
			}
		}
		return true
	})
	retried := 0
	for i := range 3 {
		r := task(f.Status, "worker", i).RetryPolicyStatus
		retried += int(r.TotalRetriedCount)
		require.Zero(t, r.AccountableRetriedCount)
	}
	require.Equal(t, from, retried)
	s.kubectl("delete", "fw", "moved", "--cascade=foreground", fmt.Sprintf("--timeout=%s", patience)) // while its nodes exist
}

// evict asks once for the eviction of a Pod. client-go would ask again for minutes, as the refusal names a time for that.
func (s *story) evict(pod string) error {
	eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: pod, Namespace: s.namespace}}
	return core.PolicyV1().RESTClient().Post().AbsPath("/api/v1").Namespace(s.namespace).Resource("pods").Name(pod).SubResource("eviction").
		Body(eviction).MaxRetries(0).Do(s.t.Context()).Error()
}

func (s *story) awaitBudget(name, wanted string, is func(*policyv1.PodDisruptionBudget) bool) {
	s.t.Helper()
	s.eventually(func(ctx context.Context) error {
		b, err := core.PolicyV1().PodDisruptionBudgets(s.namespace).Get(ctx, name, metav1.GetOptions{})
		if err == nil && !is(b) {
			err = fmt.Errorf("budget %s is not %s: %+v", name, wanted, b.Status)
		}
		return err
	})
}

// fileFrom writes the block of a page that has some text into a file, and returns its path.
func (s *story) fileFrom(path, text string) string {
	s.t.Helper()
	for _, block := range page.Blocks(page.Read(s.t, path), "yaml") {
		if strings.Contains(block.Text, text) {
			return s.file(block.Text)
		}
	}
	s.t.Fatalf("%s has no block with %q", path, text)
	return ""
}

func (s *story) file(content string) string {
	s.t.Helper()
	path := filepath.Join(s.t.TempDir(), "manifest")
	require.NoError(s.t, os.WriteFile(path, []byte(content), 0o644))
	return path
}

// A backup has the statuses, and a restore leaves them out, because they are a subresource. The manual describes how to restore them, and
// the effect on other objects in the backup. It is not parallel, because the controller is stopped for all.
func TestRestoreFromABackup(t *testing.T) {
	s := newStory(t)
	s.uncheck() // otherwise Frameworks are not created with a status
	fancy := `retryPolicy: {fancyRetryPolicy: true}`
	s.create("done", roleOf(1, pod("run-for", "0s")))
	s.create("running", `{`+fancy+`, taskRoles: [{name: a, taskNumber: 2, task: {pod: `+pod()+`}}]}`)
	s.create("waiting", `{retryPolicy: {maxRetryCount: 1, backoff: {initialDelaySec: 10000, maxDelaySec: 10000}}, taskRoles: [
		{name: a, task: {pod: `+pod("run-for", "0s", "exit-code", "1")+`}}]}`)
	done := s.awaitState("done", v1.Completed, 0)
	s.awaitAllRunning("running", 2)
	waits := s.await("waiting", "waiting for its retry", waitsForRetry)
	backup := s.backUp("frameworks")
	everything := s.backUp("configmaps,pods,frameworks") // in the order in which backup tools restore them

	t.Run("without status", func(t *testing.T) {
		s := s.in(t)
		s.restore(backup)
		again := s.awaitState("done", v1.Completed, 0)
		if !again.Status.StartTime.After(done.Status.StartTime.Time) {
			t.Error("what had completed does not run again, as the manual says it would")
		}
		s.awaitAllRunning("running", 2)
	})
	t.Run("with status", func(t *testing.T) {
		s := s.in(t)
		s.removeAll()
		controller.down(t, func() {
			s.restore(backup)
			s.kubectl("replace", "--subresource=status", "-f", s.file(backup))
		})
		f := s.await("running", "running in its next attempt", func(f *v1.FrameworkStatus) bool {
			return f.State == v1.AttemptRunning && f.AttemptStatus.ID == 1
		})
		require.Zero(t, f.Status.RetryPolicyStatus.AccountableRetriedCount)
		s.awaitEvents("running", "AttemptCompleted")
		f = s.await("waiting", "waiting for its retry", waitsForRetry)
		require.Equal(t, waits.Status.TransitionTime, f.Status.TransitionTime)
		f = s.awaitState("done", v1.Completed, 0)
		require.Equal(t, done.Status.CompletionTime, f.Status.CompletionTime)
		require.Equal(t, done.Status.AttemptStatus, f.Status.AttemptStatus)
		s.requireNothingOf("done")
	})
	t.Run("with Pods and ConfigMaps", func(t *testing.T) {
		s := s.in(t)
		s.restore(everything)
		s.awaitAllRunning("running", 2)
	})
	t.Run("with Pods and ConfigMaps of no owner", func(t *testing.T) {
		s := s.in(t)
		s.restore(s.without(everything, "ownerReferences", "finalizers"))
		s.awaitCondition("running", v1.ConditionWaiting, metav1.ConditionTrue, "NameConflict")
		s.kubectl("delete", "cm,pod", "-l", "FC_FRAMEWORK_NAME=running")
		s.awaitAllRunning("running", 2)
		s.kubectl("delete", "cm,pod", "-l", "FC_FRAMEWORK_NAME")
	})
}

func waitsForRetry(f *v1.FrameworkStatus) bool { return f.RetryPolicyStatus.RetryDelaySec != nil }

// backUp returns objects of the namespace, without the parts that the manual leaves out.
func (s *story) backUp(kinds string) string {
	s.t.Helper()
	page, err := os.ReadFile(backupPage)
	require.NoError(s.t, err)
	left := regexp.MustCompile(`del\(\.items\[\]\.metadata\[(.*?)\]\)`).FindStringSubmatch(string(page))
	require.Len(s.t, left, 2)
	return s.without(s.kubectl("get", kinds, "-o", "json"), strings.Split(strings.ReplaceAll(left[1], `"`, ""), ", ")...)
}

// without leaves out fields of the metadata of each object, and the objects that Kubernetes puts into each namespace.
func (s *story) without(backup string, keys ...string) string {
	s.t.Helper()
	var list map[string]any
	require.NoError(s.t, json.Unmarshal([]byte(backup), &list))
	items := slices.DeleteFunc(list["items"].([]any), func(item any) bool {
		return fieldsOf(item.(map[string]any)).at("metadata")["name"] == "kube-root-ca.crt"
	})
	for _, item := range items {
		for _, key := range keys {
			delete(item.(map[string]any)["metadata"].(map[string]any), key)
		}
	}
	list["items"] = items
	text, err := json.Marshal(list)
	require.NoError(s.t, err)
	return string(text)
}

// restore removes all objects, and creates the ones of a backup.
func (s *story) restore(backup string) {
	s.t.Helper()
	s.removeAll()
	s.kubectl("create", "-f", s.file(backup))
}

func (s *story) removeAll() {
	s.t.Helper()
	s.kubectl("delete", "fw", "--all", "--cascade=foreground", fmt.Sprintf("--timeout=%s", patience))
}

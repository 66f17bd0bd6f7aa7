package simulation

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
)

const prefix = "simulate.frameworkcontroller.io/"

type annotations map[string]string

// create makes a Pod named after the test. Annotation keys without a dot or capital get the prefix.
func create(t *testing.T, restart corev1.RestartPolicy, says annotations, init ...corev1.Container) *corev1.Pod {
	t.Helper()
	full := annotations{}
	for key, value := range says {
		if key == strings.ToLower(key) {
			key = prefix + key
		}
		full[key] = value
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: podName(t), Namespace: "default", Annotations: full},
		Spec: corev1.PodSpec{
			RestartPolicy:  restart,
			InitContainers: init,
			Containers:     []corev1.Container{{Name: "a", Image: "image"}, {Name: "b", Image: "image"}},
		},
	}
	pod, err := client.CoreV1().Pods("default").Create(t.Context(), pod, metav1.CreateOptions{})
	require.NoError(t, err)
	removeAtTheEnd(t, pod)
	return pod
}

func removeAtTheEnd(t *testing.T, pod *corev1.Pod) {
	t.Cleanup(func() {
		client.CoreV1().Pods("default").Delete(context.Background(), pod.Name, metav1.DeleteOptions{
			GracePeriodSeconds: new(int64), Preconditions: metav1.NewUIDPreconditions(string(pod.UID))})
	})
}

func podName(t *testing.T) string {
	return strings.ToLower(strings.NewReplacer("/", "-", "_", "-").Replace(t.Name()))
}

// await returns the Pod once it is in that phase.
func await(t *testing.T, pod *corev1.Pod, phase corev1.PodPhase) *corev1.Pod {
	t.Helper()
	deadline := time.Now().Add(machine.Within(20 * time.Second))
	for {
		now, err := client.CoreV1().Pods(pod.Namespace).Get(t.Context(), pod.Name, metav1.GetOptions{})
		require.NoError(t, err)
		if now.Status.Phase == phase {
			return now
		}
		if time.Now().After(deadline) {
			t.Fatalf("phase %s, want %s", now.Status.Phase, phase)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// stays fails the test if the Pod leaves that phase within a time in which a simulated node usually reacts.
func stays(t *testing.T, pod *corev1.Pod, phase corev1.PodPhase) {
	t.Helper()
	time.Sleep(500 * time.Millisecond)
	now, err := client.CoreV1().Pods(pod.Namespace).Get(t.Context(), pod.Name, metav1.GetOptions{})
	if err != nil || now.Status.Phase != phase {
		t.Errorf("phase %s, %v; want it to stay %s", now.Status.Phase, err, phase)
	}
}

func remove(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	require.NoError(t, client.CoreV1().Pods(pod.Namespace).Delete(t.Context(), pod.Name, metav1.DeleteOptions{}))
}

// gone returns how long it took until the Pod was gone.
func gone(t *testing.T, pod *corev1.Pod) time.Duration {
	t.Helper()
	start := time.Now()
	for limit := machine.Within(20 * time.Second); time.Since(start) < limit; {
		_, err := client.CoreV1().Pods(pod.Namespace).Get(t.Context(), pod.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return time.Since(start)
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the Pod is still there")
	return 0
}

func TestPodRuns(t *testing.T) {
	t.Parallel()
	always := corev1.ContainerRestartPolicyAlways
	pod := create(t, corev1.RestartPolicyNever, nil,
		corev1.Container{Name: "init", Image: "image"},
		corev1.Container{Name: "sidecar", Image: "image", RestartPolicy: &always})
	status := await(t, pod, corev1.PodRunning).Status

	if status.PodIP == "" || status.HostIP == "" || status.StartTime == nil {
		t.Errorf("status = %+v", status)
	}
	if end := status.InitContainerStatuses[0].State.Terminated; end == nil || end.ExitCode != 0 || end.Reason != "Completed" {
		t.Errorf("init container: %+v", end)
	}
	for _, c := range append(status.ContainerStatuses, status.InitContainerStatuses[1]) {
		if !c.Ready || c.State.Running == nil {
			t.Errorf("container %s: %+v", c.Name, c)
		}
	}
	stays(t, pod, corev1.PodRunning)
}

func TestPodEnds(t *testing.T) {
	cases := []struct {
		name    string
		says    annotations
		phase   corev1.PodPhase
		code    int32
		reason  string
		message string
	}{
		{"succeeded", annotations{"run-for": "100ms"}, corev1.PodSucceeded, 0, "Completed", ""},
		{"failed", annotations{"run-for": "0s", "exit-code": "210"}, corev1.PodFailed, 210, "Error", ""},
		{
			"explained", annotations{"run-for": "0s", "exit-code": "137", "reason": "OOMKilled", "message": "line 1\n\"line\": {2}"},
			corev1.PodFailed, 137, "OOMKilled", "line 1\n\"line\": {2}",
		},
		{"first_attempt", annotations{"run-for": "0s", "exit-codes": "1, 0,7"}, corev1.PodFailed, 1, "Error", ""},
		{
			"second_attempt", annotations{"run-for": "0s", "exit-codes": "1, 0,7", "FC_TASK_ATTEMPT_ID": "1"},
			corev1.PodSucceeded, 0, "Completed", "",
		},
		{
			"later_attempt", annotations{"run-for": "0s", "exit-codes": "1, 0,7", "FC_TASK_ATTEMPT_ID": "5"},
			corev1.PodFailed, 7, "Error", "",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			pod := await(t, create(t, corev1.RestartPolicyNever, c.says), c.phase)
			if n := len(pod.Status.ContainerStatuses); n != 2 {
				t.Fatalf("%d container statuses", n)
			}
			for _, status := range pod.Status.ContainerStatuses {
				end := status.State.Terminated
				if status.Ready || end == nil || end.StartedAt.IsZero() || end.FinishedAt.IsZero() ||
					end.ExitCode != c.code || end.Reason != c.reason || end.Message != c.message {
					t.Errorf("container %s: ready %v, %+v", status.Name, status.Ready, end)
				}
			}
		})
	}
}

func TestServiceNeverEnds(t *testing.T) {
	t.Parallel()
	pod := await(t, create(t, corev1.RestartPolicyAlways, annotations{"run-for": "0s"}), corev1.PodRunning)
	stays(t, pod, corev1.PodRunning)
}

func TestHeldPodStaysPending(t *testing.T) {
	t.Parallel()
	pod := create(t, corev1.RestartPolicyNever, annotations{"hold": "true"})
	stays(t, pod, corev1.PodPending)
	release := `{"metadata":{"annotations":{"` + prefix + `hold":null}}}`
	_, err := client.CoreV1().Pods("default").Patch(t.Context(), pod.Name, types.MergePatchType, []byte(release), metav1.PatchOptions{})
	require.NoError(t, err)
	await(t, pod, corev1.PodRunning)
}

// It is removed without its grace period of 30 s.
func TestDeletedPodGoesAtOnce(t *testing.T) {
	t.Parallel()
	pod := await(t, create(t, corev1.RestartPolicyNever, nil), corev1.PodRunning)
	remove(t, pod)
	if took := gone(t, pod); took > 15*time.Second {
		t.Errorf("gone after %v", took)
	}
}

func TestDeletedPodTerminatesSlowly(t *testing.T) {
	t.Parallel()
	pod := await(t, create(t, corev1.RestartPolicyNever, annotations{"terminate-after": "2s"}), corev1.PodRunning)
	remove(t, pod)
	if took := gone(t, pod); took < time.Second {
		t.Errorf("gone after %v", took)
	}
}

func TestDeletedPodKeepsItsFinalizers(t *testing.T) {
	t.Parallel()
	pod := await(t, create(t, corev1.RestartPolicyNever, nil), corev1.PodRunning)
	patch := func(finalizers string) {
		text := []byte(`{"metadata":{"finalizers":` + finalizers + `}}`)
		_, err := client.CoreV1().Pods("default").Patch(t.Context(), pod.Name, types.MergePatchType, text, metav1.PatchOptions{})
		require.NoError(t, err)
	}
	patch(`["example.com/stuck"]`)
	remove(t, pod)
	stays(t, pod, corev1.PodRunning)
	patch(`null`)
	gone(t, pod)
}

// A client that disconnects while it deletes an ended Pod may leave it marked as deleted, and the node deletes it again.
func TestHalfDeletedPodIsDeletedAgain(t *testing.T) {
	t.Parallel()
	for range 50 { // about every second one is left
		pod := await(t, create(t, corev1.RestartPolicyNever, annotations{"run-for": "0s"}), corev1.PodSucceeded)
		removeUntilMarked(t, pod)
		if took := gone(t, pod); took > time.Second {
			return
		}
	}
	t.Error("no Pod was left that a node would have to delete again")
}

// removeUntilMarked disconnects once the Pod is marked as deleted.
func removeUntilMarked(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	pods := client.CoreV1().Pods(pod.Namespace)
	changes, err := pods.Watch(t.Context(), metav1.ListOptions{
		FieldSelector: "metadata.name=" + pod.Name, ResourceVersion: pod.ResourceVersion})
	require.NoError(t, err)
	defer changes.Stop()
	ctx, goAway := context.WithCancel(t.Context())
	defer goAway()
	go func() {
		<-changes.ResultChan()
		goAway()
	}()
	if err := pods.Delete(ctx, pod.Name, metav1.DeleteOptions{}); err != nil && ctx.Err() == nil {
		t.Fatal(err)
	}
}

// A test may end a Pod by hand, even one that would have ended otherwise a little later.
func TestHandWrittenStatusStays(t *testing.T) {
	t.Parallel()
	pod := await(t, create(t, corev1.RestartPolicyNever, annotations{"run-for": "2s", "exit-code": "1"}), corev1.PodRunning)
	pod.Status.Phase = corev1.PodFailed
	pod.Status.Reason = "Evicted"
	if _, err := client.CoreV1().Pods("default").UpdateStatus(t.Context(), pod, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2500 * time.Millisecond)
	now, err := client.CoreV1().Pods("default").Get(t.Context(), pod.Name, metav1.GetOptions{})
	if err != nil || now.Status.Reason != "Evicted" || now.Status.ContainerStatuses[0].State.Running == nil {
		t.Errorf("status = %+v, %v", now.Status, err)
	}
}

// Pods of this project keep their name over retries: an action on one must not hit the next.
func TestSuccessorOfTheSameNameIsLeftAlone(t *testing.T) {
	t.Parallel()
	for i := range 50 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			remove(t, await(t, create(t, corev1.RestartPolicyNever, nil), corev1.PodRunning))
			second := createAsSoonAsPossible(t)
			stays(t, await(t, second, corev1.PodRunning), corev1.PodRunning)
		})
	}
}

// Nothing is deleted again once it is gone: the next Pod of that name stays, though the guard ignores an ended one.
func TestEndedSuccessorOfTheSameNameIsLeftAlone(t *testing.T) {
	t.Parallel()
	says := annotations{"run-for": "0s"}
	first := await(t, create(t, corev1.RestartPolicyNever, says), corev1.PodSucceeded)
	remove(t, first)
	gone(t, first)
	second := await(t, create(t, corev1.RestartPolicyNever, says), corev1.PodSucceeded)
	time.Sleep(6 * time.Second) // a second more than pod-delete-again waits
	stays(t, second, corev1.PodSucceeded)
}

// A simulated node that acts too late does not delete a Pod that is not being deleted. Everybody else may.
func TestLateDeletionIsRefused(t *testing.T) {
	t.Parallel()
	pods := client.CoreV1().Pods("default")
	pod := await(t, create(t, corev1.RestartPolicyNever, annotations{"terminate-after": "1h"}), corev1.PodRunning)
	asKwok, forced := *metav1.NewDeleteOptions(0), *metav1.NewDeleteOptions(0)
	if err := pods.Delete(t.Context(), pod.Name, asKwok); !apierrors.IsInvalid(err) {
		t.Errorf("deleting a Pod as kwok does: %v", err)
	}
	background := metav1.DeletePropagationBackground // kubectl asks for it, even with --force
	forced.PropagationPolicy, forced.DryRun = &background, []string{metav1.DryRunAll}
	if err := pods.Delete(t.Context(), pod.Name, forced); err != nil {
		t.Errorf("deleting a Pod as kubectl does: %v", err)
	}
	remove(t, pod)
	if err := pods.Delete(t.Context(), pod.Name, asKwok); err != nil {
		t.Errorf("deleting a Pod that is being deleted, as kwok does: %v", err)
	}
	gone(t, pod)
}

func createAsSoonAsPossible(t *testing.T) *corev1.Pod {
	t.Helper()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: podName(t)},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "a", Image: "image"}}},
	}
	for {
		created, err := client.CoreV1().Pods("default").Create(t.Context(), pod, metav1.CreateOptions{})
		if err == nil {
			removeAtTheEnd(t, created)
			return created
		}
		if !apierrors.IsAlreadyExists(err) {
			t.Fatal(err)
		}
	}
}

func TestComponentArgsReachTheAPIServer(t *testing.T) {
	pod := await(t, create(t, corev1.RestartPolicyNever, nil), corev1.PodRunning)
	text, err := os.ReadFile(auditLog)
	if err != nil || !bytes.Contains(text, []byte(pod.Name)) {
		t.Errorf("audit log: %d bytes, %v", len(text), err)
	}
}

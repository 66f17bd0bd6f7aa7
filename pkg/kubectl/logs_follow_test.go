package kubectl

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// printed is written by several streams.
type printed struct {
	mu   sync.Mutex
	text strings.Builder
}

func (p *printed) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

func (p *printed) lines() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Count(p.text.String(), "\n")
}

func running(name, id string) corev1.ContainerStatus {
	return corev1.ContainerStatus{Name: name, ContainerID: id, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}
}

// Init containers are followed as they start, then the container itself, again when it is started again, and so are Pods of
// retries, as a watch shows them. Sidecars are not.
func TestFollow(t *testing.T) {
	pod := podOf("train-worker-0")
	pod.UID = "A"
	pod.Spec.InitContainers = []corev1.Container{{Name: "wait"}, {Name: "proxy", RestartPolicy: new(corev1.ContainerRestartPolicyAlways)}}
	client := fake.NewClientset(pod)
	var out printed
	streams, _, _, _ := genericiooptions.NewTestIOStreams()
	streams.Out = &out
	ctx, stop := context.WithCancelCause(t.Context())
	f := &following{
		logging: &logging{keptLogs: keptBy(&caller{IOStreams: streams}), follow: true, tail: -1, mostFollowed: 100}, name: "train", over: make(chan error, 1), stop: stop,
		k: &cluster{core: client, namespace: "default", within: time.Minute}, known: map[instance]bool{}, logs: map[logKey]*followedLog{}, pause: time.Millisecond,
	}
	f.opens = func(context.Context, container, *corev1.PodLogOptions) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("a line\n")), nil
	}
	ended := make(chan error, 1)
	go func() { ended <- f.pods(ctx) }()
	require.Eventually(t, func() bool { return watches(client) > 0 }, time.Minute, time.Millisecond)

	pods, want := client.CoreV1().Pods("default"), 0
	step := func(lines int, change func() error) {
		t.Helper()
		require.NoError(t, change())
		want += lines
		require.Eventually(t, func() bool { return out.lines() == want }, time.Minute, time.Millisecond, "%d lines: %s", want, &out.text)
	}
	update := func() error { _, err := pods.UpdateStatus(ctx, pod, metav1.UpdateOptions{}); return err }
	step(1, func() error {
		pod.Status.InitContainerStatuses = []corev1.ContainerStatus{running("wait", "1"), running("proxy", "2")}
		return update()
	})
	step(1, func() error {
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{running("main", "3")}
		return update()
	})
	step(1, func() error {
		pod.Status.ContainerStatuses[0].ContainerID = "4"
		return update()
	})
	step(1, func() error {
		if err := pods.Delete(ctx, pod.Name, metav1.DeleteOptions{}); err != nil {
			return err
		}
		again := podOf("train-worker-0")
		again.UID, again.Status.ContainerStatuses = "B", []corev1.ContainerStatus{running("main", "5")}
		_, err := pods.Create(ctx, again, metav1.CreateOptions{})
		return err
	})
	f.over <- nil
	require.NoError(t, <-ended)
	require.NoError(t, pods.Delete(ctx, pod.Name, metav1.DeleteOptions{}))
	f.streams.Wait()
	if got := out.text.String(); got != "[worker-0 wait] a line\n"+strings.Repeat("[worker-0] a line\n", 3) {
		t.Errorf("got %q", got)
	}
	if n := lists(client); n != 2 {
		t.Errorf("Pods were listed %d times, and not at the beginning and at the end", n)
	}
}

// A watch that breaks off because the API server is away is restarted when the server is back. A server that is away from the beginning is
// an error, and so is a lost permission.
func TestFollowWaitsForTheAPIServer(t *testing.T) {
	away := errors.New("connection refused")
	forbidden := apierrors.NewForbidden(corev1.Resource("pods"), "", errors.New("no"))
	for _, c := range []struct {
		name    string
		answers []error // answers to lists
		over    int     // number of answers after which the Framework is over; until then watches break off
		want    error
	}{
		{"back again", []error{nil, away, away, nil, nil}, 4, nil},
		{"away when the Framework is over", []error{nil, away, nil}, 1, nil},
		{"away from the beginning", []error{away}, 1, away},
		{"forbidden later", []error{nil, away, forbidden}, 4, forbidden},
	} {
		client := fake.NewClientset()
		ctx, stop := context.WithCancelCause(t.Context())
		f := &following{logging: &logging{mostFollowed: 100}, name: "train", over: make(chan error, 1), stop: stop, pause: time.Millisecond,
			k: &cluster{core: client, namespace: "default", within: time.Minute}}
		listed := 0
		client.PrependReactor("list", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
			answer := c.answers[listed]
			listed++
			return answer != nil, nil, answer
		})
		client.PrependWatchReactor("pods", func(clienttesting.Action) (bool, watch.Interface, error) {
			w := watch.NewFake()
			if listed == c.over {
				f.over <- nil
			} else {
				w.Stop()
			}
			return true, w, nil
		})
		err := f.pods(ctx)
		if !errors.Is(err, c.want) || listed < len(c.answers) {
			t.Errorf("%s: got %v after %d of %d lists", c.name, err, listed, len(c.answers))
		}
	}
}

// Following more containers than --max-log-requests is an error that names the flag.
func TestFollowedAtMost(t *testing.T) {
	pod := podOf("train-worker-0")
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{running("main", "1")}
	f := &following{logging: &logging{mostFollowed: 2}, name: "train", known: map[instance]bool{}}
	f.underWay.Store(2)
	if err := f.take(t.Context(), pod); err == nil || !strings.Contains(err.Error(), "more than 2 containers to follow") || !strings.Contains(err.Error(), "--max-log-requests") {
		t.Errorf("got %v", err)
	}
}

func watches(client *fake.Clientset) int { return actions(client, "watch") }

func lists(client *fake.Clientset) int { return actions(client, "list") }

func actions(client *fake.Clientset, verb string) (n int) {
	for _, a := range client.Actions() {
		if a.GetVerb() == verb && a.GetResource().Resource == "pods" {
			n++
		}
	}
	return n
}

// Only Pods of the ConfigMap of the very Framework are hurried, whatever labels others have.
func TestHurriedPods(t *testing.T) {
	owned := func(name string, by types.UID) *corev1.Pod {
		p := podOf(name)
		p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "train-attempt", UID: by, Controller: new(true)}}
		return p
	}
	configMap := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "train-attempt", UID: "C", OwnerReferences: []metav1.OwnerReference{
		{APIVersion: "frameworkcontroller.microsoft.com/v1", Kind: "Framework", Name: "train", UID: "F", Controller: new(true)}}}}
	for uid, want := range map[types.UID]string{"F": "train-worker-1 train-worker-2", "another": "train-worker-0 train-worker-1 train-worker-2"} {
		client := fake.NewClientset(configMap, owned("train-worker-0", "C"), owned("train-worker-1", "D"), podOf("train-worker-2"))
		k := &cluster{core: client, namespace: "default", within: time.Minute}
		s := &stored{}
		s.Name, s.UID = "train", uid
		require.NoError(t, k.hurryPods(t.Context(), s))
		left, err := client.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		var names []string
		for i := range left.Items {
			names = append(names, left.Items[i].Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("of %s are left: %s", uid, got)
		}
	}
}

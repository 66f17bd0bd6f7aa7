package e2enode

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	typed "github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned/typed/frameworkcontroller/v1"
)

// story is one test's share of the cluster: a namespace of its own.
type story struct {
	t          *testing.T
	namespace  string
	frameworks typed.FrameworkInterface
	pods       typedcorev1.PodInterface
}

// newStory creates a namespace named after the test. When the test ends, its Frameworks are deleted, and nothing may be left of them.
func newStory(t *testing.T) *story {
	t.Helper()
	name := regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(strings.TrimPrefix(t.Name(), "Test")), "-")
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := core.CoreV1().Namespaces().Create(t.Context(), namespace, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return storyIn(t, name)
}

// storyIn is newStory in an existing namespace that no other test uses.
func storyIn(t *testing.T, namespace string) *story {
	t.Helper()
	s := &story{
		t:          t,
		namespace:  namespace,
		frameworks: frameworks.FrameworkControllerV1().Frameworks(namespace),
		pods:       core.CoreV1().Pods(namespace),
	}
	s.until("the namespace has an account for Pods", func(ctx context.Context) bool {
		_, err := core.CoreV1().ServiceAccounts(namespace).Get(ctx, "default", metav1.GetOptions{})
		return err == nil
	})
	t.Cleanup(s.finish)
	return s
}

func (s *story) finish() {
	if s.t.Failed() {
		s.tell()
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	foreground := metav1.DeletePropagationForeground
	err := s.frameworks.DeleteCollection(ctx, metav1.DeleteOptions{PropagationPolicy: &foreground}, metav1.ListOptions{})
	if err != nil {
		s.t.Error(err)
	}
	err = wait.PollUntilContextCancel(ctx, 100*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		left, err := s.frameworks.List(ctx, metav1.ListOptions{})
		if err != nil || len(left.Items) > 0 {
			return false, err
		}
		pods, err := s.pods.List(ctx, metav1.ListOptions{})
		if err == nil && len(pods.Items) > 0 {
			return false, fmt.Errorf("the Frameworks have gone, but not %d Pods", len(pods.Items))
		}
		return err == nil, err
	})
	if err != nil {
		s.t.Errorf("deleting the Frameworks: %v", err)
	}
}

// tell logs the state of the story when it failed.
func (s *story) tell() {
	for _, what := range []string{"frameworks", "pods"} {
		out, err := s.tryKubectl(context.Background(), "describe", what)
		s.t.Logf("kubectl describe %s: %v\n%s", what, err, out)
	}
	out, err := s.tryKubectl(context.Background(), "get", "events", "--sort-by=.metadata.creationTimestamp")
	s.t.Logf("kubectl get events: %v\n%s", err, out)
	s.t.Log(real.Logs(s.namespace))
	s.t.Log(controllerLog(s.namespace + "/"))
	s.t.Log(real.LogTails())
}

// apply applies a manifest of testdata to the story's namespace.
func (s *story) apply(name string) {
	s.t.Helper()
	s.applyFile(filepath.Join("testdata", name+".yaml"))
}

// applyFile applies a manifest, changed in two places: the story's namespace replaces the namespace default, and the barrier's image gets
// the tested version. The name without one, as in manifests for the original, would be looked for in a registry. More changes are pairs of
// the existing and the wanted text; all have to apply.
func (s *story) applyFile(path string, changes ...string) {
	s.t.Helper()
	manifest, err := os.ReadFile(path)
	require.NoError(s.t, err)
	barrier, err := product().BarrierImage()
	require.NoError(s.t, err)
	text := strings.NewReplacer(
		"image: frameworkcontroller/frameworkbarrier\n", "image: "+barrier+"\n",
		"image: frameworkcontroller/frameworkbarrier:dev", "image: "+barrier,
		"namespace: default", "namespace: "+s.namespace,
	).Replace(string(manifest))
	for i := 0; i < len(changes); i += 2 {
		require.Contains(s.t, text, changes[i])
		text = strings.ReplaceAll(text, changes[i], changes[i+1])
	}
	s.applyText(text)
}

func (s *story) applyText(manifest string) {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "manifest.yaml")
	require.NoError(s.t, os.WriteFile(file, []byte(manifest), 0o644))
	s.kubectl("apply", "-f", file)
}

// kubectl runs kubectl in the story's namespace and returns its output.
func (s *story) kubectl(args ...string) string {
	s.t.Helper()
	out, err := s.tryKubectl(s.t.Context(), args...)
	require.NoError(s.t, err)
	return out
}

func (s *story) tryKubectl(ctx context.Context, args ...string) (string, error) {
	return kubectl(ctx, append([]string{"--namespace=" + s.namespace}, args...)...)
}

// kubectl keeps kubectl's cache with the cluster: another cluster may get the same address one day.
func kubectl(ctx context.Context, args ...string) (string, error) {
	args = append([]string{"--cache-dir=" + kube.Dir + "/kubectl-cache"}, args...)
	out, err := kube.Command(ctx, kube.Kubectl, args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("kubectl %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return string(out), nil
}

// await returns the status of the Framework once it is as wanted.
func (s *story) await(name, wanted string, is func(*v1.FrameworkStatus) bool) *v1.Framework {
	s.t.Helper()
	var f *v1.Framework
	s.until(fmt.Sprintf("%s is %s", name, wanted), func(ctx context.Context) (done bool) {
		got, err := s.frameworks.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false
		}
		f = got
		return f.Status != nil && is(f.Status)
	})
	return f
}

// awaitRunning returns the Framework once that many of its Tasks run.
func (s *story) awaitRunning(name string, tasks int32) *v1.Framework {
	s.t.Helper()
	return s.await(name, fmt.Sprintf("running %d Tasks", tasks), func(f *v1.FrameworkStatus) bool {
		return f.State == v1.AttemptRunning && f.Tasks != nil && f.Tasks.Running == tasks
	})
}

// awaitCompleted returns the status of the Framework once it has completed, by kubectl wait.
func (s *story) awaitCompleted(name string) *v1.FrameworkStatus {
	s.t.Helper()
	s.kubectl("wait", "--for=condition=Completed", "framework/"+name, fmt.Sprintf("--timeout=%s", patience))
	return s.await(name, "completed", func(f *v1.FrameworkStatus) bool { return f.State == v1.Completed }).Status
}

// awaitPod returns the Pod once it is as wanted.
func (s *story) awaitPod(name, wanted string, is func(*corev1.Pod) bool) *corev1.Pod {
	s.t.Helper()
	var pod *corev1.Pod
	s.until(fmt.Sprintf("Pod %s is %s", name, wanted), func(ctx context.Context) bool {
		got, err := s.pods.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false
		}
		pod = got
		return is(pod)
	})
	return pod
}

func running(p *corev1.Pod) bool { return p.Status.Phase == corev1.PodRunning }

// until waits for a condition.
func (s *story) until(what string, is func(context.Context) bool) {
	s.t.Helper()
	poll := func(ctx context.Context) (bool, error) { return is(ctx), nil }
	err := wait.PollUntilContextTimeout(s.t.Context(), 100*time.Millisecond, patience, true, poll)
	if err != nil {
		s.t.Fatalf("waiting until %s: %v", what, err)
	}
}

// requireOutcome checks the code and the phrase of an attempt.
func (s *story) requireOutcome(of string, c v1.CompletionStatus, code int32, phrase string) {
	s.t.Helper()
	if c.Code != code || c.Phrase != phrase {
		s.t.Errorf("%s ended with %d %s, want %d %s: %s", of, c.Code, c.Phrase, code, phrase, c.Diagnostics)
	}
}

// log is the output of a container, even when its Pod is gone.
func (s *story) log(pod, container string) string { return real.Log(s.namespace, pod, container) }

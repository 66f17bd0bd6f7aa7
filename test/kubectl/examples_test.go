package kubectl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// failing is an example that fails, with questions about it. The wording of an answer may depend on which Task is first.
type failing struct {
	example string
	until   func(*v1.Framework) bool
	does    func(s *scene, name string)
	asks    []string
	either  func(text string) string
}

var failingExamples = []failing{
	{example: "batchfailedpermanent", until: completed, asks: []string{"worker-0"}},
	{example: "batchfailedtransient", until: runs, does: goesOn, either: one(`\b\d+( times,)`, "2$1", `attempt \d+ of Task`, "attempt 2 of Task", `after attempt \d+`, "after attempt 1")},
	{example: "batchfailedtransientconflict", until: hasState(v1.AttemptCompleted)},
	{example: "batchfailedunknown", until: completed, asks: []string{"worker-0"}},
	{example: "batchstatefulfailed", until: completed, asks: []string{"worker"},
		either: one(`(Attempt 1 has 3 Tasks: )?\d ha(s|ve) failed and \d (was|were) cut short\.`, "All of its 3 Tasks have failed.", `worker-\d`, "worker-0")},
	{example: "startdeadline", until: completed, does: pullsInVain, asks: []string{"worker-0"}},
}

// one has texts that differ from run to run have one form.
func one(pairs ...string) func(string) string {
	return func(text string) string {
		for i := 0; i < len(pairs); i += 2 {
			text = regexp.MustCompile(pairs[i]).ReplaceAllString(text, pairs[i+1])
		}
		return text
	}
}

// Explain alone tells why each of the failing examples ends as it does, and what to change.
func TestFailingExamples(t *testing.T) {
	t.Parallel()
	s := newScene(t, "examples")
	for _, e := range failingExamples {
		t.Run(e.example, func(t *testing.T) {
			t.Parallel()
			s := &scene{t, s.namespace}
			s.apply("../../example/framework/" + e.example + ".yaml")
			if e.does != nil {
				e.does(s, e.example)
			}
			s.until(e.example, "as wanted", e.until)
			s.eventsSettle(e.example)
			text := transcript(t, "explain", e.example, "-n", s.namespace)
			for _, about := range e.asks {
				text += "\n" + transcript(t, "explain", e.example, about, "-n", s.namespace)
			}
			if e.either != nil {
				text = e.either(text)
			}
			requireGolden(t, "examples/"+e.example+".txt", text)
		})
	}
}

func retriesOf(f *v1.Framework) int32 {
	if f.Status == nil || len(f.Status.AttemptStatus.TaskRoleStatuses) == 0 {
		return 0
	}
	return f.Status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0].RetryPolicyStatus.TotalRetriedCount
}

// goesOn stops further attempts from failing, after some have, so that there is time to ask.
func goesOn(s *scene, name string) {
	s.Helper()
	s.until(name, "tried again", func(f *v1.Framework) bool { return retriesOf(f) > 0 })
	s.patchJSON(name, `[{"op":"remove","path":"/spec/taskRoles/0/task/pod/metadata/annotations"}]`)
	s.eventually(100*time.Millisecond, func(ctx context.Context) error {
		pod, err := core.CoreV1().Pods(s.namespace).Get(ctx, name+"-worker-0", metav1.GetOptions{})
		if err == nil && (pod.Annotations["simulate.frameworkcontroller.io/run-for"] != "" || pod.Status.Phase != corev1.PodRunning) {
			err = fmt.Errorf("it is the Pod of an attempt that fails, or does not run yet")
		}
		return err
	})
}

// pullsInVain lets the node of each attempt's Pod report that it cannot pull the image, until the Framework gives up.
func pullsInVain(s *scene, name string) {
	s.Helper()
	s.eventually(250*time.Millisecond, func(ctx context.Context) error {
		f, err := frameworks.FrameworkControllerV1().Frameworks(s.namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil || completed(f) {
			return err
		}
		pod, err := core.CoreV1().Pods(s.namespace).Get(ctx, name+"-worker-0", metav1.GetOptions{})
		if err == nil && pod.Spec.NodeName != "" && len(pod.Status.ContainerStatuses) == 0 {
			waitingContainer("ErrImagePull", `failed to pull and unpack image "registry.invalid/no/such:image": dial tcp: no such host`)(&pod.Status)
			pod.Status.ContainerStatuses[0].Name = "worker"
			_, err = core.CoreV1().Pods(s.namespace).UpdateStatus(ctx, pod, metav1.UpdateOptions{})
		}
		return cmp.Or(err, errors.New("it has not completed"))
	})
}

func (s *scene) apply(file string) {
	s.Helper()
	cmd := kube.Command(s.Context(), kube.Kubectl, "apply", "-n", s.namespace, "-f", file)
	if out, err := cmd.CombinedOutput(); err != nil {
		s.Fatalf("%v: %s", err, out)
	}
}

package podview

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// withContainers returns a Pod of a main container and a proxy; an exit code below 0 stands for a running container.
func withContainers(phase corev1.PodPhase, policy corev1.RestartPolicy, completes string, main, proxy int32) *corev1.Pod {
	p := fullPod(phase)
	p.DeletionTimestamp = nil
	p.Annotations[v1.KeyCompletionContainers] = completes
	p.Spec.RestartPolicy = policy
	p.Spec.Containers = []corev1.Container{{Name: "main"}, {Name: "proxy"}}
	p.Status.InitContainerStatuses, p.Status.ContainerStatuses = nil, nil
	for name, exit := range map[string]int32{"main": main, "proxy": proxy} {
		s := corev1.ContainerStatus{Name: name, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}
		if exit >= 0 {
			s.State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: exit}}
		}
		p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, s)
	}
	return p
}

// A Pod that names its completion containers is over when these have ended, and is judged by them.
func TestOver(t *testing.T) {
	const never, onFailure = corev1.RestartPolicyNever, corev1.RestartPolicyOnFailure
	for name, test := range map[string]struct {
		pod  *corev1.Pod
		want string
	}{
		"all run":                     {withContainers("Running", never, "main", -1, -1), "Running of 0"},
		"main succeeded":              {withContainers("Running", never, "main", 0, -1), "Succeeded of 1"},
		"main failed":                 {withContainers("Running", never, "main", 3, -1), "Failed of 1 [3]"},
		"the other ended":             {withContainers("Running", never, "main", -1, 143), "Running of 0"},
		"one of two":                  {withContainers("Running", never, "main,proxy", 0, -1), "Running of 0"},
		"both of two":                 {withContainers("Failed", never, "proxy,main", 0, 3), "Failed of 2 [3]"},
		"main succeeded, proxy later": {withContainers("Failed", never, "main", 0, 143), "Succeeded of 1"},
		"main failed, proxy later":    {withContainers("Failed", never, "main", 1, 143), "Failed of 1 [1]"},
		"no such container":           {withContainers("Running", never, "mian", 0, -1), "Running of 0"},
		"no such container, ended":    {withContainers("Failed", never, "mian", 0, 143), "Failed of 2 [143]"},
		"none named":                  {withContainers("Failed", never, "", 0, 143), "Failed of 2 [143]"},
		"may be started again":        {withContainers("Running", onFailure, "main", 3, -1), "Running of 0"},
	} {
		t.Run(name, func(t *testing.T) {
			view := PodOf(test.pod, true)
			got := fmt.Sprintf("%s of %d", view.Result(), len(view.Outcome.Containers))
			for _, c := range view.Outcome.Containers {
				if c.Code != 0 {
					got += fmt.Sprintf(" [%d]", c.Code)
				}
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if whole, trimmed := sight(test.pod), sight(trimOf(t, test.pod)); whole != trimmed {
				t.Errorf("trimmed it is seen as\n%s\nwant\n%s", trimmed, whole)
			}
		})
	}
}

// A Pod may name as many completion containers as the CRD allows, each with the longest name that a container may have. A list
// that is longer names none.
func TestOverByLongNames(t *testing.T) {
	pod := func(length int) *corev1.Pod {
		p := withContainers("Running", corev1.RestartPolicyNever, "", 0, -1)
		var names []string
		for i := range 16 {
			name := fmt.Sprintf("%0*d", length, i)
			names = append(names, name)
			p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, corev1.ContainerStatus{
				Name: name, State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}},
			})
		}
		p.Annotations[v1.KeyCompletionContainers] = strings.Join(names, ",")
		return p
	}
	for length, want := range map[int]lifecycle.PodPhase{28: lifecycle.PodSucceeded, 63: lifecycle.PodSucceeded, 64: lifecycle.PodRunning} {
		p := pod(length)
		if got := PodOf(trimOf(t, p).(*corev1.Pod), true).Result(); got != want {
			t.Errorf("with names of %d characters, the trimmed Pod is %q, want %q", length, got, want)
		}
		if whole, trimmed := sight(p), sight(trimOf(t, p)); whole != trimmed {
			t.Errorf("trimmed it is seen as\n%s\nwant\n%s", trimmed, whole)
		}
	}
}

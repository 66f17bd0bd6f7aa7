package e2e

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const barrierFiles = "/mnt/frameworkbarrier"

// requireBarrier checks that every Pod waits for the others first, and may do so. Then its container has to use the barrier's files, that
// many times.
func (s *story) requireBarrier(account string, pods map[string]*corev1.Pod, times int) {
	s.t.Helper()
	s.requireReadsFrameworksOnly(account)
	for name, pod := range pods {
		barrier, app := pod.Spec.InitContainers[0], pod.Spec.Containers[0]
		if pod.Spec.ServiceAccountName != account || barrier.Image != "frameworkcontroller/frameworkbarrier:dev" {
			s.t.Errorf("%s runs %s as %s", name, barrier.Image, pod.Spec.ServiceAccountName)
		}
		if s.environment(barrier)["FC_FRAMEWORK_NAME"] != pod.Labels["FC_FRAMEWORK_NAME"] {
			s.t.Errorf("%s does not know which Framework to wait for", name)
		}
		volume := mountedAt(barrier, barrierFiles)
		if volume == "" || volume != mountedAt(app, barrierFiles) {
			s.t.Errorf("%s does not get the files of its barrier", name)
		}
		isEmptyDir := func(v corev1.Volume) bool { return v.Name == volume && v.EmptyDir != nil }
		if !slices.ContainsFunc(pod.Spec.Volumes, isEmptyDir) {
			s.t.Errorf("%s has no room for the files of its barrier", name)
		}
		sourced := regexp.MustCompile(`(FB_\w+_PORT=\d+ )+\. `+barrierFiles+`/injector\.sh`).FindAllString(app.Command[2], -1)
		if len(sourced) != times || len(slices.Compact(slices.Sorted(slices.Values(sourced)))) != times {
			s.t.Errorf("%s uses the files of its barrier as %q", name, sourced)
		}
	}
}

func mountedAt(c corev1.Container, path string) string {
	for _, m := range c.VolumeMounts {
		if m.MountPath == path {
			return m.Name
		}
	}
	return ""
}

// requireReadsFrameworksOnly asks the API server what the account may do.
func (s *story) requireReadsFrameworksOnly(account string) {
	s.t.Helper()
	const group = "frameworkcontroller.microsoft.com"
	may := func(verb, group, resource, namespace string) bool {
		user := "system:serviceaccount:" + s.namespace + ":" + account
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User:   user,
			Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + s.namespace, "system:authenticated"},
			ResourceAttributes: &authorizationv1.ResourceAttributes{
				Verb: verb, Group: group, Resource: resource, Namespace: namespace, Name: account},
		}}
		review, err := core.AuthorizationV1().SubjectAccessReviews().Create(s.t.Context(), review, metav1.CreateOptions{})
		require.NoError(s.t, err)
		return review.Status.Allowed
	}
	for _, verb := range []string{"get", "list", "watch"} {
		if !may(verb, group, "frameworks", s.namespace) {
			s.t.Errorf("%s may not %s frameworks", account, verb)
		}
		for _, other := range []string{"pods", "secrets", "configmaps"} {
			if may(verb, "", other, s.namespace) {
				s.t.Errorf("%s may %s %s", account, verb, other)
			}
		}
		if may(verb, group, "frameworks", "default") {
			s.t.Errorf("%s may %s frameworks elsewhere", account, verb)
		}
	}
	for _, verb := range []string{"create", "update", "patch", "delete", "deletecollection"} {
		if may(verb, group, "frameworks", s.namespace) {
			s.t.Errorf("%s may %s frameworks", account, verb)
		}
	}
}

// requireParameterServer checks the common parts of the TensorFlow examples: addresses from the barrier, with the ports on which the Pods
// listen, one volume for all, and one device for each worker, if one is given.
func (s *story) requireParameterServer(name string, pods map[string]*corev1.Pod, device corev1.ResourceName) {
	s.t.Helper()
	s.requireBarrier(name, pods, 1)
	for pod, p := range pods {
		app, role := p.Spec.Containers[0], p.Labels["FC_TASKROLE_NAME"]
		if want := fmt.Sprintf("FB_%s_PORT=%d ", strings.ToUpper(role), app.Ports[0].ContainerPort); !strings.Contains(app.Command[2], want) {
			s.t.Errorf("%s is announced without %s", pod, want)
		}
		if got := claimOf(p); got != name {
			s.t.Errorf("%s has its data on %q", pod, got)
		}
		var want corev1.ResourceList
		if device != "" && role == "worker" {
			want = corev1.ResourceList{device: resource.MustParse("1")}
		}
		if got := app.Resources.Limits; len(got) != len(want) || !got[device].Equal(want[device]) {
			s.t.Errorf("%s has limits %v, want %v", pod, got, want)
		}
	}
}

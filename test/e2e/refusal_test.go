package e2e

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// A quota that is used up will not stay so: Tasks wait for it.
func TestQuota(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.limitPods(1)
	s.create("limited", roleOf(3, pod()))
	s.await("limited", "running as far as it may", func(f *v1.FrameworkStatus) bool { return f.Tasks.Running == 1 })
	c := s.awaitCondition("limited", v1.ConditionWaiting, metav1.ConditionTrue, "")
	if !strings.Contains(c.Message, "exceeded quota") {
		t.Errorf("got %v", c)
	}
	s.awaitWarning("limited", "Forbidden", "exceeded quota")

	if err := core.CoreV1().ResourceQuotas(s.namespace).Delete(t.Context(), "few", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	f := s.awaitAllRunning("limited", 3)
	if got := describe(f.Status); strings.Count(got, "AttemptRunning retried=0/0") != 3 {
		t.Errorf("got:\n%s", got)
	}
	s.awaitCondition("limited", v1.ConditionWaiting, metav1.ConditionFalse, "")
}

func (s *story) limitPods(n int64) {
	s.t.Helper()
	hard := corev1.ResourceList{corev1.ResourcePods: *resource.NewQuantity(n, resource.DecimalSI)}
	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "few"}, Spec: corev1.ResourceQuotaSpec{Hard: hard}}
	if _, err := core.CoreV1().ResourceQuotas(s.namespace).Create(s.t.Context(), quota, metav1.CreateOptions{}); err != nil {
		s.t.Fatal(err)
	}
	until(s, resourceQuotas, "few", "in force", func(q *corev1.ResourceQuota) bool { return len(q.Status.Hard) > 0 })
}

// A template that the API server will never accept fails its Tasks, and users are told why.
func TestRefusedTemplate(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, template, outcome, why string }{
		{"invalid", `{spec: {containers: []}}`, "code=-200 PodCreationPermanentError", "spec.containers"},
		{"misshapen", `{spec: {containers: none}}`, "code=-200 PodCreationPermanentError", "containers"},
		{"malformed", `{spec: {hostNetwork: maybe, containers: [{name: c, image: app}]}}`, "code=-310 PodCreationUnknownError", "hostNetwork"},
		{"forbidden", `{spec: {serviceAccountName: nobody, containers: [{name: c, image: app}]}}`, "code=-310 PodCreationUnknownError", "nobody"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newStory(t)
			s.create("refused", `{taskRoles: [{name: a, task: {retryPolicy: {fancyRetryPolicy: true}, pod: `+tt.template+`}}]}`)
			s.requireCompleted("refused", "Completed attempt=0 retried=0/0 "+tt.outcome+" trigger=a-0\na-0 Completed retried=0/0 "+tt.outcome+"\n")
			s.awaitWarning("refused", "PodRefused", tt.why)
			s.awaitCondition("refused", v1.ConditionFailed, metav1.ConditionTrue, "")
			s.requirePods(podCount{})
		})
	}
}

// A field that the API server does not know is no reason to refuse a Pod, but users are told, once.
func TestUnknownPodField(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("newer", roleOf(5, `{spec: {privileged: true, containers: [{name: c, image: app}]}}`))
	s.awaitAllRunning("newer", 5)
	s.awaitWarning("newer", "PodWarning", `unknown field "spec.privileged"`)
	s.patch("newer", scaleTo(6))
	s.awaitAllRunning("newer", 6)
	s.patch("newer", `spec: {executionType: Stop}`)
	s.awaitWarning("newer", "Completed", "") // events come in order, so what was to be said before is there
	events, err := s.warnings(t.Context(), "newer")
	if err != nil {
		t.Fatal(err)
	}
	if said := events["PodWarning"]; len(said) != 1 || said[0].Count != 1 {
		t.Errorf("got %q", messages(events))
	}
}

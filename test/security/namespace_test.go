package security

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// For any template, nothing is created, changed or deleted in a namespace other than the Framework's.
func TestNothingInAnotherNamespace(t *testing.T) {
	startController(t, quiet)
	a, other := newAuthor(t, "author"), newAuthor(t, "other")
	owner, err := admin.CoreV1().ConfigMaps(other.namespace).Create(t.Context(),
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "owner"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	from := audit.Size(t)

	templates := map[string]string{
		"namespace": `{metadata: {namespace: ` + other.namespace + `}, spec: {` + container + `}}`,
		"name":      `{metadata: {name: ../../` + other.namespace + `/pods/x, generateName: x-}, spec: {` + container + `}}`,
		"labels": `{metadata: {labels: {FC_FRAMEWORK_NAMESPACE: ` + other.namespace + `, FC_FRAMEWORK_NAME: x}, annotations: {
			FC_FRAMEWORK_NAMESPACE: ` + other.namespace + `, FC_CONFIGMAP_NAME: ../x, FC_POD_NAME: ../y}}, spec: {` + container + `}}`,
		"kind": `{apiVersion: v1, kind: Secret, namespace: ` + other.namespace + `, metadata: {uid: x, selfLink: /api/v1/namespaces/` +
			other.namespace + `/pods}, spec: {` + container + `}}`,
		// With the namespace's name, for the placeholders.
		other.namespace: `{metadata: {name: "{{FC_FRAMEWORK_NAME}}", namespace: "{{FC_FRAMEWORK_NAME}}", labels: {"{{FC_FRAMEWORK_NAME}}": "{{FC_POD_NAME}}"}},
			spec: {` + container + `, subdomain: "{{FC_FRAMEWORK_NAME}}", hostname: "{{FC_TASKROLE_NAME}}"}}`,
	}
	for name, template := range templates {
		a.create(name, oneTask(template))
	}
	for name := range templates {
		f := a.awaitCondition(name, v1.ConditionRunning)
		pod, err := admin.CoreV1().Pods(a.namespace).Get(t.Context(), name+"-a-0", metav1.GetOptions{})
		if err != nil || pod.UID != *task(f).AttemptStatus.PodUID || pod.Annotations[v1.KeyFrameworkNamespace] != a.namespace {
			t.Errorf("%s: %v, annotations %v", name, err, pod.Annotations)
		}
	}
	ownedFromElsewhere(a, owner)

	elsewhere := func(r request) bool {
		o := r.ObjectRef
		return r.writes() && slices.Contains([]string{other.namespace, installed, "default", "kube-system", "kube-public"}, o.Namespace) && o.Resource != "leases"
	}
	if got := requestsAfter(t, from, elsewhere); len(got) > 0 {
		t.Errorf("requests elsewhere: %v", got)
	}
	if events := other.events(); events != "" {
		t.Errorf("events in the other namespace: %s", events)
	}
	if left, err := admin.CoreV1().ConfigMaps(other.namespace).Get(t.Context(), owner.Name, metav1.GetOptions{}); err != nil || left.ResourceVersion != owner.ResourceVersion {
		t.Errorf("the owner in the other namespace: %v, %v", left, err)
	}
}

// ownedFromElsewhere: a template with an owner in another namespace, which Kubernetes treats as a deleted one. It harms its own Framework
// only.
func ownedFromElsewhere(a *author, owner *corev1.ConfigMap) {
	a.create("owned", oneTask(fmt.Sprintf(`{metadata: {ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: %s, uid: %s}]}, spec: {%s}}`,
		owner.Name, owner.UID, container)))
	a.await("owned", "has a Pod", func(f *v1.Framework) bool {
		return len(f.Status.AttemptStatus.TaskRoleStatuses) > 0 && task(f).AttemptStatus.PodUID != nil
	})
}

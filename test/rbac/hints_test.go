package rbac

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

// schedulers are those whose objects the controller makes if a plugin wants it to, with the API that they are in.
var schedulers = map[string]schema.GroupVersionResource{
	"volcano":      {Group: "scheduling.volcano.sh", Version: "v1beta1", Resource: "podgroups"},
	"coscheduling": {Group: "scheduling.x-k8s.io", Version: "v1alpha1", Resource: "podgroups"},
}

// The rules that are there for scheduler hints are enough to make an object and to change it, and no verb is spare.
func TestRulesForHints(t *testing.T) {
	for scheduler, resource := range schedulers {
		t.Run(scheduler, func(t *testing.T) {
			definePodGroups(t, resource)
			if _, err := kubectl(t.Context(), "apply", "-f", deploy+"/hints/"+scheduler+".yaml"); err != nil {
				t.Fatal(err)
			}
			granted := name + "-" + scheduler
			all := permissions(installed(t, granted))
			for _, p := range all {
				awaitPermission(t, p, true)
			}
			objects := asController(t).Resource(resource).Namespace("default")
			if err := makeTwice(t.Context(), objects, resource, "whole"); err != nil {
				t.Error(err)
			}
			for _, p := range all {
				t.Run(p.verb, func(t *testing.T) {
					takeAway(t, role{name: granted}, p)
					err := makeTwice(t.Context(), objects, resource, "without-"+p.verb)
					if !apierrors.IsForbidden(err) {
						t.Errorf("got %v, want that it is forbidden", err)
					}
				})
			}
		})
	}
}

// makeTwice does what the controller does for an object that hints want: at the start, and after a rescale.
func makeTwice(ctx context.Context, client dynamic.ResourceInterface, of schema.GroupVersionResource, name string) error {
	for members := range int64(2) {
		if _, err := client.Get(ctx, name, metav1.GetOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
		o := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"minMember": members}}}
		o.SetAPIVersion(of.GroupVersion().String())
		o.SetKind("PodGroup")
		o.SetName(name)
		if members == 0 {
			if _, err := client.Create(ctx, o, metav1.CreateOptions{FieldManager: "frameworkcontroller"}); err != nil {
				return err
			}
			continue
		}
		if _, err := client.Apply(ctx, name, o, metav1.ApplyOptions{FieldManager: "frameworkcontroller", Force: true}); err != nil {
			return err
		}
	}
	return nil
}

// asController acts as the controller's ServiceAccount.
func asController(t *testing.T) dynamic.Interface {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", clustertest.KubeconfigOf(t, kube, name, name))
	require.NoError(t, err)
	client, err := dynamic.NewForConfig(config)
	require.NoError(t, err)
	return client
}

// definePodGroups installs as much of a scheduler as is needed to store its objects.
func definePodGroups(t *testing.T, resource schema.GroupVersionResource) {
	t.Helper()
	text := strings.NewReplacer("GROUP", resource.Group, "VERSION", resource.Version).Replace(podGroups)
	path := t.TempDir() + "/podgroups.yaml"
	write(t, path, text)
	if _, err := kubectl(t.Context(), "apply", "-f", path); err != nil {
		t.Fatal(err)
	}
	if _, err := kubectl(t.Context(), "wait", "--for=condition=Established", "--timeout=30s", "-f", path); err != nil {
		t.Fatal(err)
	}
}

// podGroups needs this annotation in groups that end in k8s.io.
const podGroups = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: podgroups.GROUP
  annotations: {api-approved.kubernetes.io: "unapproved, for a test"}
spec:
  group: GROUP
  names: {kind: PodGroup, listKind: PodGroupList, plural: podgroups, singular: podgroup}
  scope: Namespaced
  versions:
  - name: VERSION
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

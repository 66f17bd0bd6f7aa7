package rbac

import (
	"context"
	"slices"
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

// scheduler is a scheduler whose objects the controller creates at the request of a plugin.
type scheduler struct {
	// called is the name of its manifest.
	called string
	schema.GroupVersionResource
	kind string
	// events of the objects are read.
	events bool
	// told: the status of an object is applied, too.
	told bool
	// spec of an object, if the API server has the kind built in; nil if the kind has to be defined here.
	spec map[string]any
}

// schedulers have one each, and Kubernetes' own has two.
var schedulers = []scheduler{
	{"volcano", schema.GroupVersionResource{Group: "scheduling.volcano.sh", Version: "v1beta1", Resource: "podgroups"}, "PodGroup", true, false, nil},
	{"kueue", schema.GroupVersionResource{Group: "kueue.x-k8s.io", Version: "v1beta2", Resource: "workloads"}, "Workload", false, true, nil},
	{"coscheduling", schema.GroupVersionResource{Group: "scheduling.x-k8s.io", Version: "v1alpha1", Resource: "podgroups"}, "PodGroup", false, false, nil},
	{"workload", schema.GroupVersionResource{Group: "scheduling.k8s.io", Version: "v1beta1", Resource: "workloads"}, "Workload", false, false,
		map[string]any{"podGroupTemplates": []any{map[string]any{"name": "all", "schedulingPolicy": gangOfOne}}}},
	{"workload", schema.GroupVersionResource{Group: "scheduling.k8s.io", Version: "v1beta1", Resource: "podgroups"}, "PodGroup", false, false,
		map[string]any{"schedulingPolicy": gangOfOne}},
}

var gangOfOne = map[string]any{"gang": map[string]any{"minCount": int64(1)}}

// The rules for scheduler hints suffice to create an object and to change it, and no verb is spare.
func TestRulesForHints(t *testing.T) {
	for _, s := range schedulers {
		t.Run(s.called+" "+s.Resource, func(t *testing.T) {
			if s.spec == nil {
				s.define(t)
			}
			apply(t, "hints/"+s.called+".yaml")
			granted := name + "-" + s.called
			all := permissions(installed(t, granted))
			for _, p := range all {
				awaitPermission(t, p, true)
			}
			all = slices.DeleteFunc(all, func(p permission) bool {
				return !slices.Contains([]string{s.Resource, s.Resource + "/status", "events"}, p.resource)
			})
			client := asController(t)
			if err := s.useAll(t.Context(), client, "whole"); err != nil {
				t.Error(err)
			}
			for _, p := range all {
				t.Run(p.resource+" "+p.verb, func(t *testing.T) {
					takeAway(t, role{name: granted}, p)
					err := s.useAll(t.Context(), client, "without-"+strings.ReplaceAll(p.resource, "/", "-")+"-"+p.verb)
					if !apierrors.IsForbidden(err) {
						t.Errorf("got %v, want that it is forbidden", err)
					}
				})
			}
		})
	}
}

// useAll does all that the controller does with an object that hints want.
func (s scheduler) useAll(ctx context.Context, client dynamic.Interface, name string) error {
	objects := client.Resource(s.GroupVersionResource).Namespace("default")
	if err := s.makeTwice(ctx, objects, name); err != nil {
		return err
	}
	if err := s.follow(ctx, client); err != nil {
		return err
	}
	if s.told {
		if err := s.tell(ctx, objects, name); err != nil {
			return err
		}
	}
	if err := objects.Delete(ctx, name, metav1.DeleteOptions{}); err != nil || !s.events {
		return err
	}
	events := schema.GroupVersionResource{Version: "v1", Resource: "events"}
	_, err := client.Resource(events).Namespace("default").List(ctx, metav1.ListOptions{})
	return err
}

// follow lists and watches the objects of all namespaces.
func (s scheduler) follow(ctx context.Context, client dynamic.Interface) error {
	if _, err := client.Resource(s.GroupVersionResource).List(ctx, metav1.ListOptions{}); err != nil {
		return err
	}
	watching, err := client.Resource(s.GroupVersionResource).Watch(ctx, metav1.ListOptions{})
	if err == nil {
		watching.Stop()
	}
	return err
}

// makeTwice makes the controller's requests for an object: at the start, and after a rescale.
func (s scheduler) makeTwice(ctx context.Context, client dynamic.ResourceInterface, name string) error {
	for members := range int64(2) {
		if _, err := client.Get(ctx, name, metav1.GetOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
		spec := s.spec
		if spec == nil {
			spec = map[string]any{"minMember": members}
		}
		o := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
		o.SetAPIVersion(s.GroupVersion().String())
		o.SetKind(s.kind)
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

func (s scheduler) tell(ctx context.Context, client dynamic.ResourceInterface, name string) error {
	o := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"told": "something"}}}
	o.SetAPIVersion(s.GroupVersion().String())
	o.SetKind(s.kind)
	o.SetName(name)
	_, err := client.ApplyStatus(ctx, name, o, metav1.ApplyOptions{FieldManager: "frameworkcontroller", Force: true})
	return err
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

// define installs as much of a scheduler as is needed to store its objects.
func (s scheduler) define(t *testing.T) {
	t.Helper()
	text := strings.NewReplacer("GROUP", s.Group, "VERSION", s.Version, "KIND", s.kind, "PLURAL", s.Resource,
		"SINGULAR", strings.ToLower(s.kind)).Replace(definition)
	path := t.TempDir() + "/definition.yaml"
	write(t, path, text)
	if _, err := kubectl(t.Context(), "apply", "-f", path); err != nil {
		t.Fatal(err)
	}
	if _, err := kubectl(t.Context(), "wait", "--for=condition=Established", "--timeout=30s", "-f", path); err != nil {
		t.Fatal(err)
	}
}

// definition needs this annotation in groups that end in k8s.io.
const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: PLURAL.GROUP
  annotations: {api-approved.kubernetes.io: "unapproved, for a test"}
spec:
  group: GROUP
  names: {kind: KIND, listKind: KINDList, plural: PLURAL, singular: SINGULAR}
  scope: Namespaced
  versions:
  - name: VERSION
    served: true
    storage: true
    subresources: {status: {}}
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

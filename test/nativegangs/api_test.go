package nativegangs

import (
	"bytes"
	"context"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/jsonpath"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/gangs"
)

// api is the form in which a Kubernetes release expects gangs. Places of fields are JSONPaths.
type api struct {
	version  string // version of scheduling.k8s.io; the plugin's form
	resource string // resource with the minimum of a gang
	suffix   string // end of its name, after the Workload's
	minCount string // and the place of the minimum in it
	group    string // place in a Pod: <name of the Workload>-<name of the group>
	grows    bool   // added Tasks join the gang, instead of forming one of their own
}

var (
	v1alpha1 = api{
		version:  "v1alpha1",
		resource: "workloads",
		minCount: "{.spec.podGroups[0].policy.gang.minCount}",
		group:    "{.spec.workloadRef.name}-{.spec.workloadRef.podGroup}",
	}
	v1beta1 = api{
		version:  "v1beta1",
		resource: "podgroups",
		suffix:   "-all",
		minCount: "{.spec.schedulingPolicy.gang.minCount}",
		group:    "{.spec.schedulingGroup.podGroupName}",
		grows:    true,
	}
)

// minCountOf returns the minimum of the group of all Pods; 0 if there is no such Workload.
func (s *story) minCountOf(ctx context.Context, workload string) (int, error) {
	resource := schema.GroupVersionResource{Group: "scheduling.k8s.io", Version: s.version, Resource: s.resource}
	o, err := s.world.Objects.Resource(resource).Namespace(s.Namespace).Get(ctx, workload+s.suffix, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	text, err := find(o, s.minCount)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(text)
}

func (s *story) awaitMinCount(workload string, want int) {
	s.T.Helper()
	clustertest.Eventually(s.T, gangs.Patience, func(ctx context.Context) error {
		got, err := s.minCountOf(ctx, workload)
		if err == nil && got != want {
			err = fmt.Errorf("minCount of %s is %d, want %d", workload, got, want)
		}
		return err
	})
}

// groupsOf returns the group that each Pod of a Framework names. Our libraries know the field of one Kubernetes release only.
func (s *story) groupsOf(name string) (groups []string, err error) {
	pods, err := s.world.Objects.Resource(corev1.SchemeGroupVersion.WithResource("pods")).Namespace(s.Namespace).
		List(s.T.Context(), metav1.ListOptions{LabelSelector: v1.KeyFrameworkName + "=" + name})
	if err != nil {
		return nil, err
	}
	for _, pod := range pods.Items {
		group, err := find(&pod, s.group)
		if err != nil {
			return nil, err
		}
		groups = append(groups, group)
	}
	return groups, nil
}

func find(o *unstructured.Unstructured, path string) (string, error) {
	finder, out := jsonpath.New(path), bytes.Buffer{}
	if err := finder.Parse(path); err != nil {
		return "", err
	}
	err := finder.Execute(&out, o.Object)
	return out.String(), err
}

package e2e

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	typed "github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned/typed/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/checker"
)

// story is one test's share of the cluster: a namespace of its own.
type story struct {
	t          *testing.T
	namespace  string
	frameworks typed.FrameworkInterface
	raw        dynamic.ResourceInterface // Frameworks that need not fit the types
	pods       typedcorev1.PodInterface
	configMaps typedcorev1.ConfigMapInterface

	unchecked bool // the checker ignores its history
}

// newStory creates a namespace in which Pods can be created. When the test ends, its Frameworks are deleted, nothing may be left of them,
// and the checker goes through all that happened.
func newStory(t *testing.T) *story {
	t.Helper()
	s := newNamespace(t)
	// Without it, Pods have to wait.
	until(s, serviceAccounts, "default", "made for the namespace", func(*corev1.ServiceAccount) bool { return true })
	return s
}

// newNamespace is newStory at the moment at which the namespace exists, and nothing is in it yet.
func newNamespace(t *testing.T) *story {
	t.Helper()
	name := namespaceFor(t.Name())
	s := &story{
		t:          t,
		namespace:  name,
		frameworks: frameworks.FrameworkControllerV1().Frameworks(name),
		raw:        raw.Namespace(name),
		pods:       core.CoreV1().Pods(name),
		configMaps: core.CoreV1().ConfigMaps(name),
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := core.CoreV1().Namespaces().Create(t.Context(), namespace, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.finish)
	return s
}

var namespaces = struct {
	sync.Mutex
	made map[string]int
}{made: map[string]int{}}

// namespaceFor turns the name of a test into the name of a namespace. The number distinguishes repeated runs (-count).
func namespaceFor(test string) string {
	name := regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(strings.TrimPrefix(test, "Test")), "-")
	namespaces.Lock()
	defer namespaces.Unlock()
	namespaces.made[name]++
	return fmt.Sprintf("%s-%d", name, namespaces.made[name])
}

func (s *story) finish() {
	if s.t.Failed() {
		s.tell()
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := s.deleteAll(ctx); err != nil {
		s.t.Errorf("deleting the Frameworks: %v", err)
		return
	}
	if err := seen.catchUp(ctx); err != nil {
		s.t.Error(err)
	}
	if err := seen.awaitNothing(ctx, s.namespace); err != nil {
		s.t.Error(err)
	}
	s.check()
}

// uncheck hides everything from now on from the checker.
func (s *story) uncheck() {
	seen.skip(s.namespace)
	s.unchecked = true
}

// check lets the checker go through the history. It relies on others deleting only Pods that run, and are recorded.
func (s *story) check() {
	s.t.Helper()
	h, err := seen.Take(s.namespace)
	if s.unchecked {
		return
	}
	if err != nil {
		s.t.Error(err)
	}
	if len(h.Gaps) > 0 {
		s.t.Errorf("the recorder does not know what was stored in %v", h.Gaps)
	}
	if !slices.ContainsFunc(h.Observations, func(o checker.Observation) bool { return o.Framework != nil }) {
		s.t.Error("the recorder has seen no Framework")
	}
	for _, violation := range checker.Check(h, checker.Options{Undisturbed: true}).Violations {
		s.t.Error(violation)
	}
}

func (s *story) deleteAll(ctx context.Context) error {
	foreground := metav1.DeletePropagationForeground
	return s.raw.DeleteCollection(ctx, metav1.DeleteOptions{PropagationPolicy: &foreground}, metav1.ListOptions{})
}

// tell logs the state of the story when it failed. The cluster, and with it the controller's log, will be gone afterwards.
func (s *story) tell() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	list, err := s.raw.List(ctx, metav1.ListOptions{})
	if err != nil {
		s.t.Log(err)
		return
	}
	for _, o := range list.Items {
		f := &v1.Framework{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, f); err != nil {
			s.t.Logf("%s: %v", o.GetName(), err)
			continue
		}
		s.t.Logf("%s:\n%s", o.GetName(), describe(f.Status))
	}
	s.t.Logf("log of the controller:\n%s", controller.logOf(s.namespace+"/", 60))
}

// frameworkLabel selects the dependents of a Framework.
func frameworkLabel(name string) metav1.ListOptions {
	return metav1.ListOptions{LabelSelector: v1.KeyFrameworkName + "=" + name}
}

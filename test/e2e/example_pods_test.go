package e2e

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// album keeps the Pods of a story as they were created, whatever their later state.
type album struct {
	story  *story
	mu     sync.Mutex
	byName map[string]*corev1.Pod // the last one of each name
}

// openAlbum returns when no Pod can be missed.
func openAlbum(s *story) *album {
	s.t.Helper()
	a := &album{story: s, byName: map[string]*corev1.Pod{}}
	_, informer := cache.NewInformerWithOptions(cache.InformerOptions{
		ListerWatcher: cache.NewListWatchFromClient(coreClient(), "pods", s.namespace, fields.Everything()),
		ObjectType:    &corev1.Pod{},
		Handler:       cache.ResourceEventHandlerFuncs{AddFunc: a.add},
	})
	go informer.RunWithContext(s.t.Context())
	ctx, cancel := s.patient()
	defer cancel()
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		s.t.Fatal("cannot watch Pods")
	}
	return a
}

func (a *album) add(object any) {
	pod := object.(*corev1.Pod)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.byName[pod.Name] = pod
}

// of returns the Pods of all Tasks that the Framework has, by name.
func (a *album) of(f *v1.Framework) map[string]*corev1.Pod {
	a.story.t.Helper()
	pods := map[string]*corev1.Pod{}
	a.story.eventually(func(context.Context) error {
		a.mu.Lock()
		defer a.mu.Unlock()
		for _, role := range f.Status.AttemptStatus.TaskRoleStatuses {
			for i := range role.TaskStatuses {
				name := v1.PodName(f.Name, role.Name, int32(i))
				if a.byName[name] == nil {
					return fmt.Errorf("there has never been a Pod %s", name)
				}
				pods[name] = a.byName[name]
			}
		}
		return nil
	})
	return pods
}

// told returns the environment, commands and arguments of all containers of a Pod.
func (s *story) told(pod *corev1.Pod) string {
	s.t.Helper()
	var out strings.Builder
	for _, c := range append(pod.Spec.InitContainers, pod.Spec.Containers...) {
		fmt.Fprintln(&out, strings.Join(append(c.Command, c.Args...), "\n"))
		for name, value := range s.environment(c) {
			fmt.Fprintf(&out, "%s=%s\n", name, value)
		}
	}
	return out.String()
}

// requireKnows checks that told contains all of these lines.
func (s *story) requireKnows(pod *corev1.Pod, want ...string) {
	s.t.Helper()
	told := s.told(pod)
	for _, line := range want {
		if !strings.Contains("\n"+told, "\n"+line+"\n") {
			s.t.Errorf("%s is not told %s:\n%s", pod.Name, line, told)
		}
	}
}

// environment is the environment of a container as a kubelet builds it, except for values from the Pod itself.
func (s *story) environment(c corev1.Container) map[string]string {
	s.t.Helper()
	values := map[string]string{}
	for _, e := range c.Env {
		value := e.Value
		for name, earlier := range values {
			value = strings.ReplaceAll(value, "$("+name+")", earlier)
		}
		if from := e.ValueFrom; from != nil && from.ConfigMapKeyRef != nil {
			value = s.configMap(from.ConfigMapKeyRef.Name)[from.ConfigMapKeyRef.Key]
		}
		values[e.Name] = value
	}
	return values
}

func (s *story) configMap(name string) map[string]string {
	s.t.Helper()
	c, err := s.configMaps.Get(s.t.Context(), name, metav1.GetOptions{})
	require.NoError(s.t, err)
	return c.Data
}

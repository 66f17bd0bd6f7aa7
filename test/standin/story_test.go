package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

// story is a namespace for one test with a scheduler.
type story struct {
	*played
	t         *testing.T
	namespace string
}

func newStory(t *testing.T, p *played) *story {
	t.Helper()
	made, err := core.CoreV1().Namespaces().Create(t.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "story-"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	s := &story{p, t, made.Name}
	clustertest.Eventually(t, patience, func(ctx context.Context) error { // until then, Pods are refused
		_, err := core.CoreV1().ServiceAccounts(s.namespace).Get(ctx, "default", metav1.GetOptions{})
		return err
	})
	t.Cleanup(s.end)
	return s
}

// end leaves the nodes to the next story.
func (s *story) end() {
	if s.t.Failed() {
		s.t.Logf("the controller's log:\n%s\nthe scheduler's log:\n%s", controller.Tail(8000), standins[s.plugin].Tail(2000))
	}
	ctx := context.Background()
	background := metav1.DeletePropagationBackground
	err := frameworks.FrameworkControllerV1().Frameworks(s.namespace).DeleteCollection(ctx,
		metav1.DeleteOptions{PropagationPolicy: &background}, metav1.ListOptions{})
	require.NoError(s.t, err)
	s.awaitBound("", 0, 0)
	_ = core.CoreV1().Namespaces().Delete(ctx, s.namespace, metav1.DeleteOptions{})
}

// role is one of a Framework. Each of its Tasks asks for a third of a node, and runs for ever.
type role struct {
	name     string
	tasks    int
	simulate string // annotations that say otherwise
	// ends is when it ends the attempt. Empty: when a Task fails, and never by a success.
	ends      string
	retries   int    // of a Task
	backoff   string // before a retry
	resources string // others than those of the story
}

// create makes a Framework for the scheduler. More is in its spec besides.
func (s *story) create(name, more string, roles ...role) {
	s.t.Helper()
	s.createFor(name, s.chosen(""), s.scheduling, more, roles...)
}

// chosen has the Framework choose the plugin, and tell it parameters.
func (s *story) chosen(parameters string) string {
	return fmt.Sprintf("plugins: [{name: %s, parameters: {%s}}]", s.plugin, parameters)
}

func (s *story) createFor(name, plugins, scheduling, more string, roles ...role) {
	s.t.Helper()
	var texts []string
	for _, r := range roles {
		if r.ends == "" {
			r.ends = "minFailedTaskCount: 1, minSucceededTaskCount: -1"
		}
		if r.backoff = "{" + r.backoff + "}"; r.backoff == "{}" {
			r.backoff = "null"
		}
		if r.resources == "" {
			r.resources = s.resources
		}
		texts = append(texts, fmt.Sprintf(`{name: %s, taskNumber: %d, frameworkAttemptCompletionPolicy: {%s}, task: {retryPolicy: {maxRetryCount: %d, backoff: %s}, pod: {
			metadata: {annotations: {%s}},
			spec: {restartPolicy: Never, containers: [{name: main, image: none, resources: {%s}}]}}}}`, r.name, r.tasks, r.ends, r.retries, r.backoff, r.simulate, r.resources))
	}
	text := fmt.Sprintf("{apiVersion: %s, kind: Framework, metadata: {name: %s}, spec: {%s, scheduling: {%s}, %s taskRoles: [%s]}}",
		v1.SchemeGroupVersion, name, plugins, scheduling, more, strings.Join(texts, ","))
	f := &unstructured.Unstructured{}
	require.NoError(s.t, yaml.Unmarshal([]byte(text), &f.Object))
	client := objects.Resource(v1.SchemeGroupVersion.WithResource(v1.FrameworkPlural)).Namespace(s.namespace)
	clustertest.Eventually(s.t, patience, func(ctx context.Context) error { // until the controller has defined the kind
		_, err := client.Create(ctx, f, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
		if apierrors.IsAlreadyExists(err) {
			return nil
		}
		return err
	})
}

// scale changes the number of Tasks of the first role.
func (s *story) scale(name string, tasks int) {
	s.t.Helper()
	patch, err := json.Marshal([]any{map[string]any{"op": "replace", "path": "/spec/taskRoles/0/taskNumber", "value": tasks}})
	require.NoError(s.t, err)
	_, err = frameworks.FrameworkControllerV1().Frameworks(s.namespace).Patch(s.t.Context(), name, types.JSONPatchType, patch, metav1.PatchOptions{})
	require.NoError(s.t, err)
}

func (s *story) delete(name string) {
	s.t.Helper()
	background := metav1.DeletePropagationBackground
	require.NoError(s.t, frameworks.FrameworkControllerV1().Frameworks(s.namespace).Delete(s.t.Context(), name,
		metav1.DeleteOptions{PropagationPolicy: &background}))
}

// deletePod ends a Pod, as others may, and waits for the one that is created in its place.
func (s *story) deletePod(name string) {
	s.t.Helper()
	pods := core.CoreV1().Pods(s.namespace)
	before, err := pods.Get(s.t.Context(), name, metav1.GetOptions{})
	require.NoError(s.t, err)
	require.NoError(s.t, pods.Delete(s.t.Context(), name, metav1.DeleteOptions{}))
	clustertest.Eventually(s.t, patience, func(ctx context.Context) error {
		after, err := pods.Get(ctx, name, metav1.GetOptions{})
		if err == nil && after.UID == before.UID {
			err = fmt.Errorf("%s is still the same", name)
		}
		return err
	})
}

// podsOf are those of a Framework, or of all.
func (s *story) podsOf(ctx context.Context, name string) ([]corev1.Pod, error) {
	o := metav1.ListOptions{}
	if name != "" {
		o.LabelSelector = v1.KeyFrameworkName + "=" + name
	}
	list, err := core.CoreV1().Pods(s.namespace).List(ctx, o)
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// counts is an error unless a Framework has so many Pods, and so many of them a node.
func (s *story) counts(ctx context.Context, name string, all, bound int) error {
	pods, err := s.podsOf(ctx, name)
	if err != nil {
		return err
	}
	got := 0
	for _, p := range pods {
		if p.Spec.NodeName != "" {
			got++
		}
	}
	if len(pods) != all || got != bound {
		return fmt.Errorf("%s has %d Pods, %d of them bound, want %d and %d", name, len(pods), got, all, bound)
	}
	return nil
}

func (s *story) awaitBound(name string, all, bound int) {
	s.t.Helper()
	clustertest.Eventually(s.t, patience, func(ctx context.Context) error { return s.counts(ctx, name, all, bound) })
}

// staysBound: it is so for a while in which the scheduler has looked ten times.
func (s *story) staysBound(name string, all, bound int) {
	s.t.Helper()
	s.awaitBound(name, all, bound)
	for end := time.Now().Add(10 * pause); time.Now().Before(end); time.Sleep(pause / 2) {
		require.NoError(s.t, s.counts(s.t.Context(), name, all, bound))
	}
}

func (s *story) await(name, what string, is func(*v1.FrameworkStatus) bool) *v1.FrameworkStatus {
	s.t.Helper()
	var f *v1.Framework
	clustertest.Eventually(s.t, patience, func(ctx context.Context) (err error) {
		if f, err = frameworks.FrameworkControllerV1().Frameworks(s.namespace).Get(ctx, name, metav1.GetOptions{}); err != nil {
			return err
		}
		if f.Status == nil || !is(f.Status) {
			text, _ := json.Marshal(f.Status)
			return fmt.Errorf("%s is not %s: %s", name, what, text)
		}
		return nil
	})
	return f.Status
}

func (s *story) awaitSucceeded(name string) *v1.FrameworkStatus {
	s.t.Helper()
	return s.await(name, "completed", func(f *v1.FrameworkStatus) bool {
		return f.State == v1.Completed && f.AttemptStatus.CompletionStatus.Code == 0
	})
}

// awaitWaiting waits until the Framework says in these words why it waits.
func (s *story) awaitWaiting(name, words string) {
	s.t.Helper()
	s.await(name, "waiting: "+words, func(f *v1.FrameworkStatus) bool {
		for _, c := range f.Conditions {
			if c.Type == v1.ConditionWaiting && c.Status == metav1.ConditionTrue && strings.Contains(c.Message, words) {
				return true
			}
		}
		return false
	})
}

// awaitAttempt waits until an attempt of that number has begun, and returns what is there then.
func (s *story) awaitAttempt(name string, id int32) *v1.FrameworkStatus {
	s.t.Helper()
	return s.await(name, fmt.Sprintf("in attempt %d", id), func(f *v1.FrameworkStatus) bool { return f.AttemptStatus.ID == id })
}

// awaitTold waits until the scheduler says in a Pod of the Framework why it has no node. The Framework says it later.
func (s *story) awaitTold(name, words string) {
	s.t.Helper()
	clustertest.Eventually(s.t, patience, func(ctx context.Context) error {
		pods, err := s.podsOf(ctx, name)
		for _, p := range pods {
			for _, c := range p.Status.Conditions {
				if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && strings.Contains(c.Message, words) {
					return nil
				}
			}
		}
		return errors.Join(err, fmt.Errorf("no Pod of %s says %q", name, words))
	})
}

// awaitGroup waits until the Pods of a Framework are those of an attempt, by what the scheduler is told.
func (s *story) awaitGroup(name string, attempt int) {
	s.t.Helper()
	want := fmt.Sprintf(s.group, s.namespace, name, attempt)
	clustertest.Eventually(s.t, patience, func(ctx context.Context) error {
		pods, err := s.podsOf(ctx, name)
		if err != nil || len(pods) == 0 {
			return errors.Join(err, fmt.Errorf("%s has %d Pods", name, len(pods)))
		}
		for _, p := range pods {
			if got := p.Annotations[s.annotation]; !strings.Contains(got, want) {
				return fmt.Errorf("%s is of %q, want %q", p.Name, got, want)
			}
		}
		return nil
	})
}

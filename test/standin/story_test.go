package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/gangs"
)

// story is a story with a scheduler.
type story struct {
	*gangs.Story
	*played
}

// role is a role of a Framework. Each of its Tasks asks for a third of a node, and runs for ever.
type role struct {
	name     string
	tasks    int
	simulate string // annotations that change that
	// ends is its completion policy. Empty: a failed Task ends the attempt, and a success never does.
	ends      string
	retries   int    // per Task
	restart   string // the scope of a retry; empty for the Task alone
	backoff   string // before a retry
	resources string // in place of the story's
	after     string // the role whose success it waits for; empty if it starts at once
}

// create makes a Framework for the scheduler. More is in its spec besides.
func (s *story) create(name, more string, roles ...role) {
	s.T.Helper()
	s.createFor(name, s.chosen(""), s.scheduling, more, roles...)
}

// chosen lets the Framework choose the plugin, with parameters.
func (s *story) chosen(parameters string) string {
	return fmt.Sprintf("plugins: [{name: %s, parameters: {%s}}]", s.plugin, parameters)
}

func (s *story) createFor(name, plugins, scheduling, more string, roles ...role) {
	s.T.Helper()
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
		if r.restart == "" {
			r.restart = "null"
		}
		after := "null"
		if r.after != "" {
			after = "[{role: " + r.after + ", when: Succeeded}]"
		}
		texts = append(texts, fmt.Sprintf(`{name: %s, taskNumber: %d, startAfter: %s, frameworkAttemptCompletionPolicy: {%s}, task: {retryPolicy: {maxRetryCount: %d, backoff: %s, restart: %s}, pod: {
			metadata: {annotations: {%s}},
			spec: {restartPolicy: Never, containers: [{name: main, image: none, resources: {%s}}]}}}}`, r.name, r.tasks, after, r.ends, r.retries, r.backoff, r.restart, r.simulate, r.resources))
	}
	s.Create(name, fmt.Sprintf("{%s, scheduling: {%s}, %s taskRoles: [%s]}", plugins, scheduling, more, strings.Join(texts, ",")))
}

// deletePod deletes a Pod, as others may, and waits for its successor.
func (s *story) deletePod(name string) {
	s.T.Helper()
	pods := world.Core.CoreV1().Pods(s.Namespace)
	before, err := pods.Get(s.T.Context(), name, metav1.GetOptions{})
	require.NoError(s.T, err)
	require.NoError(s.T, pods.Delete(s.T.Context(), name, metav1.DeleteOptions{}))
	clustertest.Eventually(s.T, gangs.Patience, func(ctx context.Context) error {
		after, err := pods.Get(ctx, name, metav1.GetOptions{})
		if err == nil && after.UID == before.UID {
			err = fmt.Errorf("%s is still the same", name)
		}
		return err
	})
}

// awaitAttempt waits until an attempt of that number has begun, and returns its status.
func (s *story) awaitAttempt(name string, id int32) *v1.FrameworkStatus {
	s.T.Helper()
	return s.Await(name, fmt.Sprintf("in attempt %d", id), func(f *v1.FrameworkStatus) bool { return f.AttemptStatus.ID == id })
}

// endPod ends a Pod in that phase.
func (s *story) endPod(name string, phase corev1.PodPhase) {
	s.T.Helper()
	_, err := world.Core.CoreV1().Pods(s.Namespace).Patch(s.T.Context(), name, types.MergePatchType,
		fmt.Appendf(nil, `{"status": {"phase": %q}}`, phase), metav1.PatchOptions{}, "status")
	require.NoError(s.T, err)
}

// edit changes a Framework by a JSON patch.
func (s *story) edit(name, patch string) {
	s.T.Helper()
	_, err := world.Frameworks.FrameworkControllerV1().Frameworks(s.Namespace).Patch(s.T.Context(), name, types.JSONPatchType, []byte(patch), metav1.PatchOptions{})
	require.NoError(s.T, err)
}

// awaitWarning waits until a plugin warns the author of a Framework.
func (s *story) awaitWarning(name, words string) {
	s.T.Helper()
	clustertest.Eventually(s.T, gangs.Patience, func(ctx context.Context) error {
		selector := fields.Set{"involvedObject.name": name, "reason": "HintsWarning"}.String()
		found, err := world.Core.CoreV1().Events(s.Namespace).List(ctx, metav1.ListOptions{FieldSelector: selector})
		if err != nil {
			return err
		}
		for _, e := range found.Items {
			if strings.Contains(e.Message, words) {
				return nil
			}
		}
		return fmt.Errorf("%d warnings, and none has %q", len(found.Items), words)
	})
}

// awaitTold waits until the scheduler reports in a Pod of the Framework why it has no node. The Framework reports it later.
func (s *story) awaitTold(name, words string) {
	s.T.Helper()
	clustertest.Eventually(s.T, gangs.Patience, func(ctx context.Context) error {
		pods, err := s.Pods(ctx, name)
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

// awaitGroup waits until the Pods of a Framework belong to an attempt, by the annotation for the scheduler.
func (s *story) awaitGroup(name string, attempt int) {
	s.T.Helper()
	want := fmt.Sprintf(s.group, s.Namespace, name, attempt)
	clustertest.Eventually(s.T, gangs.Patience, func(ctx context.Context) error {
		pods, err := s.Pods(ctx, name)
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

package rbac

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	typed "github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned/typed/frameworkcontroller/v1"
)

// story is a namespace in which the controller has to do everything that it ever does. Its steps are conditions that become true one after
// the other, or never, if a permission is missing.
type story struct {
	namespace  string
	frameworks typed.FrameworkInterface
	steps      []func(ctx context.Context) error
}

const (
	// lasting is a Task that runs until it is stopped.
	lasting = `{spec: {containers: [{name: main, image: none}]}}`
	// failing is a Task whose first attempt fails, so that its Pod is deleted and another one created.
	failing = `{metadata: {annotations: {
		simulate.frameworkcontroller.io/run-for: 0s, simulate.frameworkcontroller.io/exit-codes: "1,0"}},
		spec: {restartPolicy: Never, containers: [{name: main, image: none}]}}`
)

// newStory prepares a namespace that is removed when the test ends. It needs the CRD, and no controller.
func newStory(t *testing.T) *story {
	t.Helper()
	s := newBareStory(t)
	s.parked(t)
	s.configMapNameTaken(t)
	s.podNameTaken(t)
	s.edited(t)
	s.named(t)
	s.retriedAndExpired(t)
	return s
}

// newBareStory is one without steps yet.
func newBareStory(t *testing.T) *story {
	t.Helper()
	made, err := core.CoreV1().Namespaces().Create(t.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "story-"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	t.Cleanup(func() {
		core.CoreV1().Namespaces().Delete(context.Background(), made.Name, metav1.DeleteOptions{})
	})
	return &story{namespace: made.Name, frameworks: frameworks.FrameworkControllerV1().Frameworks(made.Name)}
}

// nonsense is a state that no Framework has.
const nonsense v1.State = "Nonsense"

// parked: the stored status is invalid, and a patch of the status reports it. A controller that runs may be quicker than the test, and restore
// its own status; then the next Framework is tried.
func (s *story) parked(t *testing.T) {
	parked := 0
	park := func(ctx context.Context) error {
		parked++
		name := fmt.Sprintf("parked%d", parked)
		s.create(t, name, `taskRoles: []`)
		return s.patchStatus(ctx, name, fmt.Sprintf(`{"state": %q}`, nonsense))
	}
	require.NoError(t, park(t.Context()))
	s.then(func(ctx context.Context) error {
		name := fmt.Sprintf("parked%d", parked)
		f, err := s.frameworks.Get(ctx, name, metav1.GetOptions{})
		if err == nil && f.Status.State != nonsense {
			err = park(ctx)
		}
		return errors.Join(err, s.hasCondition(ctx, name, v1.ConditionStatusInvalid))
	})
}

// configMapNameTaken: an object with a needed name has to be read to find its owner.
func (s *story) configMapNameTaken(t *testing.T) {
	configMaps := core.CoreV1().ConfigMaps(s.namespace)
	foreign := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "taken-attempt"}}
	if _, err := configMaps.Create(t.Context(), foreign, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	s.create(t, "taken", `taskRoles: [{name: a, taskNumber: 1, task: {pod: `+lasting+`}}]`)
	s.then(func(ctx context.Context) error { return s.hasCondition(ctx, "taken", v1.ConditionWaiting) })
	s.then(func(ctx context.Context) error { return configMaps.Delete(ctx, foreign.Name, metav1.DeleteOptions{}) })
	s.then(func(ctx context.Context) error { return s.hasCondition(ctx, "taken", v1.ConditionRunning) })
}

// podNameTaken is the same with a Pod.
func (s *story) podNameTaken(t *testing.T) {
	pods := core.CoreV1().Pods(s.namespace)
	foreign := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "obstructed-a-0"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "none"}}},
	}
	eventually(t, func(ctx context.Context) error { // until the namespace has its service account
		_, err := pods.Create(ctx, foreign, metav1.CreateOptions{})
		return err
	})
	s.create(t, "obstructed", `taskRoles: [{name: a, taskNumber: 1, task: {pod: `+lasting+`}}]`)
	s.then(func(ctx context.Context) error { return s.hasCondition(ctx, "obstructed", v1.ConditionWaiting) })
	s.then(func(ctx context.Context) error { return pods.Delete(ctx, foreign.Name, metav1.DeleteOptions{}) })
	s.then(func(ctx context.Context) error { return s.hasCondition(ctx, "obstructed", v1.ConditionRunning) })
}

// named: the name of a Service is taken, so its owner has to be read. Later the Service exists, and follows the spec until it is no longer
// needed.
func (s *story) named(t *testing.T) {
	services := core.CoreV1().Services(s.namespace)
	foreign := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "named"}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}}}
	if _, err := services.Create(t.Context(), foreign, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	s.create(t, "named", `{network: {dns: true}, taskRoles: [{name: a, taskNumber: 1, task: {pod: `+lasting+`}}]}`)
	s.then(func(ctx context.Context) error { return s.hasCondition(ctx, "named", v1.ConditionWaiting) })
	s.then(func(ctx context.Context) error { return services.Delete(ctx, "named", metav1.DeleteOptions{}) })
	s.then(func(ctx context.Context) error { return s.publishes(ctx, "named", true) })
	s.then(func(ctx context.Context) error {
		return s.patch(ctx, "named", `{"spec": {"network": {"publishNotReadyAddresses": false}}}`)
	})
	s.then(func(ctx context.Context) error { return s.publishes(ctx, "named", false) })
	s.then(func(ctx context.Context) error { return s.patch(ctx, "named", `{"spec": {"network": null}}`) })
	s.then(func(ctx context.Context) error {
		_, err := services.Get(ctx, "named", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(err, errors.New("service named is still there"))
	})
}

// publishes wants a headless Service that publishes Pods before they are ready, or does not.
func (s *story) publishes(ctx context.Context, name string, early bool) error {
	found, err := core.CoreV1().Services(s.namespace).Get(ctx, name, metav1.GetOptions{})
	if err == nil && (found.Spec.ClusterIP != corev1.ClusterIPNone || found.Spec.PublishNotReadyAddresses != early) {
		err = fmt.Errorf("service %s is %+v", name, found.Spec)
	}
	return err
}

// edited: a repeated event is counted, by a patch.
func (s *story) edited(t *testing.T) {
	s.create(t, "edited", `taskRoles: [{name: a, taskNumber: 1, task: {pod: `+lasting+`}}]`)
	s.then(func(ctx context.Context) error { return s.hasCondition(ctx, "edited", v1.ConditionRunning) })
	for _, count := range []int32{1, 2} {
		s.then(func(ctx context.Context) error {
			return s.patchStatus(ctx, "edited", `{"retryPolicyStatus": {"totalRetriedCount": 7}}`)
		})
		s.then(func(ctx context.Context) error { return s.wasTold(ctx, "edited", "StatusOverwritten", count) })
		s.then(func(ctx context.Context) error { return s.isRestored(ctx, "edited") })
	}
}

// retriedAndExpired: a Pod is deleted before its Task is retried, the ConfigMap in the end, and then the Framework.
func (s *story) retriedAndExpired(t *testing.T) {
	s.create(t, "expires", `{ttlSecondsAfterFinished: 0,
		taskRoles: [{name: a, taskNumber: 1, task: {retryPolicy: {maxRetryCount: 1}, pod: `+failing+`}}]}`)
	s.then(func(ctx context.Context) error {
		_, err := s.frameworks.Get(ctx, "expires", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(err, errors.New("framework expires is still there"))
	})
}

func (s *story) create(t *testing.T, name, spec string) {
	t.Helper()
	f := &v1.Framework{ObjectMeta: metav1.ObjectMeta{Name: name}}
	require.NoError(t, yaml.Unmarshal([]byte(spec), &f.Spec))
	if _, err := s.frameworks.Create(t.Context(), f, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func (s *story) patchStatus(ctx context.Context, name, status string) error {
	patch := []byte(`{"status": ` + status + `}`)
	_, err := s.frameworks.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	return err
}

func (s *story) patch(ctx context.Context, name, patch string) error {
	_, err := s.frameworks.Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

func (s *story) hasCondition(ctx context.Context, name, condition string) error {
	f, err := s.frameworks.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if f.Status == nil || !meta.IsStatusConditionTrue(f.Status.Conditions, condition) {
		return fmt.Errorf("framework %s has no condition %s", name, condition)
	}
	return nil
}

func (s *story) wasTold(ctx context.Context, name, reason string, times int32) error {
	events, err := core.CoreV1().Events(s.namespace).List(ctx,
		metav1.ListOptions{FieldSelector: "involvedObject.name=" + name + ",reason=" + reason})
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(events.Items, func(e corev1.Event) bool { return e.Count >= times }) {
		return fmt.Errorf("event %s of framework %s has not come %d times", reason, name, times)
	}
	return nil
}

// isRestored requires that the status has no retries, as before the edit. The event is sent earlier, and the same edit in between would
// change nothing, so there would be no second event.
func (s *story) isRestored(ctx context.Context, name string) error {
	f, err := s.frameworks.Get(ctx, name, metav1.GetOptions{})
	if err == nil && f.Status.RetryPolicyStatus.TotalRetriedCount != 0 {
		err = fmt.Errorf("the status of framework %s is not restored", name)
	}
	return err
}

func (s *story) then(step func(ctx context.Context) error) { s.steps = append(s.steps, step) }

// tell takes the steps until all are taken, or until stop returns true. The error says why the story has failed.
func (s *story) tell(ctx context.Context, stop func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var last error
	for _, step := range s.steps {
		for last = step(ctx); last != nil; last = step(ctx) {
			if stop() || ctx.Err() != nil {
				return last
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	return nil
}

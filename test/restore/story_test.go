package restore

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	typed "github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned/typed/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/checker"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

// story is one test's share of the cluster: a namespace of its own, in which users act.
type story struct {
	t          *testing.T
	namespace  string
	frameworks typed.FrameworkInterface
	recorder   *checker.Recorder
	stopRecord context.CancelFunc
}

var stories int

// newStory returns when Pods can be created.
func newStory(t *testing.T) *story {
	t.Helper()
	stories++
	s := &story{t: t, namespace: fmt.Sprintf("restore-%d", stories)}
	s.frameworks = frameworks.FrameworkControllerV1().Frameworks(s.namespace)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.namespace}}
	_, err := core.CoreV1().Namespaces().Create(t.Context(), namespace, metav1.CreateOptions{})
	require.NoError(t, err)
	clustertest.Eventually(t, patience, func(ctx context.Context) error {
		_, err := core.CoreV1().ServiceAccounts(s.namespace).Get(ctx, "default", metav1.GetOptions{})
		return err
	})
	s.record()
	return s
}

// record starts a recorder.
func (s *story) record() {
	s.t.Helper()
	ctx, stop := context.WithCancel(s.t.Context())
	s.t.Cleanup(stop)
	var err error
	s.recorder, err = checker.Record(ctx, kube.Config, checker.RecordOptions{})
	require.NoError(s.t, err)
	s.stopRecord = stop
}

// requireGuarantees ends the recording, and lets the checker judge it.
func (s *story) requireGuarantees() {
	s.t.Helper()
	history, err := s.recorder.Take(s.namespace)
	s.stopRecord()
	require.NoError(s.t, err)
	report := checker.Check(history, checker.Options{})
	for _, v := range report.Violations {
		s.t.Error(v)
	}
	if report.Checks[checker.OnePod] == 0 {
		s.t.Errorf("nothing was checked: %v", report.Checks)
	}
	s.t.Logf("%d checks of %d versions, %d gaps", report.Total(), len(history.Observations), len(history.Gaps))
}

// do calls an act that may be repeated until it succeeds: the API server may just have come back.
func (s *story) do(act func(context.Context) error) {
	s.t.Helper()
	clustertest.Eventually(s.t, patience, act)
}

func (s *story) create(name, spec string) {
	s.t.Helper()
	f := &v1.Framework{ObjectMeta: metav1.ObjectMeta{Name: name}}
	require.NoError(s.t, yaml.Unmarshal([]byte("{spec: "+spec+"}"), f))
	s.do(func(ctx context.Context) error {
		_, err := s.frameworks.Create(ctx, f, metav1.CreateOptions{})
		return err
	})
}

func (s *story) patch(name, text string) {
	s.t.Helper()
	s.do(func(ctx context.Context) error {
		_, err := s.frameworks.Patch(ctx, name, types.JSONPatchType, []byte(text), metav1.PatchOptions{})
		return err
	})
}

func (s *story) delete(name string) {
	s.t.Helper()
	foreground := metav1.DeletePropagationForeground
	s.do(func(ctx context.Context) error {
		return s.frameworks.Delete(ctx, name, metav1.DeleteOptions{PropagationPolicy: &foreground})
	})
}

// exit ends the Pod of the Framework's first Task.
func (s *story) exit(name string, code int) {
	s.t.Helper()
	text := fmt.Sprintf(`{"metadata":{"annotations":{"simulate.frameworkcontroller.io/run-for":"0s","simulate.frameworkcontroller.io/exit-code":"%d"}}}`, code)
	s.do(func(ctx context.Context) error {
		_, err := core.CoreV1().Pods(s.namespace).Patch(ctx, v1.PodName(name, "a", 0), types.MergePatchType, []byte(text), metav1.PatchOptions{})
		return err
	})
}

// get returns the Framework, or nil.
func (s *story) get(ctx context.Context, name string) (*v1.Framework, error) {
	f, err := s.frameworks.Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return f, err
}

// await waits until each Framework meets its condition.
func (s *story) await(within time.Duration, is map[string]func(*v1.Framework) bool) {
	s.t.Helper()
	clustertest.Eventually(s.t, within, func(ctx context.Context) (all error) {
		for name, is := range is {
			f, err := s.get(ctx, name)
			if err == nil && !is(f) {
				err = fmt.Errorf("%s is not as it should be: %s", name, brief(f))
			}
			all = errors.Join(all, err)
		}
		return all
	})
}

// manyVersions moves the storage far from the backup, so that later versions are not soon reached again.
func (s *story) manyVersions() {
	s.t.Helper()
	counter := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "counter"}, Data: map[string]string{}}
	counter, err := core.CoreV1().ConfigMaps(s.namespace).Create(s.t.Context(), counter, metav1.CreateOptions{})
	require.NoError(s.t, err)
	for i := range 1000 {
		counter.Data = map[string]string{"count": fmt.Sprint(i)}
		counter, err = core.CoreV1().ConfigMaps(s.namespace).Update(s.t.Context(), counter, metav1.UpdateOptions{})
		require.NoError(s.t, err)
	}
}

// brief renders a Framework, for finding out why it hangs.
func brief(f *v1.Framework) string {
	if f == nil {
		return "there is none"
	}
	if f.Status == nil {
		return "no status"
	}
	text := fmt.Sprintf("%s, attempt %d, %s", f.Status.State, f.Status.AttemptStatus.ID, retries(f.Status.RetryPolicyStatus))
	for _, task := range tasks(f) {
		text += fmt.Sprintf("; Task %d %s, attempt %d, %s", task.Index, task.State, task.AttemptStatus.ID, retries(task.RetryPolicyStatus))
	}
	return text
}

func retries(r v1.RetryPolicyStatus) string { return fmt.Sprint(r.TotalRetriedCount, " retries") }

// tasks returns the Tasks of the only role.
func tasks(f *v1.Framework) []v1.TaskStatus {
	if roles := f.Status.AttemptStatus.TaskRoleStatuses; len(roles) == 1 {
		return roles[0].TaskStatuses
	}
	return nil
}

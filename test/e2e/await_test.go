package e2e

import (
	"context"
	"fmt"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

// kind is a kind of objects that stories wait for.
type kind[T runtime.Object] struct {
	resource string
	client   func() rest.Interface
}

var (
	theFrameworks   = kind[*v1.Framework]{v1.FrameworkPlural, func() rest.Interface { return frameworks.FrameworkControllerV1().RESTClient() }}
	thePods         = kind[*corev1.Pod]{"pods", coreClient}
	theConfigMaps   = kind[*corev1.ConfigMap]{"configmaps", coreClient}
	serviceAccounts = kind[*corev1.ServiceAccount]{"serviceaccounts", coreClient}
	resourceQuotas  = kind[*corev1.ResourceQuota]{"resourcequotas", coreClient}
)

func coreClient() rest.Interface { return core.CoreV1().RESTClient() }

// until returns the object of that name once it is as wanted. It sees every state of the object from now on.
func until[T runtime.Object](s *story, k kind[T], name, wanted string, is func(T) bool) T {
	s.t.Helper()
	ctx, cancel := s.patient()
	defer cancel()
	var last T
	err := follow(ctx, s.listWatch(k.client(), k.resource, name), func(o T, there bool) bool {
		if there {
			last = o
		}
		return there && is(o)
	})
	if err != nil {
		s.t.Fatalf("%s %s is not %s: %v\n%s", k.resource, name, wanted, err, text(last))
	}
	return last
}

// untilGone returns once there is no object of that name.
func untilGone[T runtime.Object](s *story, k kind[T], name string) {
	s.t.Helper()
	ctx, cancel := s.patient()
	defer cancel()
	err := follow(ctx, s.listWatch(k.client(), k.resource, name), func(_ T, there bool) bool { return !there })
	if err != nil {
		s.t.Fatalf("%s %s is not gone: %v", k.resource, name, err)
	}
}

// follow calls enough for the object that lw selects, in its current version and after each change, until that returns true. An informer
// would not do: beside much other work it takes seconds to start, and changes meanwhile are missed.
func follow[T runtime.Object](ctx context.Context, lw *cache.ListWatch, enough func(o T, there bool) bool) error {
	var list runtime.Object
	err := clustertest.Poll(ctx, func(ctx context.Context) (err error) {
		list, err = lw.ListWithContext(ctx, metav1.ListOptions{})
		return err
	})
	if err != nil {
		return err
	}
	now, err := meta.ExtractList(list)
	if err != nil {
		return err
	}
	var none T
	if len(now) == 0 && enough(none, false) || len(now) == 1 && enough(now[0].(T), true) {
		return nil
	}
	_, err = watchtools.Until(ctx, list.(metav1.ListInterface).GetResourceVersion(), lw, func(e watch.Event) (bool, error) {
		o, ok := e.Object.(T)
		if !ok {
			return false, apierrors.FromObject(e.Object)
		}
		return enough(o, e.Type != watch.Deleted), nil
	})
	return err
}

func (s *story) listWatch(client rest.Interface, resource, name string) *cache.ListWatch {
	return cache.NewListWatchFromClient(client, resource, s.namespace, fields.OneTermEqualSelector("metadata.name", name))
}

// patient returns a context for waiting: it ends after a while, and at once if the controller has crashed.
func (s *story) patient() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	ctx, fail := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-controller.fault:
			fail(fmt.Errorf("the controller has ended: %w", controller.run.Err()))
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// eventually repeats a check, which needs more than one object, until it has no complaint.
func (s *story) eventually(check func(ctx context.Context) error) {
	s.t.Helper()
	ctx, cancel := s.patient()
	defer cancel()
	require.NoError(s.t, clustertest.Poll(ctx, check))
}

// await returns the Framework once its status is as wanted.
func (s *story) await(name, wanted string, is func(*v1.FrameworkStatus) bool) *v1.Framework {
	s.t.Helper()
	return until(s, theFrameworks, name, wanted, func(f *v1.Framework) bool { return f.Status != nil && is(f.Status) })
}

// awaitState returns the Framework once it is in that state, in that attempt.
func (s *story) awaitState(name string, state v1.State, attempt int32) *v1.Framework {
	s.t.Helper()
	return s.await(name, fmt.Sprintf("%s in attempt %d", state, attempt), func(f *v1.FrameworkStatus) bool {
		return f.State == state && f.AttemptStatus.ID == attempt
	})
}

// awaitAllRunning returns the Framework once it has that number of Tasks, all of which run, and none that is being removed.
func (s *story) awaitAllRunning(name string, tasks int32) *v1.Framework {
	s.t.Helper()
	return s.await(name, fmt.Sprintf("running with %d Tasks", tasks), func(f *v1.FrameworkStatus) bool {
		return f.State == v1.AttemptRunning && f.Tasks.Running == tasks && countTasks(f) == tasks
	})
}

func countTasks(f *v1.FrameworkStatus) int32 {
	sum := 0
	for _, role := range f.AttemptStatus.TaskRoleStatuses {
		sum += len(role.TaskStatuses)
	}
	return int32(sum)
}

// awaitCondition returns the condition once it has that status and reason; an empty reason matches any.
func (s *story) awaitCondition(name, condition string, status metav1.ConditionStatus, reason string) metav1.Condition {
	s.t.Helper()
	var found metav1.Condition
	s.await(name, fmt.Sprintf("%s=%s for %q", condition, status, reason), func(f *v1.FrameworkStatus) bool {
		for _, found = range f.Conditions {
			if found.Type == condition && found.Status == status && (reason == "" || found.Reason == reason) {
				return true
			}
		}
		return false
	})
	return found
}

// eventuallyStatus is await for statuses that need not fit our types.
func (s *story) eventuallyStatus(name, wanted string, is func(fieldsOf) bool) {
	s.t.Helper()
	s.eventually(func(ctx context.Context) error {
		f, err := s.raw.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if status := fieldsOf(f.Object).at("status"); !is(status) {
			return fmt.Errorf("framework %s is not %s: %v", name, wanted, status)
		}
		return nil
	})
}

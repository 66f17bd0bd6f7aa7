package portal

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/client/informers/externalversions"
)

// Watch calls changed with each job of the namespace, as it is and whenever its view changes, and gone when its Framework is no longer
// there. It returns when ctx is done. The informer repeats a list or a watch that fails, and logs why. Changes in quick succession,
// or while there is no connection, may come as one.
func (p *Portal) Watch(ctx context.Context, changed func(View), gone func(name string)) error {
	factory := externalversions.NewSharedInformerFactoryWithOptions(p.clientset, 0,
		externalversions.WithNamespace(p.namespace),
		externalversions.WithTweakListOptions(func(o *metav1.ListOptions) { o.LabelSelector = OwnerLabel }),
		externalversions.WithTransform(slim))
	informer := factory.FrameworkController().V1().Frameworks().Informer()
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(added any) { changed(ViewOf(added.(*v1.Framework))) },
		UpdateFunc: func(before, after any) {
			if v := ViewOf(after.(*v1.Framework)); !v.equal(ViewOf(before.(*v1.Framework))) {
				changed(v)
			}
		},
		DeleteFunc: func(last any) {
			if key, err := cache.DeletionHandlingObjectToName(last); err == nil {
				gone(key.Name)
			}
		},
	})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	<-ctx.Done()
	factory.Shutdown()
	return nil
}

// slim drops what views do not need before it is kept: Tasks, Pod templates, the answers of plugins, managed fields. Large statuses
// are most of the memory of a cache.
func slim(object any) (any, error) {
	f, ok := object.(*v1.Framework)
	if !ok {
		return object, nil
	}
	f.ManagedFields = nil
	for i := range f.Spec.TaskRoles {
		f.Spec.TaskRoles[i].Task.Pod = nil
	}
	if f.Status != nil {
		attempt := &f.Status.AttemptStatus
		attempt.TaskRoleStatuses, attempt.TaskRoleStatusesCompressed, attempt.SchedulerHints = nil, nil, nil
	}
	return f, nil
}

func (v View) equal(other View) bool {
	if (v.Code == nil) != (other.Code == nil) || v.Code != nil && *v.Code != *other.Code {
		return false
	}
	v.Code, other.Code = nil, nil
	return v == other
}

package kubectl

import (
	"context"
	"encoding/json"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// lookAgain is how long it takes until a watch that has ended is begun again.
const lookAgain = time.Second

// follow calls visit with the Framework as it is, and again each time that it has changed, until visit is done or fails. The Framework
// is nil if it is gone. Once the API server has answered, follow waits for it while it is away.
//
// RetryWatcher and UntilWithSync of client-go/tools/watch do not serve here. The former gives up when the version has expired, so the
// Framework would have to be read again all the same, and it logs each failed try to the terminal; the latter needs the permission to
// list, and tries again where the first answer is that the Framework does not exist or may not be read.
func (k *cluster) follow(ctx context.Context, name string, visit func(*stored) (done bool, err error)) error {
	first := true
	for {
		s, err := k.get(ctx, name)
		switch {
		case apierrors.IsNotFound(err) && !first:
			s, err = nil, nil
		case err != nil && first:
			return err
		}
		if err == nil {
			first = false
			if done, err := visit(s); done || err != nil {
				return err
			}
			if s != nil {
				if done, err := k.visitChanges(ctx, s, visit); done || err != nil {
					return err
				}
			}
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(lookAgain):
		}
	}
}

// visitChanges watches until visit is done, or the watch ends.
func (k *cluster) visitChanges(ctx context.Context, s *stored, visit func(*stored) (bool, error)) (done bool, err error) {
	w, err := k.objects.Namespace(s.Namespace).Watch(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("metadata.name", s.Name).String(), ResourceVersion: s.ResourceVersion})
	if err != nil {
		return false, nil // it is begun again
	}
	defer w.Stop()
	for {
		select {
		case <-ctx.Done():
			return false, context.Cause(ctx)
		case e, ok := <-w.ResultChan():
			if !ok || e.Type == watch.Error {
				return false, nil
			}
			if done, err := visitEvent(e, visit); done || err != nil {
				return done, err
			}
		}
	}
}

func visitEvent(e watch.Event, visit func(*stored) (bool, error)) (done bool, err error) {
	if e.Type == watch.Deleted {
		return visit(nil)
	}
	raw, err := json.Marshal(e.Object)
	if err != nil {
		return false, err
	}
	s, err := parse(raw)
	if err != nil || s.Kind != v1.FrameworkKind {
		return false, err
	}
	if s.broken != nil {
		return false, coded{s.broken, exitBroken}
	}
	return visit(s)
}

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"gopkg.in/yaml.v3"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/checker"
)

// namespace that everything happens in.
const namespace = "default"

// users create and change the Frameworks. They reach the API server directly, and try again until they succeed.
type users struct {
	frameworks dynamic.ResourceInterface
	core       kubernetes.Interface
}

// play carries out the plans of all users, and returns when they are done. Only the end of ctx stops them earlier.
func (u *users) play(ctx context.Context, plans []plan) error {
	return each(plans, func(p plan) error { return u.live(ctx, p) })
}

func (u *users) live(ctx context.Context, p plan) error {
	if err := pause(ctx, p.begin); err != nil {
		return err
	}
	if p.squatted > 0 {
		if err := u.squat(ctx, p.name); err != nil {
			return err
		}
	}
	if p.left == nil {
		if err := u.create(ctx, p); err != nil {
			return err
		}
	}
	if p.squatted > 0 {
		if err := pause(ctx, p.squatted); err != nil {
			return err
		}
		if err := u.leave(ctx, p.name); err != nil {
			return err
		}
	}
	for _, s := range p.steps {
		if err := pause(ctx, s.after); err != nil {
			return err
		}
		if s.begun {
			if err := u.awaitItems(ctx, p.name); err != nil {
				return err
			}
		}
		if err := u.do(ctx, p, s); err != nil {
			return err
		}
	}
	return nil
}

// awaitItems returns when an attempt of the Framework has begun with its items.
func (u *users) awaitItems(ctx context.Context, name string) error {
	return insist(ctx, func() error {
		o, err := u.frameworks.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		f, err := checker.DecodeFramework(o)
		if err != nil {
			return err
		}
		if !begunWithItems(f.Status) {
			return fmt.Errorf("%s has not begun with its items", name)
		}
		return nil
	})
}

func begunWithItems(status *v1.FrameworkStatus) bool {
	if status == nil || status.State == v1.AttemptCreationPending {
		return false
	}
	return slices.ContainsFunc(status.AttemptStatus.TaskRoleStatuses, func(role v1.TaskRoleStatus) bool { return role.Items != nil })
}

// inherit returns when the leftovers of the original exist.
func (u *users) inherit(ctx context.Context, plans []plan) error {
	return each(plans, func(p plan) error {
		if p.left == nil {
			return nil
		}
		return u.layOut(ctx, p)
	})
}

// each does it for all plans at once.
func each(plans []plan, do func(plan) error) error {
	var all sync.WaitGroup
	errs := make(chan error, len(plans))
	for _, p := range plans {
		all.Go(func() {
			if err := do(p); err != nil {
				errs <- fmt.Errorf("the user of %s: %w", p.name, err)
			}
		})
	}
	all.Wait()
	close(errs)
	return <-errs
}

func (u *users) create(ctx context.Context, p plan) error {
	o := &unstructured.Unstructured{}
	text := fmt.Sprintf("{apiVersion: %s, kind: %s, metadata: {name: %s}, spec: %s}", v1.SchemeGroupVersion, v1.FrameworkKind, p.name, p.spec)
	if err := json.Unmarshal([]byte(mustJSON(text)), &o.Object); err != nil {
		return err
	}
	return insist(ctx, func() error {
		_, err := u.frameworks.Create(ctx, o, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			return nil // the answer to an earlier try was lost
		}
		return err
	})
}

func (u *users) do(ctx context.Context, p plan, s step) error {
	if s.list != "" {
		return u.writeList(ctx, p.name, s.list)
	}
	if s.patch != "" {
		return insist(ctx, func() error {
			_, err := u.frameworks.Patch(ctx, p.name, types.MergePatchType, []byte(s.patch), metav1.PatchOptions{})
			return err
		})
	}
	if err := u.delete(ctx, p.name); err != nil || !s.again {
		return err
	}
	return u.create(ctx, p)
}

// listName is the name of the ConfigMap with the items of a Framework, and listKey their key in it.
func listName(framework string) string { return framework + "-items" }

const listKey = "list"

func (u *users) writeList(ctx context.Context, framework, list string) error {
	o := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: listName(framework)}, Data: map[string]string{listKey: list}}
	configMaps := u.core.CoreV1().ConfigMaps(namespace)
	return insist(ctx, func() error {
		_, err := configMaps.Update(ctx, o, metav1.UpdateOptions{})
		if apierrors.IsNotFound(err) {
			_, err = configMaps.Create(ctx, o, metav1.CreateOptions{})
		}
		return err
	})
}

// inForeground is how Frameworks are deleted here. G2 to G4 hold only for this mode (contract 11, preconditions): in the background a
// Framework disappears at once, and a request under way may still create a Pod.
var inForeground = metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationForeground)}

// delete returns when the Framework has gone.
func (u *users) delete(ctx context.Context, name string) error {
	return insist(ctx, func() error {
		err := u.frameworks.Delete(ctx, name, inForeground)
		if err == nil {
			return fmt.Errorf("%s is still there", name)
		}
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	})
}

// squat takes the names that the Framework's ConfigMap and first Pod will have.
func (u *users) squat(ctx context.Context, name string) error {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: v1.PodName(name, "a", 0)},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "app"}}}}
	configMap := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: v1.ConfigMapName(name)}}
	err := insist(ctx, func() error {
		_, err := u.core.CoreV1().Pods(namespace).Create(ctx, pod, metav1.CreateOptions{})
		return ignoring(err, apierrors.IsAlreadyExists)
	})
	if err != nil {
		return err
	}
	return insist(ctx, func() error {
		_, err := u.core.CoreV1().ConfigMaps(namespace).Create(ctx, configMap, metav1.CreateOptions{})
		return ignoring(err, apierrors.IsAlreadyExists)
	})
}

// leave frees these names: the ConfigMap's first, so that the Pod's is waited for, too.
func (u *users) leave(ctx context.Context, name string) error {
	err := insist(ctx, func() error {
		return ignoring(u.core.CoreV1().ConfigMaps(namespace).Delete(ctx, v1.ConfigMapName(name), metav1.DeleteOptions{}), apierrors.IsNotFound)
	})
	if err != nil {
		return err
	}
	if err := pause(ctx, time.Second); err != nil {
		return err
	}
	background := metav1.DeletePropagationBackground // as kubectl does; the cluster's guard requires it for a Pod without a node
	return insist(ctx, func() error {
		return ignoring(u.core.CoreV1().Pods(namespace).Delete(ctx, v1.PodName(name, "a", 0),
			metav1.DeleteOptions{PropagationPolicy: &background}), apierrors.IsNotFound)
	})
}

func ignoring(err error, is func(error) bool) error {
	if is(err) {
		return nil
	}
	return err
}

// insist tries until it succeeds, or ctx ends. A request that the API server finds invalid is not repeated.
func insist(ctx context.Context, try func() error) error {
	for {
		err := try()
		if err == nil || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) {
			return err
		}
		if pause(ctx, 200*time.Millisecond) != nil {
			return err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// mustJSON turns YAML of our own into JSON.
func mustJSON(text string) string {
	var value any
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		panic(fmt.Sprintf("%v in %s", err, text))
	}
	out, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("%v in %s", err, text))
	}
	return string(out)
}

package main

import (
	"context"
	"fmt"
	"io"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// least runs the Pods of a work by the requests that every controller has to make, since it stores before it acts (contract 2.11): it reads
// each Framework, stores a status, creates the ConfigMap, stores its UID and creates the Pods. The fact that they run may be stored
// afterwards. Nothing is decided, and the events of the watches are discarded. So this shows how near to the floor a controller can come;
// the end of life is not measured.
func (b *bench) least(ctx context.Context, w work) (r sample, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l, err := b.newLeast(w)
	if err != nil {
		return r, err
	}
	if err := l.watch(ctx); err != nil {
		return r, err
	}
	if err := settle(ctx, b.cluster); err != nil {
		return r, err
	}
	before, err := b.look(ctx, nil)
	if err != nil {
		return r, err
	}
	return r, inOrder(
		func() error { return b.toRunning(ctx, w, &r, l.run) },
		func() error { return b.countToRun(ctx, nil, before, &r) },
		func() error { return b.count(ctx, nil, before, &r) },
		func() error { return l.clear(ctx) },
	)
}

// leastRun is one run of a work by the least requests.
type leastRun struct {
	*bench
	work       work
	specs      []*v1.Framework
	frameworks *frameworks
	core       rest.Interface
	builder    *objects.PodBuilder

	mu     sync.Mutex
	bodies [][]byte // bodies of the Pods to create
}

func (b *bench) newLeast(w work) (*leastRun, error) {
	if b.runningStatus == nil {
		return nil, fmt.Errorf("%s: there is no status yet to store", w)
	}
	frameworks, err := newFrameworks(b.cluster.Config)
	if err != nil {
		return nil, err
	}
	core, err := kubernetes.NewForConfig(ownConnection(b.cluster.Config))
	if err != nil {
		return nil, err
	}
	l := &leastRun{bench: b, work: w, frameworks: frameworks, core: core.CoreV1().RESTClient(), builder: objects.NewPodBuilder(role, []byte(template))}
	for i := range w.frameworks {
		l.specs = append(l.specs, framework(fmt.Sprintf("least%d", i), w.tasks))
	}
	return l, nil
}

// watch follows the objects that a controller has to follow, until ctx ends.
func (l *leastRun) watch(ctx context.Context) error {
	const inFull = "application/vnd.kubernetes.protobuf;stream=watch"
	const metadata = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1;stream=watch"
	labelled := func(resource string) *rest.Request {
		return l.core.Get().Resource(resource).Param("labelSelector", v1.KeyFrameworkName).SetHeader("Accept", inFull)
	}
	frameworks := l.frameworks.client.FrameworkControllerV1().RESTClient().Get().Resource(v1.FrameworkPlural).SetHeader("Accept", metadata)
	return inOrder(
		func() error { return drain(ctx, frameworks) },
		func() error { return drain(ctx, labelled("configmaps")) },
		func() error { return drain(ctx, labelled("pods")) },
	)
}

// drain begins a watch, and throws its events away until ctx ends.
func drain(ctx context.Context, request *rest.Request) error {
	events, err := request.Param("watch", "true").Stream(ctx)
	if err != nil {
		return err
	}
	go func() {
		defer events.Close()
		_, _ = io.Copy(io.Discard, events)
	}()
	return nil
}

func (l *leastRun) run(ctx context.Context) error {
	return inOrder(
		func() error { return each(ctx, l.specs, l.prepare) },
		func() error { return each(ctx, l.bodies, l.createPod) },
	)
}

// prepare makes the requests for a Framework that precede its Pods.
func (l *leastRun) prepare(ctx context.Context, spec *v1.Framework) error {
	client := l.frameworks.client.FrameworkControllerV1()
	created, err := client.Frameworks(namespace).Create(ctx, spec, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if err := client.RESTClient().Get().Namespace(namespace).Resource(v1.FrameworkPlural).Name(spec.Name).Do(ctx).Error(); err != nil {
		return err
	}
	version, err := l.store(ctx, created, created.ResourceVersion, 1)
	if err != nil {
		return err
	}
	owner := objects.Owner{Namespace: namespace, Name: spec.Name, UID: created.UID}
	configMap := &corev1.ConfigMap{}
	err = l.core.Post().Namespace(namespace).Resource("configmaps").Body(objects.ConfigMap(owner, 0)).Do(ctx).Into(configMap)
	if err != nil {
		return err
	}
	if _, err := l.store(ctx, created, version, 2); err != nil {
		return err
	}
	return l.build(objects.Task{Framework: owner, ConfigMapUID: configMap.UID, RoleName: role, RoleUID: fakeUID, UID: fakeUID})
}

// store writes the status of a Framework whose Tasks all run.
func (l *leastRun) store(ctx context.Context, f *v1.Framework, version string, number int) (string, error) {
	return l.frameworks.store(ctx, f, l.runningStatus, version, number)
}

// build makes the Pods of a Framework, to be created when all Frameworks are prepared.
func (l *leastRun) build(task objects.Task) error {
	var bodies [][]byte
	for i := range l.work.tasks {
		task.Index = int32(i)
		body, err := l.builder.Build(task)
		if err != nil {
			return err
		}
		bodies = append(bodies, body)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bodies = append(l.bodies, bodies...)
	return nil
}

func (l *leastRun) createPod(ctx context.Context, body []byte) error {
	return l.core.Post().Namespace(namespace).Resource("pods").Param("fieldValidation", metav1.FieldValidationWarn).
		SetHeader("Content-Type", "application/json").Body(body).Do(ctx).Error()
}

// clear deletes everything, and leaves little to the garbage collector: another run uses the same names.
func (l *leastRun) clear(ctx context.Context) error {
	return inOrder(
		func() error { return each(ctx, l.pods.list(), l.bare.delete) },
		func() error { return l.pods.awaitPresent(ctx, 0) },
		func() error { return each(ctx, l.specs, l.deleteConfigMap) },
		func() error { return each(ctx, l.specs, l.frameworks.delete) },
		func() error { return l.frameworks.awaitNone(ctx) },
	)
}

func (l *leastRun) deleteConfigMap(ctx context.Context, f *v1.Framework) error {
	background := metav1.DeletePropagationBackground
	return l.core.Delete().Namespace(namespace).Resource("configmaps").Name(v1.ConfigMapName(f.Name)).
		Body(&metav1.DeleteOptions{PropagationPolicy: &background}).Do(ctx).Error()
}

// keepStatus keeps the status that the product stores for a Framework whose Tasks all run, if that is needed.
func (l life) keepStatus(ctx context.Context) error {
	if !l.work.many() {
		return nil
	}
	stored, err := l.frameworks.client.FrameworkControllerV1().Frameworks(namespace).Get(ctx, l.work.specs()[0].Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	l.runningStatus = stored.Status
	return nil
}

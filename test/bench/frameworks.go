package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned"
)

// frameworks are all Frameworks of the namespace.
type frameworks struct {
	client versioned.Interface
}

func newFrameworks(c *rest.Config) (*frameworks, error) {
	client, err := versioned.NewForConfig(ownConnection(c))
	if err != nil {
		return nil, err
	}
	return &frameworks{client}, nil
}

func (f *frameworks) create(ctx context.Context, framework *v1.Framework) error {
	_, err := f.client.FrameworkControllerV1().Frameworks(namespace).Create(ctx, framework, metav1.CreateOptions{})
	return err
}

// store writes that status over the version given, and returns the new version. The status differs from one number to the next: a write
// without a change is not stored.
func (f *frameworks) store(ctx context.Context, framework *v1.Framework, status *v1.FrameworkStatus, version string, number int) (string, error) {
	status = status.DeepCopy()
	status.TransitionTime = metav1.NewTime(status.TransitionTime.Add(time.Duration(number) * time.Second))
	body, err := json.Marshal(map[string]any{
		"apiVersion": v1.SchemeGroupVersion.String(),
		"kind":       v1.FrameworkKind,
		"metadata":   map[string]any{"namespace": namespace, "name": framework.Name, "uid": framework.UID, "resourceVersion": version},
		"status":     status,
	})
	if err != nil {
		return "", err
	}
	answer, err := f.client.FrameworkControllerV1().RESTClient().Put().
		Namespace(namespace).Resource(v1.FrameworkPlural).Name(framework.Name).SubResource("status").
		SetHeader("Accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1").
		Param("fieldValidation", metav1.FieldValidationIgnore).Body(body).Do(ctx).Raw()
	if err != nil {
		return "", err
	}
	stored := metav1.PartialObjectMetadata{}
	err = json.Unmarshal(answer, &stored)
	return stored.ResourceVersion, err
}

// delete lets the garbage collector delete the Framework after its objects. So once the first is gone, it follows Frameworks, which it
// discovers within half a minute; until then it asks for the owner of every ConfigMap.
func (f *frameworks) delete(ctx context.Context, framework *v1.Framework) error {
	foreground := metav1.DeletePropagationForeground
	return f.client.FrameworkControllerV1().Frameworks(namespace).Delete(ctx, framework.Name, metav1.DeleteOptions{PropagationPolicy: &foreground})
}

// awaitNone returns once no Framework is left.
func (f *frameworks) awaitNone(ctx context.Context) error {
	var last error
	err := wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		some, err := f.client.FrameworkControllerV1().Frameworks(namespace).List(ctx, metav1.ListOptions{Limit: 1})
		last = err
		return err == nil && len(some.Items) == 0, nil
	})
	if err != nil {
		return fmt.Errorf("waiting for the Frameworks to go: %w", errors.Join(context.Cause(ctx), last))
	}
	return nil
}

func (f *frameworks) awaitRunning(ctx context.Context, w work) error {
	return f.awaitAll(ctx, w, fmt.Sprintf("%s Tasks to be counted as running", w), func(row frameworkRow) bool { return row.running == w.tasks })
}

func (f *frameworks) awaitCompleted(ctx context.Context, w work) error {
	return f.awaitAll(ctx, w, "every Framework to be completed", func(row frameworkRow) bool { return row.state == string(v1.Completed) })
}

// awaitAll watches Frameworks, but only from now on: earlier measurements should not be slowed down by another watch. The watch is among
// the counted requests.
func (f *frameworks) awaitAll(ctx context.Context, w work, what string, wanted func(frameworkRow) bool) error {
	watching, stop := context.WithCancel(ctx)
	defer stop()
	t := &table{client: f.client, board: newBoard(frameworkRows{})}
	go t.watch(watching)
	return t.board.await(ctx, what, func(rows frameworkRows) bool {
		for _, row := range rows {
			if !wanted(row) {
				return false
			}
		}
		return len(rows) == w.frameworks
	})
}

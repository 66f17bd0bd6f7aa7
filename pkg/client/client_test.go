package client

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	applyv1 "github.com/frameworkcontroller/frameworkcontroller/pkg/client/applyconfiguration/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned/fake"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/client/informers/externalversions"
)

// The generated parts fit together: an object that the client writes arrives in the informer's lister.
func TestFakeClientFeedsTheLister(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	clientset := fake.NewClientset()
	factory := externalversions.NewSharedInformerFactory(clientset, 0)
	informer := factory.FrameworkController().V1().Frameworks()
	informer.Informer()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())

	frameworks := clientset.FrameworkControllerV1().Frameworks("default")
	f := &v1.Framework{ObjectMeta: metav1.ObjectMeta{Name: "demo", Namespace: "default"}}
	f.Spec.TaskRoles = []v1.TaskRoleSpec{{Name: "worker", Task: v1.TaskSpec{Pod: v1.PodTemplate(`{"spec":{}}`)}}}
	f, err := frameworks.Create(ctx, f, metav1.CreateOptions{})
	require.NoError(t, err)
	f.Status = &v1.FrameworkStatus{State: v1.AttemptRunning}
	if _, err := frameworks.UpdateStatus(ctx, f, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	for {
		cached, err := informer.Lister().Frameworks("default").Get("demo")
		if err == nil && cached.Status != nil && cached.Status.State == v1.AttemptRunning {
			break
		}
		if err != nil && !errors.IsNotFound(err) || ctx.Err() != nil {
			t.Fatalf("got %v, %v", cached, err)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestFakeClientApplies(t *testing.T) {
	frameworks := fake.NewClientset().FrameworkControllerV1().Frameworks("default")
	config := applyv1.Framework("demo", "default").WithSpec(applyv1.FrameworkSpec().
		WithTaskRoles(applyv1.TaskRoleSpec().WithName("worker").WithTaskNumber(2).
			WithTask(applyv1.TaskSpec().WithPod(v1.PodTemplate(`{"spec":{"newField":null}}`)))))
	f, err := frameworks.Apply(t.Context(), config, metav1.ApplyOptions{FieldManager: "test"})
	require.NoError(t, err)
	role := f.Spec.TaskRoles[0]
	if role.TaskNumber != 2 || string(role.Task.Pod) != `{"spec":{"newField":null}}` {
		t.Errorf("got %v", role)
	}
}

package client_test

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	applyv1 "github.com/frameworkcontroller/frameworkcontroller/pkg/client/applyconfiguration/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned/fake"
)

// A program starts a Framework and reads it. On a cluster, the client set is versioned.NewForConfig(config). Applying is safe to repeat,
// and fields that are left out get the documented defaults.
func Example() {
	frameworks := fake.NewClientset().FrameworkControllerV1().Frameworks("default")
	pod := v1.PodTemplate(`{"spec":{"restartPolicy":"Never","containers":[{"name":"main","image":"busybox:1.37","command":["true"]}]}}`)
	config := applyv1.Framework("train", "default").WithSpec(applyv1.FrameworkSpec().
		WithTaskRoles(applyv1.TaskRoleSpec().WithName("worker").WithTaskNumber(4).WithTask(applyv1.TaskSpec().WithPod(pod))))

	ctx := context.Background()
	if _, err := frameworks.Apply(ctx, config, metav1.ApplyOptions{FieldManager: "my-platform"}); err != nil {
		fmt.Println(err)
		return
	}
	f, err := frameworks.Get(ctx, "train", metav1.GetOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Name, f.Spec.TaskRoles[0].TaskNumber)
	// Output: train 4
}

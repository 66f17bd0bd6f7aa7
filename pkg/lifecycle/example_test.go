package lifecycle_test

import (
	"fmt"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// The first rounds of a Framework with one Task. Each state has to be stored before its actions are performed; here nothing is
// performed, so the action is requested again.
func ExampleStep() {
	in := lifecycle.Input{
		Framework: lifecycle.Framework{Name: "train", UID: "uid-1", Generation: 1, Spec: &v1.FrameworkSpec{
			ExecutionType: v1.ExecutionStart,
			TaskRoles:     []v1.TaskRoleSpec{{Name: "worker", TaskNumber: 1}},
		}},
		Now: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC),
	}
	for range 2 {
		out := lifecycle.Step(in)
		for _, move := range out.Moves {
			fmt.Println("move:", move)
		}
		for _, action := range out.Actions {
			fmt.Println("action:", action)
		}
		fmt.Println("to be stored:", out.State != in.Saved)
		in.Saved = out.State
	}
	// Output:
	// move: framework: none -> CreationPending
	// action: create configmap attempt=0
	// to be stored: true
	// action: create configmap attempt=0
	// to be stored: false
}

package e2e

import (
	"fmt"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Tools that apply a namespace together with its objects do not wait for the objects that Kubernetes puts into each new namespace. Nor do
// they keep to an order among the objects. The Framework runs nevertheless, and has not failed meanwhile.
func TestNewNamespace(t *testing.T) {
	t.Parallel()
	unharmed(t)
	s := newNamespace(t)
	role := `{name: %s, taskNumber: 3, task: {pod: %s}}`
	s.create("new", fmt.Sprintf(`{taskRoles: [`+role+`, `+role+`]}`, "a", pod(), "b", inPod(`serviceAccountName: trainer`)))
	s.awaitState("new", v1.AttemptPreparing, 0)
	s.createServiceAccount("trainer")
	s.awaitAllRunning("new", 6)
}

package controller

import (
	"fmt"
	"strings"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// The Pod of a retry is created to avoid the stored nodes, even by a controller that has just started. The Pod of the first
// attempt avoids none.
func TestRetryIsCreatedToAvoidTheNode(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("a", taskRetries(2), avoidNodes(v1.AvoidRequire))
	w.taskReaches("a", "w", 0, v1.AttemptPreparing)
	w.RunPod("a-w-0")
	w.taskReaches("a", "w", 0, v1.AttemptRunning)
	w.EndPod("a-w-0", 1)
	w.eventually("a second Pod", func() bool { return len(w.Requests("create pods")) == 2 })
	first, second := w.Requests("create pods")[0].Body, w.Requests("create pods")[1].Body
	if spec := first["spec"].(map[string]any); spec["affinity"] != nil {
		t.Errorf("the first Pod has %v", spec["affinity"])
	}
	got := fmt.Sprint(second["spec"].(map[string]any)["affinity"])
	if !strings.Contains(got, "requiredDuringSchedulingIgnoredDuringExecution") || !strings.Contains(got, "key:metadata.name operator:NotIn values:[node]") {
		t.Errorf("the second Pod has %v", got)
	}
	list := decodedStatus(w.Get(apitest.Frameworks, "a")).AvoidedNodes
	if len(list) != 1 || list[0].Name != "node" || list[0].Mode != v1.AvoidRequire || list[0].Code != 1 {
		t.Errorf("the status has %+v", list)
	}
	w.warnedOnce("a", "NodeAvoided")
}

// If configured so, the Pod of a retry avoids the node by its label, and not by its name.
func TestRetryAvoidsTheNodeByItsLabel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.options.AvoidByHostname = true
	w.start()
	w.create("a", taskRetries(2), avoidNodes(v1.AvoidRequire))
	w.taskReaches("a", "w", 0, v1.AttemptPreparing)
	w.RunPod("a-w-0")
	w.taskReaches("a", "w", 0, v1.AttemptRunning)
	w.EndPod("a-w-0", 1)
	w.eventually("a second Pod", func() bool { return len(w.Requests("create pods")) == 2 })
	got := fmt.Sprint(w.Requests("create pods")[1].Body["spec"].(map[string]any)["affinity"])
	if !strings.Contains(got, "key:kubernetes.io/hostname operator:NotIn values:[node]") || strings.Contains(got, "matchFields") {
		t.Errorf("the Pod has %v", got)
	}
}

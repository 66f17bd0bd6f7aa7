package controller

import (
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
)

// The API server returns the keys of hints in another order than the plugin's answer. The status is recognized all the same:
// after an unrelated edit, and after a write whose answer was lost.
func TestStatusWithHintsIsKnownAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.startWith(adviser{plugin.KindSchedulerHints})
	w.running("a")
	before := len(w.Requests("get frameworks"))
	w.Set(apitest.Frameworks, "a", "anything", "metadata", "annotations", "note")
	w.requested("get frameworks", before+1)

	w.Inject(statusWrites, 1, apitest.LoseAnswer)
	w.respec("a", tasks(2))
	w.taskReaches("a", "w", 1, v1.AttemptPreparing)
	w.EndPod("a-w-0", 0)
	w.EndPod("a-w-1", 0)
	w.reaches("a", v1.Completed)
	w.requireNotOverwritten("a")
}

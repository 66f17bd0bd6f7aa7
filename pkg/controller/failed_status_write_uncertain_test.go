package controller

import (
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/podview"
)

// Two writes in a row whose outcome is unknown: the first takes effect late, the second never.
func TestTwoUncertainStatusWrites(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.endsWithLateWrite(apitest.Fault{Drop: true}, func() {})
}

// The second write takes effect although it is declined, as the client has sent it twice. It is not taken for somebody else's
// because the first one is uncertain, too.
func TestDeclinedStatusWriteAfterAnUncertainOne(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("a", tasks(2))
	w.runs("a")
	w.taskReaches("a", "w", 1, v1.AttemptPreparing)
	first, before := make(chan struct{}), len(w.Requests(statusWrites))
	w.Inject(statusWrites, 1, apitest.Fault{Wait: first, Drop: true})
	w.Inject(statusWrites, 1, apitest.Fault{Instead: apitest.Unreachable(1)})
	w.EndPod("a-w-0", 0)
	w.requested(statusWrites, before+1)
	w.EndPod("a-w-1", 0) // so that the second write is another one
	w.eventually("its end is seen", func() bool {
		p := w.c.watches.cachedPod(apitest.Namespace, "a-w-1")
		return p == nil || podview.Ended(p.Status.Phase)
	})
	close(first)
	w.reaches("a", v1.Completed)
	w.requireNotOverwritten("a")
}

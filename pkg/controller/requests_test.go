package controller

import (
	"net/http"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// lacking is the answer of an API server that does not have what a Pod names.
func lacking(why string) apitest.Fault {
	return apitest.Refuse(http.StatusForbidden, metav1.StatusReasonForbidden, `pods "a-w-0" is forbidden: `+why)
}

const (
	noServiceAccount = `error looking up service account default/default: serviceaccount "default" not found`
	noPriorityClass  = "no PriorityClass with name p was found"
)

// In a namespace that was made a moment ago there is no ServiceAccount yet. Pods wait for it, however long it takes.
func TestMissingServiceAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	undo := w.Inject("create pods", apitest.Always, lacking(noServiceAccount))
	w.start()
	w.create("a", tasks(2))
	w.conditionBecomes("a", v1.ConditionWaiting, "True because ServiceAccountNotFound")
	w.warnedOnce("a", "ServiceAccountNotFound")
	w.stop()
	w.startAt(10 * completion.ClassPatience)
	w.requested("create pods", len(w.Requests("create pods"))+2)
	undo()
	w.runs("a")
}

// A PriorityClass is waited for as long as it may be applied together with the Framework.
func TestMissingPriorityClass(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	undo := w.Inject("create pods a-w-0", apitest.Always, lacking(noPriorityClass))
	w.start()
	w.create("a")
	w.conditionBecomes("a", v1.ConditionWaiting, "True because PriorityClassNotFound")
	undo()
	w.runs("a")
	w.conditionBecomes("a", v1.ConditionWaiting, "False because NothingInTheWay")
}

// After that time its name is a mistake, and a restart does not begin the wait anew.
func TestPriorityClassThatStaysMissing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Inject("create pods", apitest.Always, lacking(noPriorityClass))
	w.start()
	w.create("a")
	w.conditionBecomes("a", v1.ConditionWaiting, "True because PriorityClassNotFound")
	w.stop()
	w.startAt(completion.ClassPatience)
	w.reaches("a", v1.Completed)
	w.requireTaskCode("a", -310)
	w.warnedOnce("a", "PodRefused")
}

package controller

import (
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// lacking is the answer of an API server without an object that the Pod names.
func lacking(why string) apitest.Fault {
	return apitest.Refuse(http.StatusForbidden, metav1.StatusReasonForbidden, `pods "a-w-0" is forbidden: `+why)
}

const (
	noServiceAccount = `error looking up service account default/default: serviceaccount "default" not found`
	noPriorityClass  = "no PriorityClass with name p was found"
)

// A new namespace has no ServiceAccount yet. Pods wait for it, however long it takes.
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

// After that time the name counts as a mistake, and a restart does not begin the wait again.
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

// A Pod too large for the API server fails like a refused one, without being created; users are notified once, with its size.
func TestPodThatWouldBeTooLarge(t *testing.T) {
	t.Parallel()
	empty := func(n int) string { return `{"spec": {"containers": [{}` + strings.Repeat(",{}", n-1) + `]}}` }
	for name, test := range map[string]struct{ template, says string }{
		"by its containers": {empty(100_000), "it has 100000 containers, and each gets the variables of its Task"},
		"by its variables":  {empty(objects.MaxContainers), "but the API server accepts at most 3145728"},
		"by an exponent":    {`{"spec": {"containers": [{"name": "m", "resources": {"limits": {"cpu": "1e-2000000000"}}}]}}`, "exponent of -2000000000; it must be between -30 and 30"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := startWorld(t)
			w.create("a", tasks(3), template(test.template), func(s *v1.FrameworkSpec) { s.TaskRoles[0].FrameworkAttemptCompletionPolicy.MinFailedTaskCount = 3 })
			w.reaches("a", v1.Completed)
			for i := range 3 {
				if s := w.task("a", "w", i).AttemptStatus.CompletionStatus; s.Code != -200 || !strings.Contains(s.Diagnostics, test.says) {
					t.Errorf("Task %d: code %d, %s", i, s.Code, s.Diagnostics)
				}
			}
			w.requireRequests("create "+apitest.Pods, 0)
			w.warnedOnce("a", "PodRefused")
		})
	}
}

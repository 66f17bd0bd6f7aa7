package controller

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// waiting returns the stored condition Waiting; its zero value if there is none.
func (w *world) waiting(framework string) metav1.Condition {
	if c := meta.FindStatusCondition(w.status(framework).Conditions, v1.ConditionWaiting); c != nil {
		return *c
	}
	return metav1.Condition{}
}

// forbidPods has no Pod created, with words that are made anew for each try.
func (w *world) forbidPods(words func(try int64) string) {
	var tries atomic.Int64
	w.Judge(func(q apitest.Request) apitest.Fault {
		if q.Verb != "create" || q.Resource != apitest.Pods {
			return apitest.Fault{}
		}
		return apitest.Refuse(403, metav1.StatusReasonForbidden, words(tries.Add(1)))
	})
}

// A quota that is used more and less costs no status write. What it says of a changed spec is told, and so is another one
// that is in the way.
func TestQuotaInOtherWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var quota atomic.Value
	quota.Store("team")
	w.forbidPods(func(try int64) string {
		return fmt.Sprintf("exceeded quota: %s, requested: cpu=1, used: cpu=%d, limited: cpu=9", quota.Load(), try)
	})
	w.start()
	w.create("a")
	w.conditionBecomes("a", v1.ConditionWaiting, "True because Forbidden")
	writes := len(w.Requests(statusWrites))
	w.requested("create pods", 4)
	if n := len(w.Requests(statusWrites)); n != writes {
		t.Errorf("%d status writes for the same", n-writes)
	}
	before := w.waiting("a").Message
	w.respec("a", taskRetries(1))
	w.eventually("what is asked for now is told", func() bool { return w.waiting("a").Message != before })
	quota.Store("guests")
	w.eventually("the other quota is told", func() bool {
		return strings.HasPrefix(w.waiting("a").Message, "creating Pod a-w-0: exceeded quota: guests, ")
	})
}

// A Framework whose time is over, and that cannot be deleted, says so, in one status write. A quota that its Tasks have
// waited for is not in its way any more.
func TestDeletionOfTheFrameworkIsRefused(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.Inject("create pods a-q-0", apitest.Always, apitest.Quota())
	var keep atomic.Bool
	keep.Store(true)
	w.Judge(func(q apitest.Request) apitest.Fault {
		if q.Verb != "delete" || q.Resource != apitest.Frameworks || !keep.Load() {
			return apitest.Fault{}
		}
		return apitest.Refuse(403, metav1.StatusReasonForbidden, "frameworks may not be deleted")
	})
	w.create("a", roles(role("w", 1), role("q", 1)))
	w.runs("a")
	w.conditionBecomes("a", v1.ConditionWaiting, "True because Forbidden")
	w.EndPod("a-w-0", 1)
	w.reaches("a", v1.Completed)
	w.conditionBecomes("a", v1.ConditionWaiting, "False because NothingInTheWay")

	w.expireIn("a", 0)
	w.conditionBecomes("a", v1.ConditionWaiting, "True because Forbidden")
	if got, want := w.waiting("a").Message, "deleting the Framework: frameworks may not be deleted"; got != want {
		t.Errorf("the message is %q, want %q", got, want)
	}
	writes := len(w.Requests(statusWrites))
	w.requested("delete frameworks", len(w.Requests("delete frameworks"))+2)
	if n := len(w.Requests(statusWrites)); n != writes {
		t.Errorf("%d status writes for the same", n-writes)
	}
	w.expireIn("a", 3600)
	w.conditionBecomes("a", v1.ConditionWaiting, "False because NothingInTheWay")
	keep.Store(false)
	w.expireIn("a", 0)
	w.eventually("it goes", func() bool { return w.Get(apitest.Frameworks, "a") == nil })
}

// expireIn has a Framework kept for so long after its end.
func (w *world) expireIn(framework string, seconds int64) {
	w.Edit(apitest.Frameworks, framework, func(o *unstructured.Unstructured) {
		o.Object["spec"].(map[string]any)["ttlSecondsAfterFinished"] = seconds
		o.SetGeneration(o.GetGeneration() + 1)
	})
}

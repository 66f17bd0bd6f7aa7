package controller

import (
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// Of what exists, only statuses of Frameworks are ever written. Everything else is created or deleted.
func TestOnlyStatusesAreWritten(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", taskRetries(1), func(s *v1.FrameworkSpec) { s.TTLSecondsAfterFinished = new(int32) })
	w.EndPod("a-w-0", 1)
	w.eventually("the second attempt has a Pod", func() bool {
		pod := w.Get(apitest.Pods, "a-w-0")
		return pod != nil && pod.GetAnnotations()[v1.KeyTaskAttemptID] == "1"
	})
	w.EndPod("a-w-0", 0)
	w.eventually("the Framework has gone", func() bool { return w.Get(apitest.Frameworks, "a") == nil })
	for _, verb := range []string{"update", "patch"} {
		for _, q := range w.Requests(verb) {
			if q.Resource != apitest.Frameworks+"/status" && q.Resource != apitest.CRDs && q.Resource != apitest.Events {
				t.Errorf("there was a request to %s", q.String())
			}
		}
	}
	if len(w.Requests(statusWrites)) == 0 {
		t.Error("no status was written")
	}
}

package controller

import (
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// An expired Framework is written to the history at least twice: before it is deleted, and when it has gone. Collectors that drop
// duplicates depend on the first, which is never missing.
func TestHistoryOfRetention(t *testing.T) {
	t.Parallel()
	w, told := startHistory(t)
	w.running("a", func(s *v1.FrameworkSpec) { s.TTLSecondsAfterFinished = new(int32) })
	w.EndPod("a-w-0", 0)
	w.eventually("the Framework has gone", func() bool { return w.Get(apitest.Frameworks, "a") == nil })
	w.eventually("it is told of twice", func() bool { return len(snapshots(t, told, "OnFrameworkDeletion")) >= 2 })
	for _, s := range snapshots(t, told, "OnFrameworkDeletion") {
		if s.Status.State != v1.Completed {
			t.Errorf("told of %+v", s)
		}
	}
}

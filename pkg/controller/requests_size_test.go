package controller

import (
	"strings"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// A Pod that would be larger than the API server takes fails like one that it refuses, without being made; users are told
// once, how large it would be.
func TestPodThatWouldBeTooLarge(t *testing.T) {
	t.Parallel()
	empty := func(n int) string { return `{"spec": {"containers": [{}` + strings.Repeat(",{}", n-1) + `]}}` }
	for name, test := range map[string]struct{ template, says string }{
		"by its containers": {empty(100_000), "it has 100000 containers, and each gets the variables of its Task"},
		"by its variables":  {empty(objects.MaxContainers), "and the API server takes at most 3145728"},
		"by an exponent":    {`{"spec": {"containers": [{"name": "m", "resources": {"limits": {"cpu": "1e-2000000000"}}}]}}`, "exponent of -2000000000; it has to be between -30 and 30"},
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

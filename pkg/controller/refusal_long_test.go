package controller

import (
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

func TestLongRefusals(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{"whole": 100 << 10, "cut while it is read": 1 << 20} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := startWorld(t)
			w.Inject("create pods", apitest.Always, apitest.Refuse(http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "wrong: "+strings.Repeat("x", size)))
			w.create("a", tasks(20), func(s *v1.FrameworkSpec) { s.TaskRoles[0].FrameworkAttemptCompletionPolicy.MinFailedTaskCount = 20 })
			w.reaches("a", v1.Completed)
			own, task := w.status("a").AttemptStatus.CompletionStatus, w.task("a", "w", 7).AttemptStatus.CompletionStatus
			for _, s := range []v1.CompletionStatus{own.CompletionStatus, task.CompletionStatus} {
				if s.Code != -200 || len(s.Diagnostics) > 4<<10+100 || !strings.Contains(s.Diagnostics, "wrong: xxx") || !strings.Contains(s.Diagnostics, "more") {
					t.Errorf("code %d, %d bytes: %.200s", s.Code, len(s.Diagnostics), s.Diagnostics)
				}
			}
			w.warnedOnce("a", "PodRefused")
			w.stop()
			for line := range strings.Lines(w.log.String()) {
				if len(line) > 2*longestLogged {
					t.Errorf("a line of the log has %d bytes: %.200s", len(line), line)
				}
			}
		})
	}
}

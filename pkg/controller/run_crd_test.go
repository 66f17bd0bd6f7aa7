package controller

import (
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// The controller waits for an API server that does not serve the CRD, but not for one that refuses it. The error states the
// reason in one line.
func TestCRDCannotBeInstalled(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fault   apitest.Fault
		timeout time.Duration
		want    string
	}{
		"refused": {apitest.Refuse(http.StatusForbidden, metav1.StatusReasonForbidden, "you must not"), patience,
			"installing CRD " + v1.CRDName + ": you must not"},
		"not served": {apitest.Refuse(http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable, "starting"), 2 * time.Second,
			"installing CRD " + v1.CRDName + ": context deadline exceeded: "},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.Inject("patch customresourcedefinitions", apitest.Always, test.fault)
			w.options.CRD.CheckTimeout = test.timeout
			c := w.newController(time.Now)
			err := c.Run(t.Context())
			if err == nil || !strings.HasPrefix(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("the error is %q, want %q", err, test.want)
			}
		})
	}
}

// The log states why the CRD cannot be installed, at the first failure and at the end, and not only that time is up.
func TestCRDCannotBeInstalledInTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Inject("patch customresourcedefinitions", 3, apitest.Refuse(http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable, "starting"))
	w.Inject("patch customresourcedefinitions", apitest.Always, apitest.Fault{Wait: t.Context().Done()})
	w.options.CRD.CheckTimeout = 2 * time.Second
	c := w.newController(time.Now)
	if err := c.Run(t.Context()); err == nil || !strings.HasSuffix(err.Error(), "context deadline exceeded: starting") {
		t.Errorf("the error is %q", err)
	}
	if lines := w.log.lines("the CRD cannot be installed yet"); len(lines) != 1 || !strings.Contains(lines[0], "starting") {
		t.Errorf("the log has %q", lines)
	}
}

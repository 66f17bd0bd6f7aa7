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

// An API server that does not serve the CRD is waited for; one that refuses it is not. The error says so, in one line.
func TestCRDCannotBeInstalled(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fault   apitest.Fault
		timeout time.Duration
		want    string
	}{
		"refused": {apitest.Refuse(http.StatusForbidden, metav1.StatusReasonForbidden, "you must not"), patience,
			"installing CRD " + v1.CRDName + ": you must not"},
		"not served": {apitest.Refuse(http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable, "starting"), 100 * time.Millisecond,
			"installing CRD " + v1.CRDName + ": context deadline exceeded: "},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.Inject("patch customresourcedefinitions", apitest.Always, test.fault)
			w.options.CRD.CheckTimeout = test.timeout
			clients, err := NewClients(w.config)
			if err != nil {
				t.Fatal(err)
			}
			c, err := New(clients, w.options)
			if err != nil {
				t.Fatal(err)
			}
			err = c.Run(t.Context())
			if err == nil || !strings.HasPrefix(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("the error is %q, want %q", err, test.want)
			}
		})
	}
}

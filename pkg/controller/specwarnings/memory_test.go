package specwarnings

import (
	"strings"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

func TestMemoryWarnings(t *testing.T) {
	limited := `{"spec":{"containers":[{"name":"main","resources":{"limits":{"memory":"2Gi"}}},{"name":"proxy"}]}}`
	for what, test := range map[string]struct {
		template string
		most     string
		retries  int32
		want     string // in the warning; empty if there is none
	}{
		"a policy with effect": {limited, "4Gi", 1, ""},
		"a maximum below":      {limited, "1Gi", 1, "maxMemory 1Gi is not above the memory limit 2Gi of container main"},
		"the same maximum":     {limited, "2048Mi", 1, "maxMemory 2048Mi is not above the memory limit 2Gi of container main"},
		"a limit as a number":  {strings.Replace(limited, `"2Gi"`, "5000000000", 1), "4Gi", 1, "the memory limit 5000000000 of container main"},
		"no limit":             {`{"spec":{"containers":[{"name":"main"}]}}`, "4Gi", 1, "no container of the template has a memory limit"},
		"no retries":           {limited, "4Gi", 0, "nothing is retried"},
		"no template":          {`[]`, "4Gi", 1, ""},
	} {
		spec := &v1.FrameworkSpec{TaskRoles: []v1.TaskRoleSpec{{Name: "b", Task: v1.TaskSpec{Pod: v1.PodTemplate(test.template),
			RetryPolicy: v1.RetryPolicySpec{MaxRetryCount: test.retries, OnOOM: &v1.OnOOMSpec{MaxMemory: test.most}}}}}}
		got := retryWarnings(spec)
		if (test.want == "") != (len(got) == 0) || len(got) > 0 && !strings.Contains(got[0].Message, test.want) {
			t.Errorf("%s: got %v", what, got)
		}
	}
}

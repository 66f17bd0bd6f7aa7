package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/yaml"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

func TestWants(t *testing.T) {
	f := &v1.Framework{}
	require.NoError(t, yaml.Unmarshal([]byte(`
metadata: {name: f}
spec:
  retryPolicy: {maxRetryCount: 2}
  taskRoles:
  - {name: ps, taskNumber: 1, frameworkAttemptCompletionPolicy: {minFailedTaskCount: 1, minSucceededTaskCount: -1}, task: {retryPolicy: {maxRetryCount: -2}}}
  - {name: worker, taskNumber: 3, frameworkAttemptCompletionPolicy: {minFailedTaskCount: 2, minSucceededTaskCount: 3}, task: {retryPolicy: {fancyRetryPolicy: true, maxRetryCount: 1}}}
`), f))
	want := `Framework f has 4 Tasks in 2 roles.
  ps      1 Task    always tried again, as a service is
  worker  3 Tasks   transient failures are retried, unknown ones once
It succeeds when 3 workers have succeeded, whatever the others do.
It fails with 1 ps or 2 workers failed for good.
As a whole: failures are tried again 2 times.`
	if got := strings.Join(wants(f), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Without thresholds, the attempt ends with its last Task.
func TestWantsWithoutThresholds(t *testing.T) {
	f := &v1.Framework{Spec: v1.FrameworkSpec{TaskRoles: []v1.TaskRoleSpec{{Name: "a", TaskNumber: 1}}}}
	if got := strings.Join(wants(f), "\n"); !strings.Contains(got, "It succeeds when all Tasks have ended.\nIt fails never because of its Tasks.") {
		t.Errorf("got\n%s", got)
	}
}

func TestRetries(t *testing.T) {
	for want, p := range map[string]v1.RetryPolicySpec{
		"failures are not tried again":                         {},
		"transient failures are retried, others are not":       {FancyRetryPolicy: true},
		"failures are tried again once":                        {MaxRetryCount: 1},
		"transient failures are retried, unknown ones 3 times": {FancyRetryPolicy: true, MaxRetryCount: 3},
		"failures are tried again":                             {MaxRetryCount: -1},
		"failures are tried again, unless they are permanent":  {FancyRetryPolicy: true, MaxRetryCount: -1},
		"always tried again, as a service is":                  {FancyRetryPolicy: true, MaxRetryCount: -2},
	} {
		if got := retries(p); got != want {
			t.Errorf("%+v: %s, want %s", p, got, want)
		}
	}
}

// make demo shows a Framework in one file.
func TestDefaultManifest(t *testing.T) {
	m, err := readManifest("../../" + defaultManifest)
	require.NoError(t, err)
	if m.name != "demo" || !m.simulated {
		t.Errorf("it is %+v", m)
	}
}

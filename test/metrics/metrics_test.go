package metrics

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// create creates a Framework with one Task, whose attempts end with these exit codes, and deletes it after the test.
func create(t *testing.T, name string, exitCodes ...int) {
	t.Helper()
	const simulate = "simulate.frameworkcontroller.io/"
	f := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
		"taskRoles": []any{map[string]any{
			"name":                             "w",
			"frameworkAttemptCompletionPolicy": map[string]any{"minFailedTaskCount": int64(1), "minSucceededTaskCount": int64(-1)},
			"task": map[string]any{
				"retryPolicy": map[string]any{"fancyRetryPolicy": true, "maxRetryCount": int64(1)},
				"pod": map[string]any{
					"metadata": map[string]any{"annotations": map[string]any{
						simulate + "run-for":    "0s",
						simulate + "exit-codes": strings.Trim(strings.ReplaceAll(fmt.Sprint(exitCodes), " ", ","), "[]"),
					}},
					"spec": map[string]any{"restartPolicy": "Never", "containers": []any{map[string]any{"name": "c", "image": "app"}}},
				},
			},
		}},
	}}}
	f.SetGroupVersionKind(v1.SchemeGroupVersion.WithKind(v1.FrameworkKind))
	f.SetName(name)
	if _, err := frameworks.Create(t.Context(), f, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// The life of a Framework shows in the metrics: attempts by code and type, retries, states, requests, plugins.
func TestLifeInMetrics(t *testing.T) {
	c := startController(t)
	c.says("/readyz", http.StatusOK)
	create(t, "life", 7, 99, 0)
	c.has(
		`frameworks{state="Completed"} 1`, `tasks{state="Completed"} 1`, `frameworks{state="AttemptRunning"} 0`,
		`task_attempts_completed_total{code="7",type="FailedTransient"} 1`,
		`task_attempts_completed_total{code="other",type="Failed"} 1`,
		`task_attempts_completed_total{code="0",type="Succeeded"} 1`,
		`framework_attempts_completed_total{code="0",type="Succeeded"} 1`,
		`task_retries_total{accountable="false"} 1`, `task_retries_total{accountable="true"} 1`,
		`framework_retries_total{accountable="true"} 0`,
		`action_duration_seconds_count{action="create_pod",result="done"} 3`,
		`action_duration_seconds_count{action="create_configmap",result="done"} 1`,
		`plugin_up{kind="FailureClassifier",plugin="podpattern"} 1`,
		`plugin_up{kind="CompletionPolicy",plugin="absent"} 0`,
		`plugin_state{kind="CompletionPolicy",plugin="absent",state="Failing"} 1`,
		`plugin_calls_total{kind="FailureClassifier",method="Classify",plugin="podpattern",result="answered"} 2`,
		`actions_queued 0`, `actions_under_way 0`, `workqueue_depth 0`,
		`history_lines_total 5`, // 2 Tasks that are retried, 3 Pods that are deleted
	)
	for _, series := range []string{
		`round_duration_seconds_count{result="done"}`, `status_write_duration_seconds_count{result="done"}`, `status_write_bytes_count`,
		`workqueue_adds_total`, `workqueue_queue_duration_seconds_count`, `plugin_restarts_total{kind="CompletionPolicy",plugin="absent"}`,
		`api_requests_total{code="200",method="PUT"}`, `api_request_duration_seconds_count{method="POST"}`,
	} {
		c.grows(series)
	}
	_, page := c.Get("/metrics")
	for _, name := range []string{"life", "default"} {
		if strings.Contains(page, `"`+name+`"`) {
			t.Errorf("%s is the value of a label", name)
		}
	}
	require.NoError(t, frameworks.Delete(t.Context(), "life", metav1.DeleteOptions{}))
	c.has(`frameworks{state="Completed"} 0`, `tasks{state="Completed"} 0`)
}

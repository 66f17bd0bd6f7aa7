package api

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Refused input is in test/e2e, in the table of bad input.

var longest = strings.Repeat("a", 63)

func TestAcceptedFrameworks(t *testing.T) {
	tests := []struct {
		what, name, fields string
	}{
		{"name of one digit", "7", `{spec: {}}`},
		{"longest names, longer together than a hostname", longest, `{spec: {taskRoles: [{name: ` + longest + `}]}}`},
		{"no roles", "", `{spec: {}}`},
		{"empty roles", "", `{spec: {taskRoles: []}}`},
		{"200 roles", "", rolesNumbered(200)},
		{"a role that is only a name", "", `{spec: {taskRoles: [{name: a}]}}`},
		{"null status", "", `{spec: {}, status: null}`},
		{"null description", "", `{spec: {description: null}}`},
		{"null timeout", "", inTask(`podGracefulDeletionTimeoutSec: null`)},
		{"null where there is a default", "", `{spec: {executionType: null, retryPolicy: null}}`},
		{"null where something optional may be", "", `{spec: {taskRoles: null, ttlSecondsAfterFinished: null}}`},
		{"no Tasks", "", inRole(`taskNumber: 0`)},
		{"most Tasks of a role", "", inRole(`taskNumber: 10000`)},
		{"most Tasks", "", `{spec: {taskRoles: [{name: a, taskNumber: 10000}, {name: b, taskNumber: 10000}, {name: c, taskNumber: 0}]}}`},
		{"a success threshold above taskNumber", "", inRole(`taskNumber: 1, frameworkAttemptCompletionPolicy: {minSucceededTaskCount: 2}`)},
		{"largest thresholds", "", inPolicy(`minFailedTaskCount: 2147483647, minSucceededTaskCount: 2147483647`)},
		{"retry always", "", inTask(`retryPolicy: {maxRetryCount: -2}`)},
		{"most retries", "", inTask(`retryPolicy: {maxRetryCount: 2147483647}`)},
		{"timeout as good as for ever", "", inTask(`podGracefulDeletionTimeoutSec: 9000000000`)},
		{"timeout of zero", "", inTask(`podGracefulDeletionTimeoutSec: 0`)},
		{"start deadlines of zero", "", inTask(`startDeadline: {unscheduledSec: 0, imagePullSec: 0, containerCreateSec: 0, notRunningSec: 0}`)},
		{"start deadlines as good as for ever", "", inTask(`startDeadline: {unscheduledSec: 2147483647, imagePullSec: 2147483647, containerCreateSec: 2147483647, notRunningSec: 2147483647}`)},
		{"an empty start deadline", "", inTask(`startDeadline: {}`)},
		{"empty backoff", "", `{spec: {retryPolicy: {backoff: {}}}}`},
		{"all of a retry policy", "", inTask(`retryPolicy: {restart: Framework, window: {failures: 100, withinSec: 2147483647}, budgets: [
			{code: 0, maxRetryCount: -1}, {code: -2147483648, maxRetryCount: 0}, {phrase: ` + strings.Repeat("a", 256) + `, maxRetryCount: 2147483647},
			{attribute: Transient, maxRetryCount: 1}, {attribute: Transient, maxRetryCount: 2}]}`)},
		{"a window and budgets of the Framework", "", `{spec: {retryPolicy: {window: {failures: 1, withinSec: 1}, budgets: [{attribute: Conflict, maxRetryCount: 3}]}}}`},
		{"avoided nodes, with what is left out", "", `{spec: {retryPolicy: {avoidNodes: {}}, taskRoles: [{name: a, task: {retryPolicy: {avoidNodes: {mode: Require}}}}]}}`},
		{"most avoided nodes, for as long as can be", "", inTask(`retryPolicy: {avoidNodes: {mode: Prefer, forSec: 2147483647, maxNodes: 100}}`)},
		{"memory, with what is left out", "", inTask(`retryPolicy: {onOOM: {maxMemory: 64Gi}}`)},
		{"most memory", "", inTask(`retryPolicy: {onOOM: {memoryFactor: "10", maxMemory: 999999999999.999Ti}}`)},
		{"factors of memory", "", `{spec: {taskRoles: [{name: a, task: {retryPolicy: {onOOM: {memoryFactor: "1.50", maxMemory: "1"}}}},
			{name: b, task: {retryPolicy: {onOOM: {memoryFactor: "2", maxMemory: 5G}}}}, {name: c, task: {retryPolicy: {onOOM: {memoryFactor: "9.99", maxMemory: 1.5Gi}}}}]}}`},
		{"items of all kinds", "", inRole(`items: {values: [a, "", 1, -1.5, true, {}, {lr: 0.1, list: [1, {x: null}], none: null}]}`)},
		{"fewer Tasks than items", "", inRole(`taskNumber: 1, items: {values: [a, b]}`)},
		{"most items", "", inRole(`items: {values: [` + strings.Repeat("1, ", v1.MaxItems-1) + `1]}`)},
		{"items of a ConfigMap", "", inRole(`items: {configMapKeyRef: {name: params-1.0, key: list.jsonl}}`)},
		{"retries of a role", "", inRole(`retryPolicy: {maxRetryCount: -1}`)},
		{"most retries of a role", "", inRole(`retryPolicy: {maxRetryCount: 2147483647}`)},
		{"a retry policy of a role that is empty", "", inRole(`retryPolicy: {}`)},
		{"TTL of zero", "", `{spec: {ttlSecondsAfterFinished: 0}}`},
		{"TTL of one outcome, of zero", "", `{spec: {ttlSecondsAfter: {failed: 0}}}`},
		{"TTLs of no outcome", "", `{spec: {ttlSecondsAfter: {}}}`},
		{"shortest deadlines", "", `{spec: {activeDeadlineSeconds: 1, taskRoles: [{name: a, task: {activeDeadlineSeconds: 1}}]}}`},
		{"longest deadlines", "", `{spec: {activeDeadlineSeconds: 2147483647, taskRoles: [{name: a, task: {activeDeadlineSeconds: 2147483647}}]}}`},
		{"no deadline", "", `{spec: {activeDeadlineSeconds: null, ttlSecondsAfter: null}}`},
		{"suspended", "", `{spec: {suspend: true}}`},
		{"managed by nobody in particular", "", `{spec: {managedBy: ""}}`},
		{"managed by this", "", `{spec: {managedBy: frameworkcontroller.microsoft.com/frameworkcontroller}}`},
		{"managed by another", "", `{spec: {managedBy: kueue.x-k8s.io/multikueue}}`},
		{"a volume, with what is left out", "", `{spec: {volumes: [{name: data, mountPath: /data, claim: {}}]}}`},
		{"all of a volume", "", `{spec: {taskRoles: [{name: a}], volumes: [{name: ` + longest + `, mountPath: /var/lib/my_data-1.0, per: Task, role: a, containers: [main, helper],
			claim: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, newField: [1]}, retention: Retain}]}}`},
		{"volumes of different roles at one place", "", `{spec: {taskRoles: [{name: a}, {name: b}], volumes: [{name: v, mountPath: /data, role: a, claim: {}}, {name: w, mountPath: /data, role: b, claim: {}}]}}`},
		{"most volumes", "", volumesNumbered(20)},
		{"no volumes", "", `{spec: {volumes: []}}`},
		{"empty scheduling", "", `{spec: {scheduling: {gang: {}, topology: []}}}`},
		{"all of scheduling", "", `{spec: {scheduling: {gang: {minTasks: 20000, perRole: [{role: a, minTasks: 1}, {role: b, minTasks: 10000}]},
			queue: root.research, priorityClassName: high, timeoutSec: 2147483647,
			topology: [{key: zone, mode: Required}, {key: zone, mode: Preferred, role: a}, {key: topology.kubernetes.io/rack, mode: Required, role: b}]}}}`},
		{"what a role starts after", "", `{spec: {taskRoles: [{name: a}, {name: b, startAfter: [{role: a}]},
			{name: c, startAfter: [{role: a, when: Addressed}, {role: b, when: Running}]}, {name: d, startAfter: [{role: c, when: Ready}, {role: a, when: Succeeded}]}]}}`},
		{"Frameworks that a role starts after", "", `{spec: {taskRoles: [{name: a, startAfter: [{framework: a, when: Succeeded}, {framework: b, when: Completed}]},
			{name: b, startAfter: [{role: a, when: Ready}, {framework: a, when: Completed}]}]}}`},
		{"most that a role starts after", "", rolesAfterRoles(200, 10)},
		{"no template", "", inTask(`pod: {}`)},
		// The API server judges the content of the template when the Pod is created.
		{"any template", "", inTask(`pod: {spec: {containers: [{image: 5}], newField: [{}, null]}}`)},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			if err := create(t.Context(), named(tt.name), tt.fields); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestExecutionTypeTransitions(t *testing.T) {
	tests := map[string][]string{"Create": {"Create", "Start", "Stop"}, "Start": {"Start", "Stop"}, "Stop": {"Stop"}}
	for from, accepted := range tests {
		f, err := parse("from"+strings.ToLower(from), `{spec: {executionType: `+from+`}}`)
		require.NoError(t, err)
		before, err := rawClient.Create(t.Context(), f, metav1.CreateOptions{})
		require.NoError(t, err)
		for _, to := range accepted {
			t.Run(from+"->"+to, func(t *testing.T) {
				after := before.DeepCopy()
				after.Object["spec"].(map[string]any)["executionType"] = to
				if _, err := rawClient.Update(t.Context(), after, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}}); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// managedBy is set at creation, and never changes. Every other field may change.
func TestManagedByStays(t *testing.T) {
	const this, other = "frameworkcontroller.microsoft.com/frameworkcontroller", "kueue.x-k8s.io/multikueue"
	for i, from := range []any{nil, "", this, other} {
		f, err := parse(fmt.Sprint("managed", i), `{spec: {}}`)
		require.NoError(t, err)
		setManagedBy(f, from)
		before, err := rawClient.Create(t.Context(), f, metav1.CreateOptions{})
		require.NoError(t, err)
		for _, to := range []any{nil, "", this, other} {
			after := before.DeepCopy()
			setManagedBy(after, to)
			after.Object["spec"].(map[string]any)["suspend"] = true
			_, err := rawClient.Update(t.Context(), after, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
			same := from == to || (from == nil || from == "") && (to == nil || to == "")
			switch {
			case same && err != nil:
				t.Errorf("%v -> %v: %v", from, to, err)
			case !same:
				requireRefused(t, err, "spec.managedBy")
			}
		}
	}
}

func setManagedBy(f *unstructured.Unstructured, who any) {
	spec := f.Object["spec"].(map[string]any)
	if spec["managedBy"] = who; who == nil {
		delete(spec, "managedBy")
	}
}

func requireRefused(t *testing.T, err error, field string) {
	t.Helper()
	if !apierrors.IsInvalid(err) {
		t.Fatalf("got %v, want HTTP 422", err)
	}
	status := err.(apierrors.APIStatus).Status()
	for _, cause := range status.Details.Causes {
		if cause.Field == field && strings.Contains(status.Message, field+": ") {
			return
		}
	}
	t.Errorf("got %q, want one that names %s", status.Message, field)
}

func named(name string) string {
	if name == "" {
		return "demo"
	}
	return name
}

func inRole(fields string) string { return `{spec: {taskRoles: [{name: a, ` + fields + `}]}}` }
func inTask(fields string) string { return inRole(`task: {` + fields + `}`) }
func inPolicy(fields string) string {
	return inRole(`frameworkAttemptCompletionPolicy: {` + fields + `}`)
}

func rolesNumbered(n int) string {
	var roles []string
	for i := range n {
		roles = append(roles, fmt.Sprintf("{name: r%d}", i))
	}
	return `{spec: {taskRoles: [` + strings.Join(roles, ", ") + `]}}`
}

// rolesAfterRoles has roles that start after the maximum number of earlier roles.
func rolesAfterRoles(n, most int) string {
	var roles []string
	for i := range n {
		var after []string
		for j := max(0, i-most); j < i; j++ {
			after = append(after, fmt.Sprintf("{role: r%d}", j))
		}
		roles = append(roles, fmt.Sprintf("{name: r%d, startAfter: [%s]}", i, strings.Join(after, ", ")))
	}
	return `{spec: {taskRoles: [` + strings.Join(roles, ", ") + `]}}`
}

func volumesNumbered(n int) string {
	var volumes []string
	for i := range n {
		volumes = append(volumes, fmt.Sprintf(`{name: v%d, mountPath: /v%d, claim: {}}`, i, i))
	}
	return `{spec: {volumes: [` + strings.Join(volumes, ", ") + `]}}`
}

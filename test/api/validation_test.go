package api

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// What is refused is in test/e2e, in the table of bad input.

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
		{"retries of a role", "", inRole(`retryPolicy: {maxRetryCount: -1}`)},
		{"most retries of a role", "", inRole(`retryPolicy: {maxRetryCount: 2147483647}`)},
		{"a retry policy of a role that is empty", "", inRole(`retryPolicy: {}`)},
		{"TTL of zero", "", `{spec: {ttlSecondsAfterFinished: 0}}`},
		{"suspended", "", `{spec: {suspend: true}}`},
		{"managed by nobody in particular", "", `{spec: {managedBy: ""}}`},
		{"managed by this", "", `{spec: {managedBy: frameworkcontroller.microsoft.com/frameworkcontroller}}`},
		{"managed by another", "", `{spec: {managedBy: kueue.x-k8s.io/multikueue}}`},
		{"empty scheduling", "", `{spec: {scheduling: {gang: {}, topology: []}}}`},
		{"all of scheduling", "", `{spec: {scheduling: {gang: {minTasks: 20000, perRole: [{role: a, minTasks: 1}, {role: b, minTasks: 10000}]},
			queue: root.research, priorityClassName: high, timeoutSec: 2147483647,
			topology: [{key: zone, mode: Required}, {key: zone, mode: Preferred, role: a}, {key: topology.kubernetes.io/rack, mode: Required, role: b}]}}}`},
		{"what a role starts after", "", `{spec: {taskRoles: [{name: a}, {name: b, startAfter: [{role: a}]},
			{name: c, startAfter: [{role: a, when: Addressed}, {role: b, when: Running}]}, {name: d, startAfter: [{role: c, when: Ready}, {role: a, when: Succeeded}]}]}}`},
		{"most that a role starts after", "", rolesAfterRoles(200, 10)},
		{"no template", "", inTask(`pod: {}`)},
		// What is inside the template is for the API server to judge when the Pod is created.
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

// Who manages a Framework is said when it is created, and never again. Everything else about it may change.
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

// rolesAfterRoles has roles that start after as many of those before them as may be.
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

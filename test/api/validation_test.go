package api

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var (
	longest = strings.Repeat("a", 63)
	tooLong = strings.Repeat("a", 64)
)

func TestRefusedFrameworks(t *testing.T) {
	const role = "spec.taskRoles[0]."
	tests := []struct {
		what, name, fields, field string
	}{
		{"name with a hyphen", "a-b", `{spec: {}}`, "metadata.name"},
		{"name with a dot", "a.b", `{spec: {}}`, "metadata.name"},
		{"name of 64 letters", tooLong, `{spec: {}}`, "metadata.name"},
		{"no spec", "", `{}`, "spec"},
		{"null spec", "", `{spec: null}`, "spec"},
		{"spec that is a text", "", `{spec: x}`, "spec"},
		{"description that is a number", "", `{spec: {description: 1}}`, "spec.description"},
		{"unknown executionType", "", `{spec: {executionType: Pause}}`, "spec.executionType"},
		{"empty executionType", "", `{spec: {executionType: ""}}`, "spec.executionType"},
		{"executionType in lower case", "", `{spec: {executionType: stop}}`, "spec.executionType"},
		{"negative TTL", "", `{spec: {ttlSecondsAfterFinished: -1}}`, "spec.ttlSecondsAfterFinished"},
		{"TTL beyond 32 bits", "", `{spec: {ttlSecondsAfterFinished: 3000000000}}`, "spec.ttlSecondsAfterFinished"},
		{"unknown retry mode", "", `{spec: {retryPolicy: {maxRetryCount: -3}}}`, "spec.retryPolicy.maxRetryCount"},
		{"retries beyond 32 bits", "", `{spec: {retryPolicy: {maxRetryCount: 3000000000}}}`, "spec.retryPolicy.maxRetryCount"},
		{"retries in quotes", "", `{spec: {retryPolicy: {maxRetryCount: "1"}}}`, "spec.retryPolicy.maxRetryCount"},
		{"fancyRetryPolicy in quotes", "", `{spec: {retryPolicy: {fancyRetryPolicy: "true"}}}`, "spec.retryPolicy.fancyRetryPolicy"},
		{"negative first delay", "", `{spec: {retryPolicy: {backoff: {initialDelaySec: -1}}}}`, "spec.retryPolicy.backoff.initialDelaySec"},
		{"first delay over a day", "", `{spec: {retryPolicy: {backoff: {initialDelaySec: 86401}}}}`, "spec.retryPolicy.backoff.initialDelaySec"},
		{"negative longest delay", "", `{spec: {retryPolicy: {backoff: {maxDelaySec: -1}}}}`, "spec.retryPolicy.backoff.maxDelaySec"},
		{"roles that are not a list", "", `{spec: {taskRoles: {name: a}}}`, "spec.taskRoles"},
		{"201 roles", "", rolesNumbered(201), "spec.taskRoles"},
		{"two roles of one name", "", `{spec: {taskRoles: [{name: a}, {name: b}, {name: a}]}}`, "spec.taskRoles[2]"},
		{"role without a name", "", `{spec: {taskRoles: [{}]}}`, role + "name"},
		{"role with an empty name", "", `{spec: {taskRoles: [{name: ""}]}}`, role + "name"},
		{"role name in upper case", "", `{spec: {taskRoles: [{name: Worker}]}}`, role + "name"},
		{"role name with a hyphen", "", `{spec: {taskRoles: [{name: a-b}]}}`, role + "name"},
		{"role name of 64 letters", "", `{spec: {taskRoles: [{name: ` + tooLong + `}]}}`, role + "name"},
		{"taskNumber below zero", "", inRole(`taskNumber: -1`), role + "taskNumber"},
		{"taskNumber over 10000", "", inRole(`taskNumber: 10001`), role + "taskNumber"},
		{"taskNumber beyond 32 bits", "", inRole(`taskNumber: 3000000000`), role + "taskNumber"},
		{"taskNumber that is a text", "", inRole(`taskNumber: many`), role + "taskNumber"},
		{"taskNumber with a fraction", "", inRole(`taskNumber: 1.5`), role + "taskNumber"},
		{"failure threshold below -1", "", inPolicy(`minFailedTaskCount: -2`), role + "frameworkAttemptCompletionPolicy.minFailedTaskCount"},
		{"failure threshold beyond 32 bits", "", inPolicy(`minFailedTaskCount: 3000000000`), role + "frameworkAttemptCompletionPolicy.minFailedTaskCount"},
		{"success threshold below -1", "", inPolicy(`minSucceededTaskCount: -2`), role + "frameworkAttemptCompletionPolicy.minSucceededTaskCount"},
		{"success threshold beyond 32 bits", "", inPolicy(`minSucceededTaskCount: 3000000000`), role + "frameworkAttemptCompletionPolicy.minSucceededTaskCount"},
		{"unknown retry mode of Tasks", "", inTask(`retryPolicy: {maxRetryCount: -3}`), role + "task.retryPolicy.maxRetryCount"},
		{"Task retries beyond 32 bits", "", inTask(`retryPolicy: {maxRetryCount: 3000000000}`), role + "task.retryPolicy.maxRetryCount"},
		{"negative timeout", "", inTask(`podGracefulDeletionTimeoutSec: -1`), role + "task.podGracefulDeletionTimeoutSec"},
		{"timeout beyond what a duration holds", "", inTask(`podGracefulDeletionTimeoutSec: 9223372037`), role + "task.podGracefulDeletionTimeoutSec"},
		{"timeout with a unit", "", inTask(`podGracefulDeletionTimeoutSec: 10s`), role + "task.podGracefulDeletionTimeoutSec"},
		{"template that is a text", "", inTask(`pod: x`), role + "task.pod"},
		{"template that is a list", "", inTask(`pod: []`), role + "task.pod"},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			requireRefused(t, create(t.Context(), named(tt.name), tt.fields), tt.field)
		})
	}
}

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
		{"most Tasks", "", inRole(`taskNumber: 10000`)},
		{"a success threshold above taskNumber", "", inRole(`taskNumber: 1, frameworkAttemptCompletionPolicy: {minSucceededTaskCount: 2}`)},
		{"largest thresholds", "", inPolicy(`minFailedTaskCount: 2147483647, minSucceededTaskCount: 2147483647`)},
		{"retry always", "", inTask(`retryPolicy: {maxRetryCount: -2}`)},
		{"most retries", "", inTask(`retryPolicy: {maxRetryCount: 2147483647}`)},
		{"timeout as good as for ever", "", inTask(`podGracefulDeletionTimeoutSec: 9000000000`)},
		{"timeout of zero", "", inTask(`podGracefulDeletionTimeoutSec: 0`)},
		{"empty backoff", "", `{spec: {retryPolicy: {backoff: {}}}}`},
		{"TTL of zero", "", `{spec: {ttlSecondsAfterFinished: 0}}`},
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
	types := []string{"Create", "Start", "Stop"}
	refused := []string{"Start->Create", "Stop->Create", "Stop->Start"}
	for _, from := range types {
		f, err := parse("from"+strings.ToLower(from), `{spec: {executionType: `+from+`}}`)
		if err != nil {
			t.Fatal(err)
		}
		before, err := rawClient.Create(t.Context(), f, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, to := range types {
			t.Run(from+"->"+to, func(t *testing.T) {
				after := before.DeepCopy()
				after.Object["spec"].(map[string]any)["executionType"] = to
				_, err := rawClient.Update(t.Context(), after, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
				if slices.Contains(refused, from+"->"+to) {
					requireRefused(t, err, "spec.executionType")
				} else if err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// Leaving executionType out of an update means the default, which must not start a stopped Framework again.
func TestExecutionTypeLeftOut(t *testing.T) {
	f, err := parse("leftout", `{spec: {executionType: Stop}}`)
	if err != nil {
		t.Fatal(err)
	}
	stopped, err := rawClient.Create(t.Context(), f, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	stopped.Object["spec"] = map[string]any{}
	_, err = rawClient.Update(t.Context(), stopped, metav1.UpdateOptions{})
	requireRefused(t, err, "spec.executionType")
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

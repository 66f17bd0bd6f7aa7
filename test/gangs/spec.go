package gangs

import (
	"fmt"
	"strings"
)

// Role has `tasks` Tasks, each of which takes 10 of the 32 CPUs of a node. More has annotations, and the completion policy.
func Role(name string, tasks int, more ...string) string {
	annotations, rest := "", "minFailedTaskCount: 1, minSucceededTaskCount: -1"
	if len(more) > 0 {
		annotations = more[0]
	}
	if len(more) > 1 {
		rest = more[1]
	}
	return fmt.Sprintf(`{name: %s, taskNumber: %d, frameworkAttemptCompletionPolicy: {%s}, task: {retryPolicy: {maxRetryCount: 3}, pod: {
		metadata: {annotations: {%s}},
		spec: {restartPolicy: Never, containers: [{name: main, image: none, resources: {requests: {cpu: 10}}}]}}}}`, name, tasks, rest, annotations)
}

// FailsOnce makes the first attempt of a Task fail, and later ones succeed, after the time that follows.
const FailsOnce = `simulate.frameworkcontroller.io/exit-codes: "1,0", simulate.frameworkcontroller.io/run-for: `

// Spec is a spec with these roles.
func Spec(roles ...string) string { return `{taskRoles: [` + strings.Join(roles, ",") + `]}` }

// With adds fields to a spec.
func With(fields, spec string) string { return strings.Replace(spec, "{", "{"+fields+", ", 1) }

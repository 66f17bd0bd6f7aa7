package api

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	applyv1 "github.com/frameworkcontroller/frameworkcontroller/pkg/client/applyconfiguration/frameworkcontroller/v1"
)

// The API server stores defaults, explicit zeros and unknown fields as listed.
func TestStoredSpec(t *testing.T) {
	const (
		noRetry = `{fancyRetryPolicy: false, maxRetryCount: 0}`
		policy  = `{minFailedTaskCount: 1, minSucceededTaskCount: -1}`
	)
	tests := []struct {
		what, written, stored string
	}{
		{
			"defaults of an empty spec",
			`{}`,
			`{executionType: Start, retryPolicy: ` + noRetry + `}`,
		},
		{
			"defaults of a role",
			`{taskRoles: [{name: a}]}`,
			`{executionType: Start, retryPolicy: ` + noRetry + `, taskRoles: [{name: a, taskNumber: 1,
				frameworkAttemptCompletionPolicy: ` + policy + `, task: {retryPolicy: ` + noRetry + `}}]}`,
		},
		{
			"one key of a pair defaulted",
			`{retryPolicy: {maxRetryCount: 3}, taskRoles: [
				{name: a, frameworkAttemptCompletionPolicy: {minFailedTaskCount: 2}, task: {retryPolicy: {fancyRetryPolicy: true}}},
				{name: b, frameworkAttemptCompletionPolicy: {minSucceededTaskCount: 2}}]}`,
			`{executionType: Start, retryPolicy: {fancyRetryPolicy: false, maxRetryCount: 3}, taskRoles: [
				{name: a, taskNumber: 1, frameworkAttemptCompletionPolicy: {minFailedTaskCount: 2, minSucceededTaskCount: -1},
					task: {retryPolicy: {fancyRetryPolicy: true, maxRetryCount: 0}}},
				{name: b, taskNumber: 1, frameworkAttemptCompletionPolicy: {minFailedTaskCount: 1, minSucceededTaskCount: 2},
					task: {retryPolicy: ` + noRetry + `}}]}`,
		},
		{
			"explicit zeros stay",
			`{taskRoles: [{name: a, taskNumber: 0, task: {podGracefulDeletionTimeoutSec: 0},
				frameworkAttemptCompletionPolicy: {minFailedTaskCount: 0, minSucceededTaskCount: 0}}]}`,
			`{executionType: Start, retryPolicy: ` + noRetry + `, taskRoles: [{name: a, taskNumber: 0,
				task: {podGracefulDeletionTimeoutSec: 0, retryPolicy: ` + noRetry + `},
				frameworkAttemptCompletionPolicy: {minFailedTaskCount: 0, minSucceededTaskCount: 0}}]}`,
		},
		{
			"meaningful nulls stay",
			`{description: null, taskRoles: [{name: a, task: {podGracefulDeletionTimeoutSec: null}}]}`,
			`{description: null, executionType: Start, retryPolicy: ` + noRetry + `, taskRoles: [{name: a, taskNumber: 1,
				frameworkAttemptCompletionPolicy: ` + policy + `,
				task: {podGracefulDeletionTimeoutSec: null, retryPolicy: ` + noRetry + `}}]}`,
		},
		{
			"defaults of a backoff",
			`{retryPolicy: {backoff: {initialDelaySec: 5}}}`,
			`{executionType: Start, retryPolicy: {fancyRetryPolicy: false, maxRetryCount: 0,
				backoff: {initialDelaySec: 5, maxDelaySec: 300}}}`,
		},
		{
			"unknown fields go, except in the template",
			`{colour: red, taskRoles: [{name: a, size: 1, task: {pod: {metadata: {creationTimestamp: null},
				spec: {newField: {x: [1, null, {}]}, containers: [{image: i, resources: {}}]}}}}]}`,
			`{executionType: Start, retryPolicy: ` + noRetry + `, taskRoles: [{name: a, taskNumber: 1,
				frameworkAttemptCompletionPolicy: ` + policy + `, task: {retryPolicy: ` + noRetry + `,
				pod: {metadata: {creationTimestamp: null},
				spec: {newField: {x: [1, null, {}]}, containers: [{image: i, resources: {}}]}}}}]}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			f, err := parse("stored", `{spec: `+tt.written+`}`)
			require.NoError(t, err)
			want, err := parse("stored", `{spec: `+tt.stored+`}`)
			require.NoError(t, err)
			got, err := rawClient.Create(t.Context(), f, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			require.NoError(t, err)
			requireEqual(t, got.Object["spec"], want.Object["spec"])
		})
	}
}

// Roles are identified by name, so two programs can each own one of them; fields that they leave out get their defaults.
func TestServerSideApplyOfSeparateRoles(t *testing.T) {
	for _, role := range []string{"ps", "worker"} {
		config := applyv1.Framework("applied", namespace).WithSpec(applyv1.FrameworkSpec().
			WithTaskRoles(applyv1.TaskRoleSpec().WithName(role)))
		_, err := frameworks.Apply(t.Context(), config, metav1.ApplyOptions{FieldManager: "owner-of-" + role})
		require.NoError(t, err)
	}
	f, err := frameworks.Get(t.Context(), "applied", metav1.GetOptions{})
	require.NoError(t, err)
	if len(f.Spec.TaskRoles) != 2 {
		t.Fatalf("got %v", f.Spec.TaskRoles)
	}
	for _, role := range f.Spec.TaskRoles {
		if role.TaskNumber != 1 || role.FrameworkAttemptCompletionPolicy.MinFailedTaskCount != 1 {
			t.Errorf("no defaults: %v", role)
		}
	}
}

package api

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Only /status writes the status, and only the status.
func TestStatusSubresource(t *testing.T) {
	f := &v1.Framework{ObjectMeta: metav1.ObjectMeta{Name: "subresource"}, Status: someStatus()}
	created, err := frameworks.Create(t.Context(), f, metav1.CreateOptions{})
	require.NoError(t, err)
	if created.Status != nil {
		t.Errorf("a status at creation is kept: %v", created.Status)
	}

	created.Status = someStatus()
	created.Spec.Description = "changed"
	written, err := frameworks.UpdateStatus(t.Context(), created, metav1.UpdateOptions{})
	require.NoError(t, err)
	if !equality.Semantic.DeepEqual(written.Status, someStatus()) {
		t.Errorf("got  %v\nwant %v", written.Status, someStatus())
	}
	if written.Spec.Description != "" || written.Generation != 1 {
		t.Errorf("a status update changes the spec: %q, generation %d", written.Spec.Description, written.Generation)
	}

	written.Status = nil
	written.Spec.Description = "changed"
	updated, err := frameworks.Update(t.Context(), written, metav1.UpdateOptions{})
	require.NoError(t, err)
	if !equality.Semantic.DeepEqual(updated.Status, someStatus()) {
		t.Errorf("an update of the main resource changes the status: %v", updated.Status)
	}
	if updated.Spec.Description != "changed" || updated.Generation != 2 {
		t.Errorf("the spec is not updated: %q, generation %d", updated.Spec.Description, updated.Generation)
	}
}

// A status write is cheap because the API server does not follow who owns which field of the status.
func TestStatusIsOwnedAsAWhole(t *testing.T) {
	f := &v1.Framework{ObjectMeta: metav1.ObjectMeta{Name: "owned"}}
	created, err := frameworks.Create(t.Context(), f, metav1.CreateOptions{})
	require.NoError(t, err)
	created.Status = someStatus()
	written, err := frameworks.UpdateStatus(t.Context(), created, metav1.UpdateOptions{FieldManager: "controller"})
	require.NoError(t, err)
	for _, entry := range written.ManagedFields {
		if entry.Subresource == "status" {
			if got, want := entry.FieldsV1.GetRawString(), `{"f:status":{}}`; got != want {
				t.Errorf("%s owns %s, want %s", entry.Manager, got, want)
			}
			return
		}
	}
	t.Errorf("nobody owns the status: %v", written.ManagedFields)
}

// someStatus returns a status with every field of the CRD.
func someStatus() *v1.FrameworkStatus {
	now := metav1.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	delay := int64(86)
	return &v1.FrameworkStatus{
		StartTime:          now,
		RunTime:            &now,
		State:              v1.AttemptCompleted,
		TransitionTime:     now,
		RetryPolicyStatus:  v1.RetryPolicyStatus{TotalRetriedCount: 2, AccountableRetriedCount: 1, RetryDelaySec: &delay},
		AttemptStatus:      v1.FrameworkAttemptStatus{ID: 2, StartTime: now, TaskRoleStatusesCompressed: []byte("gzip")},
		ObservedGeneration: 1,
		Tasks:              &v1.TaskCounts{Total: 4, Running: 3, Succeeded: 2, Failed: 1},
		Gate:               "2_uid",
		Conditions: []metav1.Condition{
			{Type: v1.ConditionRunning, Status: metav1.ConditionTrue, Reason: "Running", LastTransitionTime: now},
		},
	}
}

// The status is a record, not a request: the status of another version has to stay readable.
func TestStatusIsLenient(t *testing.T) {
	tests := []struct{ what, status string }{
		{"null", `null`},
		{"empty", `{}`},
		{"unknown fields", `{newField: {x: [null]}, tasks: {total: 1, waiting: 1}, retryPolicyStatus: {new: 1}}`},
		{"unknown state", `{state: SomethingNew}`},
		{"null times", `{startTime: null, runTime: null, completionTime: null, transitionTime: null}`},
		{"anything in the attempt", `{attemptStatus: {id: x, taskRoleStatuses: [1, {}, null], a: {b: {c: null}}}}`},
		{"parts left out", `{tasks: {}, retryPolicyStatus: {}, attemptStatus: {}}`},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			f, err := parse("", `{spec: {}, status: `+tt.status+`}`)
			require.NoError(t, err)
			f.SetGenerateName("lenient")
			want := f.Object["status"]
			created, err := rawClient.Create(t.Context(), f, metav1.CreateOptions{})
			require.NoError(t, err)
			created.Object["status"] = want
			written, err := rawClient.UpdateStatus(t.Context(), created, metav1.UpdateOptions{})
			require.NoError(t, err)
			requireEqual(t, written.Object["status"], want)
		})
	}
}

// A barrier watches its one Framework for the gate of its attempt, and hears nothing until that opens.
func TestWatchSelectsOnTheGate(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	f, err := frameworks.Create(ctx, &v1.Framework{ObjectMeta: metav1.ObjectMeta{Name: "gate"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	watcher, err := rawClient.Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=gate,status.gate=2_uid"})
	require.NoError(t, err)
	defer watcher.Stop()

	for _, gate := range []string{"", "1_uid", "2_uid"} {
		f.Status = someStatus()
		f.Status.Gate = gate
		if f, err = frameworks.UpdateStatus(ctx, f, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}

	event := <-watcher.ResultChan()
	if event.Type != watch.Added {
		t.Fatalf("got %v, want one ADDED", event)
	}
	object := event.Object.(*unstructured.Unstructured)
	gate, _, _ := unstructured.NestedString(object.Object, "status", "gate")
	if gate != "2_uid" || object.GetResourceVersion() != f.ResourceVersion || object.Object["spec"] == nil {
		t.Errorf("got %v", object)
	}
	list, err := frameworks.List(ctx, metav1.ListOptions{FieldSelector: "status.gate=2_uid"})
	require.NoError(t, err)
	for _, item := range list.Items {
		if item.Status.Gate != "2_uid" {
			t.Errorf("%s is listed with gate %q", item.Name, item.Status.Gate)
		}
	}
	if len(list.Items) == 0 {
		t.Error("the Framework is not listed")
	}
}

// A barrier of a role that starts after others watches for any other revision than the one it has seen, and gets one event for each,
// however often the status is written.
func TestWatchSelectsOnTheGatesOfRoles(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	f, err := frameworks.Create(ctx, &v1.Framework{ObjectMeta: metav1.ObjectMeta{Name: "gates"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	write := func(revision string, attempt int32) {
		f.Status = someStatus()
		f.Status.AttemptStatus.ID = attempt // so that the write changes something
		if revision != "" {
			f.Status.Gates = &v1.RoleGates{Revision: revision, Created: []string{"a"}}
		}
		f, err = frameworks.UpdateStatus(ctx, f, metav1.UpdateOptions{})
		require.NoError(t, err)
	}
	for _, step := range []struct{ seen, next string }{{"", "0_uid/1"}, {"0_uid/1", "0_uid/2"}, {"0_uid/2", "1_uid/1"}} {
		write(step.seen, 7)
		watcher, err := rawClient.Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=gates,status.gates.revision!=" + step.seen})
		require.NoError(t, err)
		write(step.seen, 8)
		write(step.seen, 9)
		write(step.next, 9)
		event := <-watcher.ResultChan()
		watcher.Stop()
		object, ok := event.Object.(*unstructured.Unstructured)
		if event.Type != watch.Added || !ok || object.GetResourceVersion() != f.ResourceVersion {
			t.Fatalf("after %q: got %v, want one ADDED with %s", step.seen, event, step.next)
		}
	}
}

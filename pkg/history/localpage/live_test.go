package localpage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// table is an answer of the API server, as sent.
const table = `{"columnDefinitions": [{"name": "Name"}, {"name": "State"}, {"name": "Running"}, {"name": "Total"}, {"name": "Code"}, {"name": "Reason"}, {"name": "Waiting"}], "rows": [
	{"cells": ["train", "AttemptRunning", 3, 4, null, null, "waits for the Pod of worker-3"],
	 "object": {"metadata": {"name": "train", "namespace": "a", "uid": "u1", "resourceVersion": "42", "labels": {"team": "x"},
		"annotations": {"frameworkcontroller.microsoft.com/link.logs": "https://logs.example.com/{{FC_FRAMEWORK_NAME}}", "frameworkcontroller.microsoft.com/link.x": "javascript:x"}, "creationTimestamp": "2026-03-01T10:00:00Z"}}},
	{"cells": ["done", "Completed", 0, 4, 7, "Odd", null], "object": {"metadata": {"name": "done", "namespace": "a", "uid": "u2", "creationTimestamp": "2026-03-01T10:00:00Z"}}}]}`

// running is a cluster for tests.
type running struct {
	list  func(namespace string) (*metav1.Table, error)
	watch func(ctx context.Context, namespace string, changed func()) error
	// explain may be nil if nothing is explained.
	explain func(namespace, name string) (*Explained, error)
}

func (r running) List(_ context.Context, namespace string) (*metav1.Table, error) {
	return r.list(namespace)
}

func (r running) Watch(ctx context.Context, namespace string, changed func()) error {
	return r.watch(ctx, namespace, changed)
}

func (r running) Explain(_ context.Context, namespace, name string) (*Explained, error) {
	return r.explain(namespace, name)
}

func forbidden() error {
	return apierrors.NewForbidden(schema.GroupResource{Resource: "frameworks"}, "", errors.New("you may not list frameworks"))
}

// The list has a row for each Framework of the cluster, beside the rows of the history. Without the permission to list Frameworks, it has
// only the rows of the history.
func TestLiveRows(t *testing.T) {
	var asked []string
	list := func(namespace string) (*metav1.Table, error) {
		asked = append(asked, namespace)
		if namespace == "closed" {
			return nil, fmt.Errorf("listing: %w", forbidden())
		}
		var of metav1.Table
		return &of, json.Unmarshal([]byte(table), &of)
	}
	h := Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("history")) }), running{list: list})
	page := func(path string) (p livePage) {
		answer := ask(h, "GET", "http://"+host+path)
		require.Equal(t, http.StatusOK, answer.StatusCode)
		require.NotEmpty(t, answer.Header.Get(LiveHeader))
		require.NoError(t, json.NewDecoder(answer.Body).Decode(&p))
		return p
	}
	open := page(LivePath + "?namespace=a")
	require.Len(t, open.Items, 2)
	first := open.Items[0]
	require.True(t, first.Live)
	require.Equal(t, "u1 AttemptRunning x", first.UID+" "+first.State+" "+first.Labels["team"])
	require.EqualValues(t, 3, first.Running)
	require.EqualValues(t, 4, first.Tasks)
	require.Equal(t, "42", first.Version)
	require.Equal(t, "waits for the Pod of worker-3", first.Waiting)
	require.Equal(t, []historyapi.Link{{Name: "logs", URL: "https://logs.example.com/train"}}, first.Links)
	require.Nil(t, first.Completion)
	require.Equal(t, "Failed", open.Items[1].Completion.Type)
	require.EqualValues(t, 7, open.Items[1].Completion.Code)
	closed := page(LivePath + "?namespace=closed")
	require.Empty(t, closed.Items)
	require.Contains(t, closed.Message, "may not list")
	require.Equal(t, http.StatusForbidden, closed.Status)
	require.Equal(t, []string{"a", "closed"}, asked)
	require.NotEmpty(t, ask(h, "GET", "http://"+host+"/api/v1/frameworks").Header.Get(LiveHeader))
	require.Empty(t, ask(Handler(http.NotFoundHandler(), nil), "GET", "http://"+host+LivePath).Header.Get(LiveHeader))
}

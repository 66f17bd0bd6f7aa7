package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// withFailure has prod/train, whose worker-1 failed, which ended worker-0 and the Framework.
func withFailure(t *testing.T) http.Handler {
	at := func(seconds int) *timestamppb.Timestamp {
		return timestamppb.New(begun.Add(time.Duration(seconds) * time.Second))
	}
	f := &pluginpb.Framework{Namespace: "prod", Name: "train", Uid: "u"}
	failed := &pluginpb.Completion{Code: 7, Phrase: "ContainerUnrecognizedFailed", Type: &pluginpb.CompletionType{Name: "Failed"}}
	cut := &pluginpb.Completion{Code: -220, Phrase: "FrameworkAttemptCompletion", Type: &pluginpb.CompletionType{Name: "Failed", Attributes: []string{"Permanent"}}}
	task := func(index int32, ended int, c *pluginpb.Completion) *pluginpb.Record {
		return &pluginpb.Record{Key: fmt.Sprint("task", index), Framework: f, Time: at(ended), Content: &pluginpb.Record_TaskAttempt{TaskAttempt: &pluginpb.TaskAttemptRecord{
			TaskRole: "worker", TaskIndex: index, TaskUid: "t", PodName: "train-worker", Node: "node-5", Completion: c, Began: at(0), Ended: at(ended),
			Containers: []*pluginpb.ContainerRecord{{Name: "main", ExitCode: &c.Code, Message: "cannot open /data"}}}}}
	}
	body, err := proto.Marshal(&pluginpb.StoreRequest{Records: []*pluginpb.Record{
		task(1, 50, failed), task(0, 60, cut),
		{Key: "attempt", Framework: f, Time: at(60), Content: &pluginpb.Record_FrameworkAttempt{FrameworkAttempt: &pluginpb.FrameworkAttemptRecord{
			Began: at(0), Ended: at(60), Completion: failed, TriggerRole: "worker", TriggerIndex: 1, Tasks: 2, Retry: &pluginpb.Retry{Row: "R7"}}}},
		{Key: "framework", Framework: f, Time: at(61), Content: &pluginpb.Record_FrameworkRecord{FrameworkRecord: &pluginpb.FrameworkRecord{
			Revision: 1, Created: at(0), Completed: at(60), State: "Completed", Completion: failed, Tasks: 2}}},
		{Key: "new", Framework: &pluginpb.Framework{Namespace: "prod", Name: "new", Uid: "n"}, Time: at(61), Content: &pluginpb.Record_FrameworkRecord{
			FrameworkRecord: &pluginpb.FrameworkRecord{Revision: 1, Created: at(0), State: "AttemptRunning", Tasks: 2}}}}})
	require.NoError(t, err)
	h := New(Options{Store: database(t), Access: cluster(), UserLabel: "user", Log: hclog.NewNullLogger()}).Handler()
	require.Equal(t, http.StatusOK, ask(h, "POST", "/api/v1/records", "sink", body).Code)
	return h
}

const explainTrain = "/api/v1/frameworks/prod/train/explain"

// The server explains an attempt, and a Task in it, in the statements of the command.
func TestExplain(t *testing.T) {
	h := withFailure(t)
	explain := func(query string) (e historyapi.Explanation, text string) {
		answer := ask(h, "GET", explainTrain+query, "ann", nil)
		require.Equal(t, http.StatusOK, answer.Code, answer.Body)
		require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &e))
		var all []string
		for _, s := range e.Statements {
			all = append(all, s.Sentence)
		}
		return e, strings.Join(all, "\n")
	}
	e, text := explain("")
	require.Equal(t, "Framework train", e.About.Kind+" "+e.About.Name)
	require.Contains(t, text, "Framework train has failed: it ended at 2026-11-29T10:01:00Z")
	require.Contains(t, text, "1 has failed and 1 was cut short.")
	require.Contains(t, text, "Task worker-1 ended the attempt.")
	require.Contains(t, text, `Its termination message is "cannot open /data".`)
	require.Contains(t, text, "Task worker-1 failed first: its attempt 0 ended at 2026-11-29T10:00:50Z")
	require.NotContains(t, text, "error calling")
	require.NotEmpty(t, e.Next)
	require.Equal(t, "2026-11-29T10:01:00Z", e.Statements[0].Parts[1].Text)
	require.Equal(t, begun.Add(time.Minute), *e.Statements[0].Parts[1].Time)
	for _, s := range e.Statements {
		if s.Topic == "FailedFirst" {
			require.Equal(t, "worker-1", s.Subject.Name)
			require.EqualValues(t, 1, *s.Subject.Index)
			require.Contains(t, string(s.Arguments), `"node":"node-5"`)
		}
	}
	_, again := explain("?attempt=0&uid=u")
	require.Equal(t, text, again)

	e, text = explain("?role=worker&index=0")
	require.Equal(t, "Task worker-0", e.About.Kind+" "+e.About.Name)
	require.Contains(t, text, "Task worker-0 of Framework train was cut short")
	_, text = explain("?role=worker&index=9")
	require.Contains(t, text, "Framework train has no Task worker-9.")
}

// Mistakes, missing rights and missing attempts have their own answers.
func TestExplainRefuses(t *testing.T) {
	h := withFailure(t)
	for _, c := range []struct {
		path, token string
		status      int
		text        string
	}{
		{explainTrain, "", 401, ""},
		{explainTrain, "sink", 403, "may not get Frameworks"},
		{explainTrain + "?attempt=3", "ann", 404, "no attempt 3"},
		{explainTrain + "?role=worker", "ann", 400, "role and index"},
		{explainTrain + "?index=1", "ann", 400, "role and index"},
		{explainTrain + "?uid=other", "ann", 404, "no Framework of that name"},
		{"/api/v1/frameworks/prod/new/explain", "ann", 404, "no attempt of Framework new has ended"},
	} {
		answer := ask(h, "GET", c.path, c.token, nil)
		require.Equal(t, c.status, answer.Code, c.path)
		require.Contains(t, answer.Body.String(), c.text, c.path)
	}
}

// Attempts of Tasks are found by all groups of failures.
func TestTasksOfGroups(t *testing.T) {
	h := withFailure(t)
	for query, want := range map[string]int{"role=worker": 2, "role=none": 0, "plugin=none": 0, "rule=none": 0, "image=none": 0, "role=worker&failed=true": 1} {
		var page historyapi.Page[historyapi.TaskAttempt]
		answer := ask(h, "GET", "/api/v1/tasks?namespace=prod&since=2026-11-29T00:00:00Z&"+query, "ann", nil)
		require.Equal(t, http.StatusOK, answer.Code, query)
		require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &page))
		require.Len(t, page.Items, want, query)
	}
}

// Each user gets a selector of the user's own Frameworks, as far as the name fits a label.
func TestUser(t *testing.T) {
	h := withFailure(t)
	require.JSONEq(t, `{"name": "ann", "labelSelector": "user=ann"}`, ask(h, "GET", "/api/v1/user", "ann", nil).Body.String())
	require.Equal(t, http.StatusUnauthorized, ask(h, "GET", "/api/v1/user", "", nil).Code)
	require.JSONEq(t, `{"name": "ann"}`, ask(handler(t), "GET", "/api/v1/user", "ann", nil).Body.String(), "without --user-label")
	require.JSONEq(t, `{"name": ""}`, ask(handlerOf(t, nil), "GET", "/api/v1/user", "", nil).Body.String(), "without authentication")
	for name, want := range map[string]string{
		"ann": "user=ann", "ann.b": "user=ann.b", "ann@example.com": "user=ann", "oidc:ann@example.com": "user=ann", "https://idp/ann": "user=ann",
		"system:serviceaccount:ci:builder": "user=builder", "ann@": "user=ann", "@": "", "": "", "a,b": "", "a) or (b": "", strings.Repeat("x", 64): "",
	} {
		require.Equal(t, want, ownFrameworks("user", name), name)
	}
}

package localpage

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/explained"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// A Framework that runs is explained in the form of the history server, or the page learns why it is not.
func TestLiveExplanation(t *testing.T) {
	began := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	f := &v1.Framework{ObjectMeta: metav1.ObjectMeta{Name: "train", Namespace: "a", UID: "u1"},
		Status: &v1.FrameworkStatus{State: v1.AttemptRunning, AttemptStatus: v1.FrameworkAttemptStatus{ID: 2, StartTime: metav1.NewTime(began)}}}
	h := Handler(http.NotFoundHandler(), running{explain: func(namespace, name string) (*Explained, error) {
		switch {
		case namespace == "closed":
			return nil, fmt.Errorf("reading a Pod: %w", forbidden())
		case namespace != "a" || name != "train":
			return nil, errors.New("connection refused")
		}
		e, err := explained.Explanation(explain.Framework(explain.Facts{Framework: f, Now: began.Add(time.Hour)}), 2, began)
		return &Explained{"u1", e}, err
	}})
	answer := ask(h, "GET", "http://"+host+LiveExplainPath+"?namespace=a&name=train&uid=u1")
	require.Equal(t, http.StatusOK, answer.StatusCode)
	var e historyapi.Explanation
	in := json.NewDecoder(answer.Body)
	in.DisallowUnknownFields()
	require.NoError(t, in.Decode(&e))
	require.EqualValues(t, 2, e.FrameworkAttempt)
	require.Equal(t, "Framework train is running: attempt 2 began at 2026-03-01T10:00:00Z (60m ago).", e.Statements[0].Sentence)
	require.Equal(t, began, e.Statements[0].Parts[1].Time.UTC())
	for query, c := range map[string]struct {
		status int
		says   string
	}{
		"namespace=a":                        {400, "namespace and name"},
		"name=train":                         {400, "namespace and name"},
		"namespace=a&name=train&uid=u0":      {404, "another one"},
		"namespace=closed&name=train&uid=u1": {403, "you may not list frameworks"},
		"namespace=a&name=gone":              {502, "connection refused"},
	} {
		answer := ask(h, "GET", "http://"+host+LiveExplainPath+"?"+query)
		require.Equal(t, c.status, answer.StatusCode, query)
		var refused historyapi.Error
		require.NoError(t, json.NewDecoder(answer.Body).Decode(&refused))
		require.Contains(t, refused.Message, c.says, query)
	}
}

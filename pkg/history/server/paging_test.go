package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// storeFrameworks has the sink store n Frameworks of a namespace.
func storeFrameworks(t *testing.T, h http.Handler, namespace string, n int) {
	t.Helper()
	q := &pluginpb.StoreRequest{}
	for i := range n {
		q.Records = append(q.Records, &pluginpb.Record{Key: fmt.Sprintf("%s-%d", namespace, i), Time: timestamppb.Now(),
			Framework: &pluginpb.Framework{Namespace: namespace, Name: fmt.Sprintf("f%d", i), Uid: fmt.Sprintf("%s-uid-%d", namespace, i)},
			Content:   &pluginpb.Record_FrameworkRecord{FrameworkRecord: &pluginpb.FrameworkRecord{State: "AttemptRunning", Created: timestamppb.Now()}}})
	}
	body, err := proto.Marshal(q)
	require.NoError(t, err)
	require.Equal(t, 200, ask(h, "POST", "/api/v1/records", "sink", body).Code)
}

// A reader of one namespace can page through all of it, and through nothing else, for any token.
func TestPages(t *testing.T) {
	h := handler(t)
	storeFrameworks(t, h, "prod", 23)
	storeFrameworks(t, h, "dev", 23)
	seen, next, pages := map[string]bool{}, "", 0
	for {
		answer := ask(h, "GET", "/api/v1/frameworks?namespace=prod&limit=5&continue="+next, "ann", nil)
		require.Equal(t, 200, answer.Code)
		var page historyapi.Page[historyapi.Framework]
		require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &page))
		for _, f := range page.Items {
			require.Equal(t, "prod", f.Namespace)
			require.False(t, seen[f.UID], "%s is on two pages", f.UID)
			seen[f.UID] = true
		}
		pages++
		if page.Next == "" {
			break
		}
		next = page.Next
		for _, path := range []string{"/api/v1/frameworks?", "/api/v1/frameworks?namespace=dev&", "/api/v1/tasks?namespace=dev&"} {
			require.Equal(t, 403, ask(h, "GET", path+"limit=5&continue="+next, "ann", nil).Code, path)
		}
	}
	require.Len(t, seen, 23)
	require.Equal(t, 5, pages)
	for _, token := range []string{"x", "bnVsbA", "W10", "WzEsMiwzLDQsNV0", "WyJhIiwiYiJd"} {
		require.Equal(t, 400, ask(h, "GET", "/api/v1/frameworks?namespace=prod&continue="+token, "ann", nil).Code, token)
		require.Equal(t, 400, ask(h, "GET", "/api/v1/tasks?namespace=prod&continue="+token, "ann", nil).Code, token)
	}
}

// A request has at most a thousand records, and each has a key and a Framework.
func TestRefusedRecords(t *testing.T) {
	h := handler(t)
	record := func(i int) *pluginpb.Record {
		return &pluginpb.Record{Key: fmt.Sprint(i), Framework: &pluginpb.Framework{Namespace: "prod", Name: "f", Uid: "u"}, Time: timestamppb.Now(),
			Content: &pluginpb.Record_Happening{Happening: &pluginpb.Happening{Reason: "Rescaled"}}}
	}
	for name, c := range map[string]struct {
		change func([]*pluginpb.Record)
		count  int
		status int
	}{
		"as many as are allowed": {nil, mostRecords, 200},
		"one more":               {nil, mostRecords + 1, 413},
		"none":                   {nil, 0, 200},
		"no key":                 {func(all []*pluginpb.Record) { all[1].Key = "" }, 3, 400},
		"a long key":             {func(all []*pluginpb.Record) { all[1].Key = string(make([]byte, mostKey+1)) }, 3, 400},
		"no Framework":           {func(all []*pluginpb.Record) { all[1].Framework = nil }, 3, 400},
		"no time or content":     {func(all []*pluginpb.Record) { all[1].Time, all[1].Content = nil, nil }, 3, 200},
		"the same key twice":     {func(all []*pluginpb.Record) { all[1].Key = all[0].Key }, 3, 200},
	} {
		var all []*pluginpb.Record
		for i := range c.count {
			all = append(all, record(i))
		}
		if c.change != nil {
			c.change(all)
		}
		body, err := proto.Marshal(&pluginpb.StoreRequest{Records: all})
		require.NoError(t, err)
		answer := ask(h, "POST", "/api/v1/records", "sink", body)
		require.Equal(t, c.status, answer.Code, "%s: %s", name, answer.Body)
	}
}

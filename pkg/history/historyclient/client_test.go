package historyclient

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// numbered answers a list of 2,500 Frameworks in pages, of as many as are asked for.
func numbered(t *testing.T) *Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var from, limit int
		_, _ = fmt.Sscan(r.URL.Query().Get("continue"), &from)
		_, _ = fmt.Sscan(r.URL.Query().Get("limit"), &limit)
		var page historyapi.Page[historyapi.Framework]
		for i := from; i < 2500; i++ {
			if len(page.Items) == limit {
				page.Next = fmt.Sprint(i)
				break
			}
			page.Items = append(page.Items, historyapi.Framework{Name: fmt.Sprint(i)})
		}
		_ = json.NewEncoder(w).Encode(page)
	}))
	t.Cleanup(server.Close)
	c, err := Connect(t.Context(), &rest.Config{}, Options{URL: server.URL})
	require.NoError(t, err)
	return c
}

func TestPages(t *testing.T) {
	c := numbered(t)
	for limit, want := range map[int]struct {
		visited int
		more    bool
	}{0: {2500, false}, 1: {1, true}, 1000: {1000, true}, 1500: {1500, true}, 2499: {2499, true}, 2500: {2500, false}, 9999: {2500, false}} {
		visited := 0
		more, err := c.Frameworks(t.Context(), Filter{}, limit, func(f historyapi.Framework) error {
			require.Equal(t, fmt.Sprint(visited), f.Name)
			visited++
			return nil
		})
		require.NoError(t, err)
		require.Equal(t, want.visited, visited, "limit %d", limit)
		require.Equal(t, want.more, more, "limit %d", limit)
	}
}

// A server at fault cannot keep a client for ever.
func TestSamePageAgain(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"items": [], "next": "x"}`) }))
	t.Cleanup(server.Close)
	c, err := Connect(t.Context(), &rest.Config{}, Options{URL: server.URL})
	require.NoError(t, err)
	_, err = c.Tasks(t.Context(), Filter{}, 0, nil)
	require.EqualError(t, err, "the history server "+server.URL+" returns the same page again")
}

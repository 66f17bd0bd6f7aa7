package rbac

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// With the rules for logs, the history server may read Pods and their logs, and nothing else in their namespaces.
func TestRulesForHistoryLogs(t *testing.T) {
	apply(t, "history.yaml")
	for _, p := range []permission{{"", "pods/log", "get"}, {"", "pods", "get"}} {
		require.False(t, may(t, t.Context(), historyUser, "any", p), "%v, without the rules", p)
	}
	apply(t, "history/logs.yaml")
	for _, p := range []permission{{"", "pods/log", "get"}, {"", "pods", "get"}} {
		eventually(t, func(ctx context.Context) error {
			if !may(t, ctx, historyUser, "any", p) {
				return fmt.Errorf("it may not %s", p)
			}
			return nil
		})
	}
	for _, p := range []permission{
		{"", "pods", "list"}, {"", "pods", "watch"}, {"", "pods", "delete"}, {"", "pods", "create"}, {"", "pods/exec", "create"},
		{"", "pods/portforward", "create"}, {"", "secrets", "get"}, {"", "nodes/proxy", "get"}, {group, "frameworks", "get"},
	} {
		require.False(t, may(t, t.Context(), historyUser, "any", p), "%v", p)
	}
}

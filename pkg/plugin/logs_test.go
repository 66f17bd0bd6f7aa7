package plugin_test

import (
	"context"
	"errors"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
)

// A sink states whether it collects logs after it was configured, as the parameters may decide that.
func TestCollectsLogs(t *testing.T) {
	nothing := plugin.SinkFunc(func(context.Context, []*pluginpb.Record) ([]string, error) { return nil, nil })
	collect := plugin.LogCollectorFunc(func(_ context.Context, q *pluginpb.CollectLogsRequest) error {
		if q.GetPodName() == "bad" {
			return errors.New("no log")
		}
		return nil
	})
	configured := func(logs bool) plugin.Plugin {
		on := false
		return plugin.Plugin{HistorySink: nothing, LogCollector: collect, CollectsLogs: func() bool { return on },
			Configure: func(string, *structpb.Struct) error { on = logs; return nil }}
	}
	for name, test := range map[string]struct {
		plugin   plugin.Plugin
		collects bool
		bad      codes.Code
	}{
		"no collector":   {plugin.Plugin{HistorySink: nothing}, false, codes.Unimplemented},
		"collector":      {plugin.Plugin{HistorySink: nothing, LogCollector: collect}, true, codes.Unknown},
		"configured":     {configured(true), true, codes.Unknown},
		"not configured": {configured(false), false, codes.Unknown},
		"no sink":        {plugin.Plugin{LogCollector: collect}, false, codes.Unimplemented},
	} {
		t.Run(name, func(t *testing.T) {
			conn := plugintest.InProcess(func() plugin.Plugin { return test.plugin })(t)
			described, err := pluginpb.NewPluginClient(conn).Describe(t.Context(), &pluginpb.DescribeRequest{})
			if err != nil || described.GetCollectsLogs() != test.collects {
				t.Errorf("described as %v, %v", described, err)
			}
			client := pluginpb.NewHistorySinkClient(conn)
			if _, err := client.CollectLogs(t.Context(), &pluginpb.CollectLogsRequest{PodName: "bad"}); status.Code(err) != test.bad {
				t.Errorf("%v, want %s", err, test.bad)
			}
			if _, err := client.CollectLogs(t.Context(), &pluginpb.CollectLogsRequest{}); test.collects && err != nil {
				t.Error(err)
			}
		})
	}
}

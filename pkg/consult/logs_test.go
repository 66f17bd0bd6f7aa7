package consult_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// Only sinks that keep logs are asked. Their failure policy is for records: nothing waits for logs.
func TestCollectLogs(t *testing.T) {
	keeps := historySink("keeps")
	keeps.collects = true
	also := historySink("also")
	also.collects = true
	for name, test := range map[string]struct {
		opinions []opinion
		asked    []string
		want     string
	}{
		"none":         {nil, nil, "<nil>"},
		"keeps none":   {[]opinion{historySink("a")}, nil, "<nil>"},
		"all":          {[]opinion{keeps, historySink("a"), also}, []string{"also", "keeps"}, "<nil>"},
		"one does not": {[]opinion{broken(keeps, pluginhost.Wait), also}, []string{"also", "keeps"}, "it is broken"},
	} {
		t.Run(name, func(t *testing.T) {
			h := &host{opinions: test.opinions}
			panel := consult.New(h, nil)
			err := panel.CollectLogs(t.Context(), &pluginpb.CollectLogsRequest{})
			slices.Sort(h.asked)
			if got := fmt.Sprint(err); got != test.want || !slices.Equal(h.asked, test.asked) {
				t.Errorf("got %s from %q", got, h.asked)
			}
			if want := len(test.asked) > 0; panel.CollectsLogs() != want || panel.Asking(nil).Logs != want {
				t.Errorf("it collects logs: %t", panel.CollectsLogs())
			}
		})
	}
	if err := (*consult.Panel)(nil).CollectLogs(t.Context(), nil); err != nil || (*consult.Panel)(nil).CollectsLogs() {
		t.Error("nobody collects logs")
	}
}

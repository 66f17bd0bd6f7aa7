package plugintest

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Options describe the plugin under test to a suite. The zero value fits a plugin without parameters.
type Options struct {
	// Parameters that the configuration gives to the plugin; nil for none.
	Parameters map[string]any
	// Parameters that the plugin must refuse.
	Refused []Refused
	// Deadline of an answer; 0 means 5 s, as in the controller.
	Timeout time.Duration

	// Questions on which the plugin has an opinion, of the suite's kind. They are asked in addition to generated ones.
	// Pending Pods are for plugins that judge them.
	Pods     []*pluginpb.FailedPod
	Attempts []*pluginpb.DecideRequest
	Shapes   []*pluginpb.HintRequest
	// Records that the sink must acknowledge, each with another key, in addition to generated ones.
	Records []*pluginpb.Record
	// Logs are questions about logs that the sink must answer in time, in addition to generated ones.
	Logs []*pluginpb.CollectLogsRequest

	// Questions that the plugin must refuse, such as questions with wrong parameters.
	RefusedPods     []RefusedPod
	RefusedAttempts []RefusedAttempt
}

// RefusedPod is a Pod of a Framework that the plugin refuses.
type RefusedPod struct {
	Question *pluginpb.FailedPod
	// Text that the refusal must mention: the parameter.
	Mention string
}

// RefusedAttempt is a question about a Framework that the plugin refuses.
type RefusedAttempt struct {
	Question *pluginpb.DecideRequest
	// Text that the refusal must mention: the parameter.
	Mention string
}

// Refused are parameters that a plugin cannot use.
type Refused struct {
	Parameters map[string]any
	// Text that the refusal must mention: the parameter.
	Mention string
}

func (o Options) context(t *testing.T) context.Context {
	timeout := o.Timeout
	if timeout == 0 {
		timeout = 5 * time.Second
	}
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	t.Cleanup(cancel)
	return ctx
}

// described starts the plugin and describes it as the controller does.
func (o Options) described(t *testing.T, start Start) grpc.ClientConnInterface {
	t.Helper()
	conn := start(t)
	if _, err := o.describe(t, conn, o.Parameters); err != nil {
		t.Fatalf("Describe: %v", err)
	}
	return conn
}

func (o Options) describe(t *testing.T, conn grpc.ClientConnInterface, parameters map[string]any) (*pluginpb.DescribeResponse, error) {
	t.Helper()
	request := &pluginpb.DescribeRequest{Name: "under-test", Minor: plugin.Minor}
	if parameters != nil {
		request.Parameters = Parameters(t, parameters)
	}
	return pluginpb.NewPluginClient(conn).Describe(o.context(t), request)
}

// Parameters converts parameters to their form in messages.
func Parameters(t *testing.T, parameters map[string]any) *structpb.Struct {
	t.Helper()
	s, err := structpb.NewStruct(parameters)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// testDescribe is the part of the suites that is common to every kind.
func (o Options) testDescribe(t *testing.T, start Start) {
	t.Run("describes itself", func(t *testing.T) {
		first, err := o.describe(t, start(t), o.Parameters)
		if err != nil {
			t.Fatal(err)
		}
		again, err := o.describe(t, start(t), o.Parameters)
		if err != nil || again.GetVersion() != first.GetVersion() {
			t.Errorf("version %q, and of a new process %q (%v)", first.GetVersion(), again.GetVersion(), err)
		}
		if first.GetMinor() < 0 || first.GetMinor() > plugin.Minor {
			t.Errorf("minor version %d of the protocol; known are 0 to %d", first.GetMinor(), plugin.Minor)
		}
	})
	for _, refused := range o.Refused {
		t.Run("refuses "+describeParameters(refused.Parameters), func(t *testing.T) {
			_, err := o.describe(t, start(t), refused.Parameters)
			if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), refused.Mention) {
				t.Errorf("%v, want InvalidArgument that mentions %q", err, refused.Mention)
			}
		})
	}
}

// describeParameters names a test; the keys suffice to distinguish them.
func describeParameters(parameters map[string]any) string {
	keys := make([]string, 0, len(parameters))
	for key := range parameters {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return strings.Join(keys, "+")
}

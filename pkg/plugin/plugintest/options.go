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

// Options say what a suite has to know of the plugin under test. The zero value fits a plugin without parameters.
type Options struct {
	// What the configuration gives to the plugin; nil for none.
	Parameters map[string]any
	// Parameters that the plugin has to refuse.
	Refused []Refused
	// How long an answer may take; 5 s if it is 0, as in the controller.
	Timeout time.Duration

	// Questions on which the plugin has an opinion, of the kind that the suite is for. They are asked in addition to
	// those that the suite makes up. Pods that do not get to run (Pending) are for plugins that judge them.
	Pods     []*pluginpb.FailedPod
	Attempts []*pluginpb.DecideRequest
	Shapes   []*pluginpb.HintRequest

	// Questions that the plugin has to refuse, such as those with wrong parameters.
	RefusedPods     []RefusedPod
	RefusedAttempts []RefusedAttempt
}

// RefusedPod is one of a Framework for whose author the plugin has a refusal.
type RefusedPod struct {
	Question *pluginpb.FailedPod
	// What the refusal has to mention: the parameter.
	Mention string
}

// RefusedAttempt is a question about a Framework for whose author the plugin has a refusal.
type RefusedAttempt struct {
	Question *pluginpb.DecideRequest
	// What the refusal has to mention: the parameter.
	Mention string
}

// Refused are parameters with which a plugin cannot work.
type Refused struct {
	Parameters map[string]any
	// What the refusal has to mention: the parameter.
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

// Parameters returns parameters as they are in messages.
func Parameters(t *testing.T, parameters map[string]any) *structpb.Struct {
	t.Helper()
	s, err := structpb.NewStruct(parameters)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// testDescribe is the part of the suites that concerns every kind.
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
			t.Errorf("minor version %d of the protocol, and there are 0 to %d", first.GetMinor(), plugin.Minor)
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

// describeParameters names a test; keys are enough to tell them apart.
func describeParameters(parameters map[string]any) string {
	keys := make([]string, 0, len(parameters))
	for key := range parameters {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return strings.Join(keys, "+")
}

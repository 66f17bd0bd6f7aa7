package plugin

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// serve returns a connection to a plugin in this process, over real gRPC.
func serve(t *testing.T, p Plugin) *grpc.ClientConn {
	t.Helper()
	listener := bufconn.Listen(1 << 20)
	server := newServer(nil)
	p.Register(server)
	go server.Serve(listener)
	conn, err := grpc.NewClient("passthrough:plugin", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	require.NoError(t, err)
	t.Cleanup(func() {
		conn.Close()
		server.Stop()
	})
	return conn
}

func wantStatus(t *testing.T, err error, code codes.Code, text string) {
	t.Helper()
	if status.Code(err) != code || !strings.Contains(err.Error(), text) {
		t.Errorf("got %v, want %s: ...%s...", err, code, text)
	}
}

func TestDescribe(t *testing.T) {
	var name string
	var given struct {
		Codes []int32 `json:"codes"`
		Kept  string  `json:"kept"`
	}
	given.Kept = "default"
	conn := serve(t, Plugin{Version: "1.2", Configure: func(n string, p *structpb.Struct) error {
		name = n
		return Decode(p, &given)
	}})
	client := pluginpb.NewPluginClient(conn)
	parameters := func(m map[string]any) *structpb.Struct {
		s, err := structpb.NewStruct(m)
		require.NoError(t, err)
		return s
	}
	answer, err := client.Describe(t.Context(), &pluginpb.DescribeRequest{Name: "n", Parameters: parameters(map[string]any{"codes": []any{1, 2}})})
	if err != nil || answer.Version != "1.2" || name != "n" || !slices.Equal(given.Codes, []int32{1, 2}) || given.Kept != "default" {
		t.Errorf("%v, %v, %+v", answer, err, given)
	}
	if _, err := client.Describe(t.Context(), &pluginpb.DescribeRequest{}); err != nil {
		t.Errorf("without parameters: %v", err)
	}
	_, err = client.Describe(t.Context(), &pluginpb.DescribeRequest{Parameters: parameters(map[string]any{"code": 1})})
	wantStatus(t, err, codes.InvalidArgument, `unknown field "code"`)
}

func TestOnlyWhatIsSetIsServed(t *testing.T) {
	conn := serve(t, Plugin{})
	_, err := pluginpb.NewFailureClassifierClient(conn).Classify(t.Context(), &pluginpb.ClassifyRequest{})
	wantStatus(t, err, codes.Unimplemented, "FailureClassifier")
}

func TestClassify(t *testing.T) {
	shared := Verdict(7, "Seven", Transient)
	conn := serve(t, Plugin{FailureClassifier: ClassifierFunc(func(_ context.Context, p *pluginpb.FailedPod) (*pluginpb.Verdict, error) {
		switch p.Reason {
		case "seven":
			return shared, nil
		case "zero":
			return &pluginpb.Verdict{Phrase: "NoOpinion"}, nil
		case "error":
			return nil, errors.New("on purpose")
		case "panic":
			panic("on purpose")
		}
		return nil, nil
	})})
	client := pluginpb.NewFailureClassifierClient(conn)
	ask := func(reasons ...string) (*pluginpb.ClassifyResponse, error) {
		q := &pluginpb.ClassifyRequest{}
		for i, r := range reasons {
			q.Pods = append(q.Pods, &pluginpb.FailedPod{Uid: fmt.Sprint(i), Name: "pod", Reason: r})
		}
		return client.Classify(t.Context(), q)
	}
	answer, err := ask("seven", "none", "zero", "seven")
	if err != nil || len(answer.Verdicts) != 2 || answer.Verdicts[0].Uid != "0" || answer.Verdicts[1].Uid != "3" || answer.Verdicts[1].Code != 7 {
		t.Errorf("%v, %v", answer, err)
	}
	if shared.Uid != "" {
		t.Error("the classifier's own verdict was changed")
	}
	_, err = ask("seven", "error")
	wantStatus(t, err, codes.Unknown, "on purpose")
	_, err = ask("seven", "panic")
	wantStatus(t, err, codes.Internal, "panic while classifying Pod pod: on purpose")
	if _, err = ask("seven"); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestDecide(t *testing.T) {
	conn := serve(t, Plugin{CompletionPolicy: PolicyFunc(func(_ context.Context, q *pluginpb.DecideRequest) (*pluginpb.DecideResponse, error) {
		switch q.Framework.Name {
		case "ends":
			return &pluginpb.DecideResponse{Decision: pluginpb.DecideResponse_FAILED, Code: 1, Phrase: "A", Type: Failed(Permanent), Rule: "r", Message: "m"}, nil
		case "panics":
			panic("on purpose")
		}
		return nil, nil
	})})
	client := pluginpb.NewCompletionPolicyClient(conn)
	ask := func(name string) (*pluginpb.DecideResponse, error) {
		return client.Decide(t.Context(), &pluginpb.DecideRequest{Framework: &pluginpb.Framework{Name: name, AttemptId: 4}, Digest: "d"})
	}
	a, err := ask("ends")
	if err != nil || a.Digest != "d" || a.AttemptId != 4 || a.Code != 1 || a.Phrase != "A" || a.Rule != "r" || a.Message != "m" || a.Type.Attributes[0] != Permanent {
		t.Errorf("%v, %v", a, err)
	}
	if a, err := ask("abstains"); err != nil || a.Decision != pluginpb.DecideResponse_ABSTAIN {
		t.Errorf("%v, %v", a, err)
	}
	_, err = ask("panics")
	wantStatus(t, err, codes.Internal, "on purpose")
}

type waiting struct{ HintsFunc }

func (waiting) MayCreate(context.Context, *pluginpb.MayCreateRequest) (*pluginpb.MayCreateResponse, error) {
	return nil, nil
}

func TestHint(t *testing.T) {
	hints := HintsFunc(func(_ context.Context, q *pluginpb.HintRequest) (*pluginpb.HintResponse, error) {
		if q.Framework.GetName() == "none" {
			return nil, nil
		}
		return &pluginpb.HintResponse{Wait: true}, nil
	})
	client := pluginpb.NewSchedulerHintsClient(serve(t, Plugin{SchedulerHints: hints}))
	if a, err := client.Hint(t.Context(), &pluginpb.HintRequest{Framework: &pluginpb.Framework{Name: "none"}}); err != nil || a.Wait {
		t.Errorf("%v, %v", a, err)
	}
	_, err := client.Hint(t.Context(), &pluginpb.HintRequest{})
	wantStatus(t, err, codes.Internal, "the plugin has no MayCreate")
	client = pluginpb.NewSchedulerHintsClient(serve(t, Plugin{SchedulerHints: waiting{hints}}))
	if a, err := client.Hint(t.Context(), &pluginpb.HintRequest{}); err != nil || !a.Wait {
		t.Errorf("%v, %v", a, err)
	}
	if a, err := client.MayCreate(t.Context(), &pluginpb.MayCreateRequest{}); err != nil || a.Yes {
		t.Errorf("%v, %v", a, err)
	}
}

func TestExitCode(t *testing.T) {
	exited := func(code int32, at int64) *pluginpb.Container {
		return &pluginpb.Container{Terminated: &pluginpb.Terminated{ExitCode: code, FinishedAt: &timestamppb.Timestamp{Seconds: at}}}
	}
	sidecar := func(c *pluginpb.Container) *pluginpb.Container {
		c.Init, c.Sidecar = true, true
		return c
	}
	noTime := &pluginpb.Container{Terminated: &pluginpb.Terminated{ExitCode: 7}}
	tests := []struct {
		name       string
		containers []*pluginpb.Container
		want       int32
	}{
		{"no container", nil, 0},
		{"none has failed", []*pluginpb.Container{{}, exited(0, 5)}, 0},
		{"the last one in the list failed first", []*pluginpb.Container{{}, exited(42, 2), exited(0, 3), exited(1, 1)}, 42},
		{"the last one in the list failed last", []*pluginpb.Container{exited(42, 1), exited(1, 2)}, 1},
		{"at the same time", []*pluginpb.Container{exited(42, 1), exited(1, 1)}, 42},
		{"without a time", []*pluginpb.Container{noTime, exited(1, -1)}, 1},
		{"a stopped sidecar", []*pluginpb.Container{sidecar(exited(143, 9)), exited(42, 1)}, 42},
		{"only a sidecar failed", []*pluginpb.Container{sidecar(exited(3, 1)), exited(0, 9)}, 3},
	}
	for _, test := range tests {
		if got := ExitCode(&pluginpb.FailedPod{Containers: test.containers}); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}

package pluginhost

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// serveChild is the life of a child process. It never returns.
func serveChild(mode string) {
	if d, err := time.ParseDuration(os.Getenv("START")); err == nil {
		time.Sleep(d)
	}
	switch mode {
	case "exit":
		fmt.Fprintln(os.Stderr, "out of luck")
		os.Exit(3)
	case "silent":
		time.Sleep(time.Hour)
	case "garbage":
		fmt.Println("hello, I am no plugin\x1b[31m")
		time.Sleep(time.Hour)
	case "endless line":
		for {
			fmt.Print(strings.Repeat("x", 1000))
		}
	case "handshake":
		fmt.Println(os.Getenv("HANDSHAKE"))
		time.Sleep(time.Hour)
	case "version2":
		serveRaw(2)
	case "sdk":
		plugin.Serve(plugin.Plugin{Version: "sdk", FailureClassifier: plugin.ClassifierFunc(sdkClassify)})
	case "narrow":
		plugin.Serve(plugin.Plugin{FrameworkParameters: []string{"queue"}, FailureClassifier: plugin.ClassifierFunc(sdkClassify)})
	case "closed":
		plugin.Serve(plugin.Plugin{FrameworkParameters: []string{}, FailureClassifier: plugin.ClassifierFunc(sdkClassify)})
	case "pending":
		plugin.Serve(plugin.Plugin{Version: "pending", FailureClassifier: plugin.ClassifierFunc(sdkClassify), PendingJudge: plugin.PendingJudgeFunc(judgeLate), WantsEvents: true})
	case "collector":
		plugin.Serve(plugin.Plugin{Version: "collector", LogCollector: plugin.LogCollectorFunc(collect),
			HistorySink: plugin.SinkFunc(func(_ context.Context, records []*pluginpb.Record) ([]string, error) {
				return []string{records[0].GetKey()}, nil
			})})
	case "watching":
		plugin.Serve(plugin.Plugin{Version: "watching", SchedulerHints: watching{}})
	case "parent":
		sleeper := exec.Command("/proc/self/exe")
		sleeper.Env = []string{childMode + "=silent"}
		if err := sleeper.Start(); err != nil {
			panic(err)
		}
		os.Setenv("VERSION", strconv.Itoa(sleeper.Process.Pid))
		serveRaw(1)
	case "leak":
		leak()
	case "noisy":
		go func() {
			for i := 0; ; i++ {
				fmt.Fprintf(os.Stderr, "noise %d %s\n", i, strings.Repeat("y", 5000))
			}
		}()
		serveRaw(1)
	case "rpc":
		serveRaw(1)
	}
	os.Exit(99)
}

func sdkClassify(_ context.Context, p *pluginpb.FailedPod) (*pluginpb.Verdict, error) {
	switch p.Reason {
	case "panic":
		panic("on purpose")
	case "error":
		return nil, status.Error(codes.FailedPrecondition, "on purpose")
	case "log":
		plugin.Logger().Warn("a warning", "uid", p.Uid, "lines", "one\ntwo")
		fmt.Println("printed to stdout")
		return nil, nil
	}
	return plugin.Verdict(42, "Answer", plugin.Transient), nil
}

// judgeLate lets a Pod take the time in its message, and has no opinion without one.
func judgeLate(_ context.Context, p *pluginpb.FailedPod) (*pluginpb.Verdict, error) {
	wait, err := time.ParseDuration(p.Pending.GetMessage())
	if err != nil {
		return nil, nil
	}
	return plugin.Wait(wait), nil
}

// serveRaw serves without the help, and the limits, of package plugin.
func serveRaw(version int) {
	goplugin.Serve(&goplugin.ServeConfig{
		HandshakeConfig:  plugin.Handshake,
		VersionedPlugins: map[int]goplugin.PluginSet{version: {"raw": raw{}}},
		GRPCServer:       goplugin.DefaultGRPCServer,
	})
	os.Exit(0)
}

type raw struct {
	goplugin.NetRPCUnsupportedPlugin
	pluginpb.UnimplementedPluginServer
	pluginpb.UnimplementedFailureClassifierServer
	pluginpb.UnimplementedCompletionPolicyServer
	pluginpb.UnimplementedSchedulerHintsServer
	pluginpb.UnimplementedHistorySinkServer
}

func (r raw) GRPCServer(_ *goplugin.GRPCBroker, s *grpc.Server) error {
	pluginpb.RegisterPluginServer(s, r)
	if os.Getenv("NO_SERVICE") == "" {
		pluginpb.RegisterFailureClassifierServer(s, r)
		pluginpb.RegisterCompletionPolicyServer(s, r)
		pluginpb.RegisterSchedulerHintsServer(s, r)
		pluginpb.RegisterHistorySinkServer(s, r)
	}
	return nil
}

func (r raw) GRPCClient(context.Context, *goplugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, nil
}

func (r raw) Describe(_ context.Context, q *pluginpb.DescribeRequest) (*pluginpb.DescribeResponse, error) {
	if q.Parameters.GetFields()["bad"] != nil {
		return nil, status.Error(codes.InvalidArgument, "parameter bad is unknown")
	}
	if life, err := time.ParseDuration(os.Getenv("LIFE")); err == nil {
		time.AfterFunc(life, func() { os.Exit(4) })
	}
	version := os.Getenv("VERSION")
	if version == "environment" {
		var names []string
		for _, e := range os.Environ() {
			name, _, _ := strings.Cut(e, "=")
			names = append(names, name)
		}
		sort.Strings(names)
		version = strings.Join(names, " ")
	}
	minor, _ := strconv.Atoi(os.Getenv("MINOR")) // none is 0
	return &pluginpb.DescribeResponse{Version: version, Minor: int32(minor)}, nil
}

// flying is how many calls are under way, and the most that there were.
var flying, mostFlying atomic.Int32

func (r raw) Classify(ctx context.Context, q *pluginpb.ClassifyRequest) (*pluginpb.ClassifyResponse, error) {
	now := flying.Add(1)
	defer flying.Add(-1)
	for most := mostFlying.Load(); now > most && !mostFlying.CompareAndSwap(most, now); most = mostFlying.Load() {
	}
	answer := &pluginpb.ClassifyResponse{}
	for _, p := range q.Pods {
		p.Reason = onlyTheFirstTime(p.Uid, p.Reason)
		if v := r.judge(ctx, p, len(q.Pods)); v != nil {
			answer.Verdicts = append(answer.Verdicts, v)
		}
		if p.Reason == "error" {
			return nil, status.Error(codes.FailedPrecondition, "on purpose")
		}
		if p.Reason == "twice" {
			answer.Verdicts = append(answer.Verdicts, answer.Verdicts[0])
		}
	}
	return answer, nil
}

// onlyTheFirstTime returns the behaviour to apply: "first crash" becomes "crash" for the first process and time that asks about `what`, and
// is empty afterwards.
func onlyTheFirstTime(what, behaviour string) string {
	behaviour, first := strings.CutPrefix(behaviour, "first ")
	if !first {
		return behaviour
	}
	note, err := os.OpenFile(os.Getenv("NOTES")+"/"+what, os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return ""
	}
	note.Close()
	return behaviour
}

// line has one question after the other answered.
var line sync.Mutex

// judge does as the Pod's reason says. The diagnostics of a verdict have the number of Pods in the call, and its rule the largest number of
// calls at once.
func (r raw) judge(ctx context.Context, p *pluginpb.FailedPod, together int) *pluginpb.Verdict {
	v := plugin.Verdict(42, "Answer", plugin.Transient)
	v.Uid, v.Diagnostics, v.Rule = p.Uid, strconv.Itoa(together), strconv.Itoa(int(mostFlying.Load()))
	what, argument, _ := strings.Cut(p.Reason, " ")
	switch what {
	case "hang":
		time.Sleep(time.Hour)
	case "sleep":
		d, _ := time.ParseDuration(argument)
		time.Sleep(d)
	case "queue":
		d, _ := time.ParseDuration(argument)
		line.Lock()
		time.Sleep(d)
		line.Unlock()
	case "crash":
		fmt.Fprintln(os.NewFile(2, ""), "panic: on purpose") // go-plugin has put another in place of os.Stderr
		os.Exit(2)
	case "end": // "end after 1s"
		endAfter(argument)
	case "eat":
		leak()
	case "leak":
		go leak()
		v.Diagnostics = strconv.Itoa(os.Getpid())
	case "leak in a child":
		v.Diagnostics = strconv.Itoa(startLeakingChild())
	case "nothing":
		return nil
	case "huge":
		v.Diagnostics = strings.Repeat("z", 10<<20)
	case "refuse":
		v.Refusal = strings.Repeat("ä", 4000)
	case "long":
		v.Diagnostics = strings.Repeat("ä", 4000)
	case "code":
		n, _ := strconv.Atoi(argument)
		v.Code = int32(n)
	case "stranger":
		v.Uid = "somebody else"
	}
	return v
}

// endAfter ends the process "after" a duration.
func endAfter(argument string) {
	d, _ := time.ParseDuration(strings.TrimPrefix(argument, "after "))
	time.Sleep(d)
	os.Exit(2)
}

func (r raw) Decide(_ context.Context, q *pluginpb.DecideRequest) (*pluginpb.DecideResponse, error) {
	a := &pluginpb.DecideResponse{Decision: pluginpb.DecideResponse_SUCCEEDED, Digest: q.Digest, AttemptId: q.Framework.GetAttemptId()}
	what, argument, _ := strings.Cut(onlyTheFirstTime("decision", q.Framework.GetName()), " ")
	switch what {
	case "error":
		return nil, status.Error(codes.FailedPrecondition, "on purpose")
	case "code": // a code that is not allowed
		return &pluginpb.DecideResponse{Decision: pluginpb.DecideResponse_FAILED, Digest: q.Digest, Code: 205}, nil
	case "sleep":
		d, _ := time.ParseDuration(argument)
		time.Sleep(d)
	case "abstain":
		return &pluginpb.DecideResponse{}, nil
	case "refuse":
		return &pluginpb.DecideResponse{Decision: a.Decision, Refusal: strings.Repeat("ä", 4000)}, nil
	case "stale":
		a.Digest = "old"
	case "crash":
		os.Exit(2)
	case "end":
		endAfter(argument)
	}
	return a, nil
}

func (r raw) Hint(_ context.Context, q *pluginpb.HintRequest) (*pluginpb.HintResponse, error) {
	switch q.Framework.GetName() {
	case "refuse":
		return &pluginpb.HintResponse{Refusal: "no such cell"}, nil
	case "none":
		return &pluginpb.HintResponse{}, nil
	case "reserved":
		return &pluginpb.HintResponse{Patches: []*pluginpb.PodPatch{{TaskRole: "a", Labels: map[string]string{"FC_TASK_INDEX": "0"}}}}, nil
	}
	return &pluginpb.HintResponse{Wait: true, Patches: []*pluginpb.PodPatch{{TaskRole: "a", SchedulerName: "s"}}}, nil
}

func (r raw) MayCreate(context.Context, *pluginpb.MayCreateRequest) (*pluginpb.MayCreateResponse, error) {
	return &pluginpb.MayCreateResponse{Reason: "queued", RetryAfterSeconds: 7}, nil
}

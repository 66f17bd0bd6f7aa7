package plugin

import (
	"context"
	"os"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Plugin is the set of services of a program. At least one of the four kinds must be set.
type Plugin struct {
	// Version of the program, such as "1.4.2"; recorded with its decisions. Empty if it has none.
	Version string
	// Called once, before any question, with the name and the parameters that the configuration gives to the plugin;
	// Decode reads them. They are nil if there are none. After an error the plugin is not asked anything, and the error
	// is shown to the operator of the controller, so it should name the parameter. Nil accepts any parameters and
	// ignores them.
	Configure func(name string, parameters *structpb.Struct) error
	// Called once, before Configure, with the minor version of the protocol that the controller speaks; a controller
	// with a lower one than Minor does not handle all answers of this package. May be nil.
	ControllerMinor func(minor int32)
	// The parameters that Frameworks may set in spec.plugins, at the top level. Nil allows all; empty allows none. The
	// operator may name others in the configuration. The controller refuses a Framework that sets any other parameter,
	// and does not ask about it.
	FrameworkParameters []string

	FailureClassifier FailureClassifier
	// Judges Pods that have not started to run; it may be set beside a FailureClassifier, or instead. Nil is never
	// asked.
	PendingJudge PendingJudge
	// Have the controller read the last events of each Pod that it asks about, for FailedPod.Events.
	WantsEvents      bool
	CompletionPolicy CompletionPolicy
	SchedulerHints   SchedulerHints
	HistorySink      HistorySink
	// Collects logs of Pods before they are deleted; only beside a HistorySink. Nil is never asked.
	LogCollector LogCollector
	// Called after Configure; it reports whether LogCollector is to be asked, for a plugin whose parameters decide that. Nil
	// always asks it.
	CollectsLogs func() bool
}

// Register adds the services to a gRPC server: Plugin, and the services of the kinds that are set. Serve calls it; tests call
// it to ask a plugin without starting a program.
func (p Plugin) Register(s grpc.ServiceRegistrar) {
	pluginpb.RegisterPluginServer(s, describer{plugin: p})
	if p.FailureClassifier != nil || p.PendingJudge != nil {
		pluginpb.RegisterFailureClassifierServer(s, classifierServer{classifier: p.FailureClassifier, pending: p.PendingJudge})
	}
	if p.CompletionPolicy != nil {
		pluginpb.RegisterCompletionPolicyServer(s, policyServer{policy: p.CompletionPolicy})
	}
	if p.SchedulerHints != nil {
		pluginpb.RegisterSchedulerHintsServer(s, hintsServer{hints: p.SchedulerHints})
	}
	if p.HistorySink != nil {
		pluginpb.RegisterHistorySinkServer(s, sinkServer{sink: p.HistorySink, logs: p.LogCollector})
	}
}

// Serve answers the controller until it ends this process. It never returns. A program that was not started by the
// controller prints that and exits with code 1.
//
// Output of the program to stderr, and to stdout while it serves, joins the controller's log; see Logger.
func Serve(p Plugin) {
	goplugin.Serve(&goplugin.ServeConfig{
		HandshakeConfig:  Handshake,
		VersionedPlugins: map[int]goplugin.PluginSet{Version: {setName: services{plugin: p}}},
		GRPCServer:       newServer,
		Logger:           serverLogger(),
	})
	os.Exit(0)
}

func newServer(options []grpc.ServerOption) *grpc.Server {
	return grpc.NewServer(append(options,
		grpc.MaxRecvMsgSize(MaxMessage), grpc.MaxSendMsgSize(MaxMessage), grpc.UnaryInterceptor(survive), grpc.StreamInterceptor(surviveStream))...)
}

// Logger returns a logger whose lines join the controller's log with their level and values.
func Logger() hclog.Logger {
	return hclog.New(&hclog.LoggerOptions{Output: stderr, JSONFormat: true, Level: hclog.Debug})
}

// stderr is the original one, also after go-plugin has replaced it.
var stderr = os.Stderr

// serverLogger is for go-plugin's own messages, which matter only if something is wrong.
func serverLogger() hclog.Logger {
	return hclog.New(&hclog.LoggerOptions{Output: stderr, JSONFormat: true, Level: hclog.Warn})
}

// describer serves Plugin.
type describer struct {
	pluginpb.UnimplementedPluginServer
	plugin Plugin
}

func (d describer) Describe(_ context.Context, r *pluginpb.DescribeRequest) (*pluginpb.DescribeResponse, error) {
	if d.plugin.ControllerMinor != nil {
		d.plugin.ControllerMinor(r.GetMinor())
	}
	if d.plugin.Configure != nil {
		if err := d.plugin.Configure(r.GetName(), r.GetParameters()); err != nil {
			return nil, refusal(err)
		}
	}
	out := &pluginpb.DescribeResponse{Version: d.plugin.Version, JudgesPending: d.plugin.PendingJudge != nil, Minor: Minor,
		CollectsLogs: d.plugin.collectsLogs(), WantsEvents: d.plugin.WantsEvents}
	if d.plugin.FrameworkParameters != nil {
		out.FrameworkParameters = &pluginpb.FrameworkParameters{Keys: d.plugin.FrameworkParameters}
	}
	return out, nil
}

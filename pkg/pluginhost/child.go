package pluginhost

import (
	"context"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// child is a connected process.
type child struct {
	client  *goplugin.Client
	process *process
	conn    grpc.ClientConnInterface
	version string
	// The minor version of the protocol that it states.
	minor int32
	// It judges pending Pods.
	judgesPending bool
	// It wants the last events of Pods.
	wantsEvents bool
	// It keeps logs of Pods.
	collectsLogs bool
	// The parameters that Frameworks may set, as it declares: nil allows all, empty none.
	frameworkParameters []string
	// Why the host killed it; nil if it did not.
	killed atomic.Pointer[killing]
	// Number of calls that it has answered without a fault.
	answers atomic.Int64
	// Whether its end was counted as a fault. Guarded by the lock of the slot.
	crashCounted bool
}

// launch starts a plugin and connects to it, for at most that time. If ctx ends, so does the process. Beside is called
// when it runs, and should return when it has ended.
func launch(ctx context.Context, c Config, directory string, out *output, atMost time.Duration, beside func(*child)) (*child, *Fault) {
	ch := &child{process: newProcess(c.path(directory), c.Args, out)}
	ch.process.beside = func() { beside(ch) }
	ch.client = goplugin.NewClient(&goplugin.ClientConfig{
		HandshakeConfig:  plugin.Handshake,
		VersionedPlugins: plugin.Versions(),
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		AutoMTLS:         true,
		// Plugins must not see secrets in the controller's environment.
		SkipHostEnv:     true,
		StartTimeout:    atMost + time.Minute, // our own limit is shorter
		GRPCDialOptions: dialOptions(),
		SyncStdout:      out,
		SyncStderr:      out,
		// The host does its own logging.
		Logger: hclog.NewNullLogger(),
		RunnerFunc: func(_ hclog.Logger, spec *exec.Cmd, _ string) (runner.Runner, error) {
			ch.process.cmd.Env = append(c.environment(), spec.Env...)
			return ch.process, nil
		},
	})
	if fault := ch.connect(ctx, c, atMost); fault != nil {
		ch.end(0)
		return nil, fault
	}
	return ch, nil
}

func (c Config) environment() []string {
	var env []string
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		env = append(env, name+"="+c.Env[name])
	}
	return env
}

// dialOptions limit the memory that a plugin can make the host hold; go-plugin allows 2 GiB.
func dialOptions() []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(plugin.MaxMessage), grpc.MaxCallSendMsgSize(plugin.MaxMessage)),
		grpc.WithMaxHeaderListSize(64 << 10),
		// A plugin must not set service configurations.
		grpc.WithDisableServiceConfig(),
	}
}

func (ch *child) connect(ctx context.Context, c Config, atMost time.Duration) *Fault {
	// Go-plugin takes no context: only the end of the process ends its waiting.
	limit, cancel := context.WithTimeout(ctx, atMost)
	defer cancel()
	started := make(chan error, 1)
	go func() {
		_, err := ch.client.Start()
		started <- err
	}()
	err := ch.await(limit, started)
	if err == nil {
		go func() { started <- ch.dial() }()
		err = ch.await(limit, started)
	}
	if err == nil {
		return nil
	}
	return ch.startFault(ctx, c, limit, err, atMost)
}

// await returns a result that arrives at the latest when the process ends.
func (ch *child) await(ctx context.Context, result <-chan error) error {
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
	}
	for {
		ch.process.Kill(ctx) // Again, as it may only have been about to be started.
		select {
		case <-result: //nolint:errcheck // only its arrival counts
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func (ch *child) dial() error {
	client, err := ch.client.Client()
	if err != nil {
		return err
	}
	ch.conn, err = plugin.Dispense(client)
	return err
}

func (ch *child) startFault(ctx context.Context, c Config, limit context.Context, err error, atMost time.Duration) *Fault {
	if ch.process.pid() == 0 {
		return c.fault(NotRunning, "cannot be started: %v", err)
	}
	if ctx.Err() != nil {
		return c.fault(NotRunning, "was stopped while it started")
	}
	if ch.killed.Load() != nil {
		return ch.exitFault(c)
	}
	if limit.Err() != nil {
		return c.fault(Timeout, "gave no handshake on stdout, or did not listen, within %s", atMost)
	}
	<-ch.process.handshake.done
	problem := ch.process.handshake.problem
	switch {
	case problem == nil:
		return c.fault(NotRunning, "cannot be connected to: %v", err)
	case problem.kind == Incompatible:
		return c.fault(Incompatible, "%s", problem.text)
	}
	ch.process.Kill(ctx) // It has closed its stdout, but may still run.
	<-ch.process.ended
	return c.fault(NotRunning, "%s; the process %s", problem.text, ch.process.exited())
}

// describe makes the first call, for at most that time.
func (ch *child) describe(ctx context.Context, c Config, atMost time.Duration) *Fault {
	ctx, cancel := context.WithTimeout(ctx, atMost)
	defer cancel()
	answer, err := pluginpb.NewPluginClient(ch.conn).Describe(ctx,
		&pluginpb.DescribeRequest{Name: c.Name, Parameters: c.parameters(), Minor: plugin.Minor})
	if err == nil {
		ch.version = completion.Cut(oneLine(answer.GetVersion()), 256)
		ch.minor = answer.GetMinor()
		ch.judgesPending = answer.GetJudgesPending()
		ch.wantsEvents = answer.GetWantsEvents()
		ch.collectsLogs = answer.GetCollectsLogs()
		if declared := answer.GetFrameworkParameters(); declared != nil {
			ch.frameworkParameters = append([]string{}, declared.GetKeys()...)
		}
		return nil
	}
	if status.Code(err) == codes.InvalidArgument {
		return c.fault(RefusedParameters, "refuses its parameters: %s", status.Convert(err).Message())
	}
	if status.Code(err) == codes.DeadlineExceeded {
		return c.fault(Timeout, "did not describe itself within %s", atMost)
	}
	return ch.callFault(c, "Plugin", err)
}

// healthy uses the gRPC health protocol, as go-plugin does. An answer that the service is unknown counts as healthy.
func (ch *child) healthy(ctx context.Context, atMost time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, atMost)
	defer cancel()
	answer, err := grpc_health_v1.NewHealthClient(ch.conn).Check(ctx,
		&grpc_health_v1.HealthCheckRequest{Service: goplugin.GRPCServiceName})
	switch code := status.Code(err); {
	case code == codes.Unimplemented || code == codes.NotFound:
		return nil
	case err != nil:
		return err
	case answer.GetStatus() == grpc_health_v1.HealthCheckResponse_NOT_SERVING:
		return fmt.Errorf("it reports that it is not serving")
	}
	return nil
}

// killing is the reason why a process was killed.
type killing struct {
	cause cause
	text  string
}

type cause int

const (
	unresponsive cause = iota // it did not answer, or with faults
	overMemory                // it used too much memory, possibly because of a question
)

// kill ends the process at once, and records why.
func (ch *child) kill(because cause, text string) {
	ch.killed.CompareAndSwap(nil, &killing{because, text})
	ch.process.Kill(context.Background())
}

// endedByUs reports whether the host ended the process, or is about to, for a reason that has nothing to do with the
// questions under way.
func (ch *child) endedByUs() bool {
	k := ch.killed.Load()
	return k != nil && k.cause == unresponsive
}

// exitFault is the fault for the end of the process.
func (ch *child) exitFault(c Config) *Fault {
	if k := ch.killed.Load(); k != nil {
		return c.fault(Crashed, "was restarted: %s", k.text)
	}
	return c.fault(Crashed, "the process %s", ch.process.exited())
}

// end asks the process to end, kills it after the grace period, and returns when it is gone, with its children.
func (ch *child) end(grace time.Duration) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		ch.client.Kill()
	}()
	select {
	case <-done:
	case <-ch.process.ended:
	case <-time.After(grace):
		ch.process.Kill(context.Background())
	}
	<-done
	ch.process.awaitEnd()
}

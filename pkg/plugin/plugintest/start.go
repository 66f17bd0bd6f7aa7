package plugintest

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
)

// Start starts a new process of the plugin under test, and returns a connection to it. It ends the plugin with the
// test.
type Start func(t *testing.T) grpc.ClientConnInterface

// InProcess serves the plugins that build returns in the process of the test. Build is called for each start.
func InProcess(build func() plugin.Plugin) Start {
	return func(t *testing.T) grpc.ClientConnInterface {
		t.Helper()
		server := grpc.NewServer(grpc.MaxRecvMsgSize(plugin.MaxMessage), grpc.MaxSendMsgSize(plugin.MaxMessage))
		build().Register(server)
		listener := bufconn.Listen(1 << 20)
		served := make(chan error, 1)
		go func() { served <- server.Serve(listener) }()
		t.Cleanup(func() {
			server.Stop()
			if err := <-served; err != nil {
				t.Errorf("serving the plugin: %v", err)
			}
		})
		return dial(t, listener)
	}
}

func dial(t *testing.T, listener *bufconn.Listener) *grpc.ClientConn {
	t.Helper()
	connect := func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }
	conn, err := grpc.NewClient("passthrough:plugin", grpc.WithContextDialer(connect),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(plugin.MaxMessage)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// Binary starts a program as the controller does: with the same handshake and encryption, and without inherited
// environment. If the program is found on PATH by its bare name, like an interpreter, it inherits the test's
// environment.
func Binary(command string, args ...string) Start {
	return func(t *testing.T) grpc.ClientConnInterface {
		t.Helper()
		client := goplugin.NewClient(&goplugin.ClientConfig{
			HandshakeConfig:  plugin.Handshake,
			VersionedPlugins: plugin.Versions(),
			Cmd:              exec.Command(command, args...),
			SkipHostEnv:      filepath.IsAbs(command),
			AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
			AutoMTLS:         true,
			StartTimeout:     startTimeout,
			Logger:           hclog.New(&hclog.LoggerOptions{Output: os.Stderr, Level: hclog.Warn}),
			GRPCDialOptions:  []grpc.DialOption{grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(plugin.MaxMessage))},
		})
		t.Cleanup(client.Kill)
		protocol, err := client.Client()
		if err != nil {
			t.Fatalf("starting %s: %v", command, err)
		}
		conn, err := plugin.Dispense(protocol)
		if err != nil {
			t.Fatalf("connecting to %s: %v", command, err)
		}
		return conn
	}
}

// startTimeout is the time that a program may take to print its handshake.
const startTimeout = 30 * time.Second

// Build builds a Go main package, such as ".", for the duration of the test, and returns the path of the program.
func Build(t *testing.T, pkg string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "plugin")
	if output, err := exec.Command("go", "build", "-o", program, pkg).CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", pkg, err, output)
	}
	return program
}

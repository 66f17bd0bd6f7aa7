package plugin

import (
	"context"

	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
)

// Version is the version of the protocol, the second field of the handshake.
const Version = 1

// Minor is the minor version of the protocol: it grows with each added field. Both sides state theirs in Describe,
// where 0 means older than minor versions.
const Minor = 5

// Handshake is the agreement of controller and plugin before they talk. The cookie protects nothing: a program uses it
// to detect that the controller started it, and not a curious user.
var Handshake = goplugin.HandshakeConfig{
	ProtocolVersion:  Version,
	MagicCookieKey:   "FRAMEWORKCONTROLLER_PLUGIN",
	MagicCookieValue: "frameworkcontroller.plugin.v1",
}

// setName is the name of our services in go-plugin. There is only one such set, and the name is never sent.
const setName = "frameworkcontroller"

// Versions is the controller's offer to a plugin: the services of each version.
func Versions() map[int]goplugin.PluginSet {
	return map[int]goplugin.PluginSet{Version: {setName: services{}}}
}

// Dispense returns the connection to the services of a plugin that was started with Versions.
func Dispense(client goplugin.ClientProtocol) (grpc.ClientConnInterface, error) {
	conn, err := client.Dispense(setName)
	if err != nil {
		return nil, err
	}
	return conn.(grpc.ClientConnInterface), nil
}

// services adapts our services to go-plugin, on both sides.
type services struct {
	goplugin.NetRPCUnsupportedPlugin
	plugin Plugin
}

func (s services) GRPCServer(_ *goplugin.GRPCBroker, server *grpc.Server) error {
	s.plugin.Register(server)
	return nil
}

func (s services) GRPCClient(_ context.Context, _ *goplugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return conn, nil
}

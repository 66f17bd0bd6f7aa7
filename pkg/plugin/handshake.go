package plugin

import (
	"context"

	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
)

// Version is the version of the protocol that the second field of the handshake names.
const Version = 1

// Minor is the minor version of the protocol: it grows with each field that is added. Both sides tell theirs in Describe, where
// 0 is one from before there were any.
const Minor = 2

// Handshake is what controller and plugin agree on before they talk. The cookie protects nothing. It is how a program
// tells that the controller started it, and not a curious user.
var Handshake = goplugin.HandshakeConfig{
	ProtocolVersion:  Version,
	MagicCookieKey:   "FRAMEWORKCONTROLLER_PLUGIN",
	MagicCookieValue: "frameworkcontroller.plugin.v1",
}

// setName is under which name go-plugin knows our services. There is only one such set, and the name is never sent.
const setName = "frameworkcontroller"

// Versions is what the controller offers to a plugin: for each version the way to its services.
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

// services is how go-plugin sees our services, on both sides.
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

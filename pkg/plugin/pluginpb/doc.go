// Package pluginpb is the contract between the controller and its plugins, as Go code that is generated from
// plugin.proto. That file documents each message and field; package plugin serves them.
package pluginpb

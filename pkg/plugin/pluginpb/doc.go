// Package pluginpb is the contract between the controller and its plugins, as Go code that is generated from
// plugin.proto. That file says what each message and field means; package plugin is how a plugin serves it.
package pluginpb

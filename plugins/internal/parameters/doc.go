// Package parameters has the rule for parameters that the shipped plugins share.
//
// It promises that a Framework's values replace the configuration's, key by key at the top level. The meaning of the
// keys is left to the plugin, which reads the result with plugin.Decode.
//
//	merged := parameters.Overlay(configured, question.GetParameters())
package parameters

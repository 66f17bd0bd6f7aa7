// Package parameters is what the shipped plugins have in common about their parameters.
//
// It promises one rule: what a Framework gives takes the place of what the configuration gives, key by key at the top.
// What the keys mean is left to the plugin, which reads the result with plugin.Decode.
//
//	merged := parameters.Overlay(configured, question.GetParameters())
package parameters

// Package thresholds asks package taskcount, the controller's built-in completion policy, about the attempts in questions.
//
// It promises the outcome, trigger and message of the built-in rule. While that would not end the attempt it has no
// opinion, so that a policy that comes after it in the configuration has its say.
//
//	plugin.Serve(thresholds.New())
package thresholds

// Package thresholds applies package taskcount, the controller's built-in completion policy, to the attempts in
// questions.
//
// It promises the outcome, trigger and message of the built-in rule. As long as that would not end the attempt, it has
// no opinion, so that later policies in the configuration are asked.
//
//	plugin.Serve(thresholds.New())
package thresholds

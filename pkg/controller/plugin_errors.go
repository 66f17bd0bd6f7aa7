package controller

import (
	"errors"
	"fmt"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
)

// objectsError is why what hints are about cannot be had from the API server: an object, a field of Pods, or which kinds there are.
type objectsError struct{ cause error }

func (u *objectsError) Error() string { return u.cause.Error() }

func (u *objectsError) Unwrap() error { return u.cause }

// retryLaterError is why Pods have to wait for a scheduler, and when to ask it again.
type retryLaterError struct {
	plugin, reason string
	after          time.Duration
}

func (n *retryLaterError) Error() string {
	return fmt.Sprintf("plugin %s: Pods may not be created yet: %s", n.plugin, n.reason)
}

// skippedPlugins collects the plugins without which questions were answered.
type skippedPlugins map[string]error

func (s skippedPlugins) add(plugin string, why error) { s[plugin] = why }

// faulty reports whether a plugin was left out because it does not answer. One that refuses would do so again.
func (s skippedPlugins) faulty() bool {
	for plugin := range s {
		if s.isFaulty(plugin) {
			return true
		}
	}
	return false
}

// isFaulty reports whether that plugin was left out because it does not answer.
func (s skippedPlugins) isFaulty(plugin string) bool {
	why, left := s[plugin]
	return left && !errors.As(why, new(*consult.Refusal))
}

// heldBack tells a plugin that is not asked any more for a while from one that does not answer: users are told of both.
func heldBack(why error) string {
	if consult.IsHeldBack(why) {
		return " for a while"
	}
	return ""
}

func whySkipped(why error) string {
	if refusal := new(consult.Refusal); errors.As(why, &refusal) {
		return "which refuses: " + refusal.Reason
	}
	return "which does not answer: " + why.Error()
}

// Reasons for which questions wait.
const (
	pluginUnavailable  = "PluginUnavailable"
	pluginRefused      = "PluginRefused"
	hintsRefused       = "HintsRefused"
	hintsObjectsFailed = "HintsObjectsFailed"
	schedulerNotReady  = "SchedulerNotReady"
)

// waitingReason says that the plugin is unavailable also of what nobody expects, such as stored hints that make no sense.
func waitingReason(err error) string {
	var refusal *consult.Refusal
	var notMade *objectsError
	var later *retryLaterError
	switch {
	case errors.As(err, &refusal) && refusal.Kind == plugin.KindSchedulerHints:
		return hintsRefused
	case errors.As(err, &refusal):
		return pluginRefused
	case errors.As(err, &notMade):
		return hintsObjectsFailed
	case errors.As(err, &later):
		return schedulerNotReady
	}
	return pluginUnavailable
}

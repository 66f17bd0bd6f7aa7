package pluginhost

import (
	"fmt"
	"strings"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
)

// FaultKind is what was wrong with a plugin, for metrics and for callers that distinguish.
type FaultKind string

const (
	// The plugin is not configured (any more), or is of another kind.
	NotConfigured FaultKind = "NotConfigured"
	// Its process could not be started, or has not yet.
	NotRunning FaultKind = "NotRunning"
	// No answer within the timeout.
	Timeout FaultKind = "Timeout"
	// The process, or the connection to it, ended before the answer.
	Crashed FaultKind = "Crashed"
	// It answered with an error.
	Failed FaultKind = "Failed"
	// The answer does not keep to the contract.
	Invalid FaultKind = "Invalid"
	// The question or the answer is larger than the contract allows.
	TooLarge FaultKind = "TooLarge"
	// It does not accept the parameters of the configuration.
	RefusedParameters FaultKind = "RefusedParameters"
	// It is no plugin, speaks another version of the protocol, or does not serve its kind.
	Incompatible FaultKind = "Incompatible"
	// It was not asked, as it has answered too many questions with faults: of anybody, or about this Framework, or those of
	// its namespace.
	CircuitOpened FaultKind = "CircuitOpen"
)

// Fault is why a plugin has given no usable answer.
type Fault struct {
	// Of the configuration.
	Plugin string
	// Empty if the plugin is not configured.
	PluginKind plugin.Kind
	Kind       FaultKind
	// For people: one line of at most 1 KiB.
	Message string
}

// Error is the message with the plugin that it is about, such as "FailureClassifier(exitcodes): no answer within 5s".
func (f *Fault) Error() string {
	kind := f.PluginKind
	if kind == "" {
		kind = "plugin"
	}
	return fmt.Sprintf("%s(%s): %s", kind, f.Plugin, f.Message)
}

const maxFaultMessage = 1024

func (c Config) fault(kind FaultKind, format string, args ...any) *Fault {
	message := strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " ")
	return &Fault{Plugin: c.Name, PluginKind: c.Kind, Kind: kind, Message: completion.Cut(strings.ToValidUTF8(message, "?"), maxFaultMessage)}
}

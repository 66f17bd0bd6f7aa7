package pluginhost

import (
	"fmt"
	"strings"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
)

// FaultKind classifies a plugin's fault, for metrics and for callers that distinguish.
type FaultKind string

const (
	// The plugin is not configured, or no longer, or is of another kind.
	NotConfigured FaultKind = "NotConfigured"
	// Its process could not be started, or has not started yet.
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
	// It is not a plugin, speaks another version of the protocol, or does not serve its kind.
	Incompatible FaultKind = "Incompatible"
	// It was not asked, because it answered too many questions with faults: in total, about this Framework, or about
	// its namespace.
	CircuitOpened FaultKind = "CircuitOpen"
)

// Fault is the reason why a plugin gave no usable answer.
type Fault struct {
	// Name in the configuration.
	Plugin string
	// Empty if the plugin is not configured.
	PluginKind plugin.Kind
	Kind       FaultKind
	// For people: one line of at most 1 KiB.
	Message string
	// VerdictProblem describes the mistake in the verdict on a Pod, without the Pod, which the message names; empty if the fault is not
	// about a single verdict.
	VerdictProblem string
}

// OfAnyPod returns the fault as it would be about any other Pod, so that faults that differ in the Pod alone become equal.
func (f *Fault) OfAnyPod() *Fault {
	if f.VerdictProblem == "" {
		return f
	}
	out := *f
	out.Message = "invalid verdict on a Pod: " + f.VerdictProblem
	return &out
}

// Error is the message with the plugin's kind and name, such as "FailureClassifier(exitcodes): no answer within 5s".
func (f *Fault) Error() string {
	kind := f.PluginKind
	if kind == "" {
		kind = "plugin"
	}
	return fmt.Sprintf("%s(%s): %s", kind, f.Plugin, f.Message)
}

const maxFaultMessage = 1024

func (c Config) fault(kind FaultKind, format string, args ...any) *Fault {
	return &Fault{Plugin: c.Name, PluginKind: c.Kind, Kind: kind, Message: faultText(fmt.Sprintf(format, args...))}
}

// faultText makes one line of at most 1 KiB of a text that a plugin may have given.
func faultText(text string) string {
	return completion.Cut(strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "?"), maxFaultMessage)
}

// Package answers checks the answers of plugins against the contract, which plugin.proto describes.
//
// Each function takes a question and the answer to it. It returns the answer in the form that the controller uses, or
// an error for people that describes the mistake. It changes neither question nor answer. The controller and the
// conformance suites in plugintest use the same functions. An author of a plugin needs only the suites.
//
//	verdict, err := answers.CheckVerdict(v)
//	switch {
//	case err != nil: // the plugin breaks the contract
//	case verdict == nil: // it has no opinion
//	}
//
// Words:
//
//	verdict    the kind of failure of a failed Pod, by a FailureClassifier
//	decision   whether an attempt ends, by a CompletionPolicy
//	hints      patches for Pods and objects beside them, for a scheduler, by SchedulerHints
//	stored     the keys of the records that a HistorySink acknowledges
//	refusal    the answer that the Framework is at fault, usually its parameters; it is an answer, and not an error
//	code       number, phrase and type of a failure; some codes are reserved for the controller
package answers

// Limits of the lengths of texts in plugin.proto, in bytes.
const (
	maxPhrase  = 256
	maxRule    = 256
	maxMessage = 4 << 10
)

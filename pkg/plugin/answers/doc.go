// Package answers checks what plugins answer against the contract, which plugin.proto has in words.
//
// Each function takes a question and the answer to it, and returns the answer in the form that the controller uses, or
// an error for people that says what is wrong. It changes neither question nor answer. The controller asks through these
// functions, and the conformance suites in plugintest use the same ones. An author of a plugin needs the suites only.
//
//	verdict, err := answers.CheckVerdict(v)
//	switch {
//	case err != nil: // the plugin breaks the contract
//	case verdict == nil: // it has no opinion
//	}
//
// Words:
//
//	verdict    what kind of failure a failed Pod is, by a FailureClassifier
//	decision   whether an attempt ends, by a CompletionPolicy
//	hints      patches for Pods and objects beside them, for a scheduler, by SchedulerHints
//	refusal    the answer that the Framework is at fault, usually its parameters; it is an answer, and not an error
//	code       number, phrase and type of a failure; some codes are reserved for the controller
package answers

// What plugin.proto says about the lengths of texts, in bytes.
const (
	maxPhrase  = 256
	maxRule    = 256
	maxMessage = 4 << 10
)

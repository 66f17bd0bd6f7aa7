// Package podpattern judges failed Pods by podFailureSpec rules, in the form of the controller's configuration.
//
// It promises to give the answer of package completion, which the controller falls back to: the first rule that
// matches, otherwise the exit code of the container that failed last, otherwise -300. So it has an opinion on every
// failed Pod, and later classifiers in the configuration are asked only about failures that the contract cannot express
// (see podverdict.Verdict). Rules in a Framework's parameters come before the rules of the configuration. Messages in their
// diagnostics are shortened to the contract's limit. If a match of the configuration's rules exceeds the limit, the plugin has
// no opinion: the controller has the same rules and reports the match in full.
//
//	plugin.Serve(podpattern.New())
package podpattern

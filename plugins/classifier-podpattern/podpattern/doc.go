// Package podpattern judges failed Pods by podFailureSpec rules, like those of the controller's configuration.
//
// It promises to give the answer of package completion, which the controller falls back to: the first rule that matches,
// otherwise the exit code of the container that failed last, otherwise -300. So it has an opinion on every failed Pod, and
// classifiers that come after it in the configuration are asked only about what the contract has no word for (see
// podverdict.Verdict). Rules that a Framework gives as parameters are asked before those of the configuration. Messages are
// shortened in their diagnostics if the contract would not allow all of them; those of the configuration's rules are left
// to the controller, which has the same rules and says them in full.
//
//	plugin.Serve(podpattern.New())
package podpattern

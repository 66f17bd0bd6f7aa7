// Package plugin is for authors of plugins in Go: it makes a program a plugin of the controller.
//
// A plugin is a program that the controller starts and asks over gRPC. It has an opinion about one or more of three
// things: what kind of failure a failed Pod is (FailureClassifier), when an attempt ends (CompletionPolicy), and how Pods
// are presented to a scheduler (SchedulerHints). The package promises that the program speaks the protocol. What it
// leaves to the author is to answer within the deadline of the context, to change nothing that cannot be repeated, and to
// give the same answer to the same question: each may be asked again, also of a new process.
//
//	func main() {
//		plugin.Serve(plugin.Plugin{FailureClassifier: plugin.ClassifierFunc(judge)})
//	}
//
//	func judge(_ context.Context, pod *pluginpb.FailedPod) (*pluginpb.Verdict, error) {
//		if plugin.ExitCode(pod) == 42 {
//			return plugin.Verdict(42, "LicenseServerBusy", plugin.Transient), nil
//		}
//		return nil, nil // no opinion: the next plugin is asked, finally the built-in rules
//	}
//
// Words:
//
//	kind         what a plugin is asked about; the name of a gRPC service
//	attempt      a Framework runs in attempts, and each has Tasks with one Pod at a time
//	verdict      what kind of failure a failed Pod is: a code, a phrase and a type
//	decision     whether an attempt goes on, or has succeeded or failed
//	hints        patches of Pods, and objects that are created before them
//	refusal      the answer that the Framework is at fault, usually its parameters; an error says that the plugin is
//	parameters   what the configuration gives to a plugin when it starts, and a Framework with each question
//	no opinion   the empty answer: the next plugin is asked, finally the built-in rules
//
// What an answer may not contain is checked by package answers, for the controller and for package plugintest.
//
// The messages are those of package pluginpb; plugin.proto explains each of their fields. A program in another language
// serves the same file.
package plugin

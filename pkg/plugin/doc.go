// Package plugin is for authors of plugins in Go: it turns a program into a plugin of the controller.
//
// A plugin is a program that the controller starts and asks over gRPC. It has an opinion about one or more of three
// subjects: the kind of failure of a failed Pod (FailureClassifier), the end of an attempt (CompletionPolicy), and the
// presentation of Pods to a scheduler (SchedulerHints). The package promises that the program speaks the protocol. The
// author must answer within the deadline of the context, change nothing that cannot be repeated, and give the same
// answer to the same question: each may be asked again, also of a new process.
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
//	kind         the subject of a plugin's questions; the name of a gRPC service
//	attempt      a Framework runs in attempts, and each has Tasks with one Pod at a time
//	verdict      the kind of failure of a failed Pod: a code, a phrase and a type
//	decision     whether an attempt goes on, or has succeeded or failed
//	hints        patches of Pods, and objects that are created before them
//	refusal      the answer that the Framework is at fault, usually its parameters; an error means that the plugin is
//	parameters   what the configuration gives to a plugin when it starts, and a Framework with each question
//	no opinion   the empty answer: the next plugin is asked, finally the built-in rules
//
// Package answers checks answers against the contract, for the controller and for package plugintest.
//
// The messages are in package pluginpb; plugin.proto documents each of their fields. A program in another language
// serves the same file.
package plugin

// Package pluginhost runs the plugins that are configured, each in a process of its own, and asks them.
//
// It promises that a plugin can cost only its own opinion. Every question ends in time, with an answer that keeps to the
// contract (plugin.proto) or with a Fault that says for people what was wrong. A plugin that is missing, hangs, crashes,
// lies, leaks memory or speaks another version is restarted, and not asked for a while if that does not help; nobody else notices.
// Every process ends with the host, also if the host is killed (on Linux). What happens without an opinion, by the
// plugin's FailurePolicy, and which plugin is asked first, it leaves to the caller.
//
//	host := pluginhost.New(pluginhost.Options{Log: log})
//	defer host.Stop()
//	host.Reload(configs) // at once; plugins start in the background
//	verdicts, source, err := host.Classify(ctx, "exitcodes", pods)
//	var fault *pluginhost.Fault // errors.As(err, &fault)
//
// A question waits while its plugin starts, is restarted or is busy with others, which ends as each start and each call
// has a limit. It is asked again after a fault that may pass, and a process that answers nobody is started again before
// there is no answer but a Fault (retries).
//
// A fault counts against the Framework whose question it came with, then against its namespace, and only after that against
// the plugin (circuits). If a process ends while several are asking, each of them is asked again with nothing beside it, to
// find out whose question it was (countCrash). A call has questions of one namespace, and some room is left for the others'.
//
//	Reload -> slot (one per name) -> supervisor (one per configuration) -> process (one per start)
//	             |                       |                                    |
//	             questions, circuit      start, describe, check, restart      go-plugin client, log, end
//
// When a configuration, or a file that it names, has changed, a second supervisor starts the new process beside the old
// one. The slot goes over to it once it is ready, and the old process ends after the calls under way.
package pluginhost

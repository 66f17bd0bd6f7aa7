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
// has a limit. It is asked again after a fault that may pass. A process that answers nobody is started again before there
// is no answer but a Fault.
//
// A fault counts against the Framework whose question it came with, then against its namespace, and only after that against
// the plugin. If a process ends while several are asking, each of them is asked again with nothing beside it, to find out
// whose question it was. A call has questions of one namespace, and some room is left for the others'.
//
// How a question goes through:
//
//	Classify -> batcher -+
//	Decide, Hint, ... ---+-> circuits -> limit of the namespace -> permit -> gRPC call -> answers.Check... -> answer
//	                              ^                                              |
//	                              +------------- count, countCrash <---- Fault <-+-> retries: asked again
//
// How a process comes and goes:
//
//	Reload -> slot (one per name) -> supervisor (one per configuration) -> process (one per start)
//	             |                       |                                    |
//	             questions, circuit      start, describe, check, restart      go-plugin client, log, end
//
// When a configuration, or a file that it names, has changed, a second supervisor starts the new process beside the old
// one. The slot goes over to it once it is ready, and the old process ends after the calls under way.
//
// Words:
//
//	slot         a name of the configuration: the supervisor that serves under it, and the next one
//	supervisor   keeps one process of one configuration running
//	child        a process that is connected to; process is the same without the connection
//	handshake    the first line that a process writes, which says how to connect to it
//	question     what a caller wants to know: for Classify about one Pod, otherwise about one Framework
//	call         one gRPC call, which for Classify carries several questions
//	owner        whose question it is: a Framework's, or a namespace's
//	permit       the right to make one call; there are maxCalls for each slot
//	retries      how often a question was asked, and whether asking again may help
//	Fault        why there is no usable answer
//	circuit      keeps questions away from a plugin that answered several with faults, or those of one owner; open means
//	             that it does
//	suspect      a permit that was in use when its process ended
//	suspicion    of a question: it was a suspect's, and nobody knows which of several has ended the process
//	on trial     of a question, group or permit: nothing else is asked beside it, as it may have ended a process, or tries
//	             whether a circuit may close
//	group        questions that go in one call, and no others with them
//	pace         how many Pods a call may have, which is learnt from how long calls take
//
// Functions whose names end in Locked are called with the lock of their slot, or of their batcher, held.
package pluginhost

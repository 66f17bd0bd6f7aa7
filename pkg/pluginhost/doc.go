// Package pluginhost runs the configured plugins, each in its own process, and asks them.
//
// It promises that a plugin can cost only its own opinion. Every question ends in time, with an answer that keeps to
// the contract (plugin.proto) or with a Fault that explains the problem to people. A plugin that is missing, hangs,
// crashes, lies, leaks memory or speaks another version is restarted, and not asked for a while if that does not help;
// nobody else notices. Every process ends with the host, also if the host is killed (on Linux). The caller decides what
// happens without an opinion, by the plugin's FailurePolicy, and which plugin is asked first.
//
//	host := pluginhost.New(pluginhost.Options{Log: log})
//	defer host.Stop()
//	host.Reload(configs) // at once; plugins start in the background
//	verdicts, source, err := host.Classify(ctx, "exitcodes", pods)
//	var fault *pluginhost.Fault // errors.As(err, &fault)
//
// A question waits while its plugin starts, is restarted or is busy with others; that wait ends, as each start and each
// call has a limit. After a fault that may pass, the question is asked again. A process that answers nobody is
// restarted before a question ends with a Fault.
//
// A fault counts against the Framework of its question, then against its namespace, and only after that against the
// plugin. If a process ends while several questions are under way, each of them is asked again with nothing beside it,
// to find the one to blame. A call has questions of one namespace, and some capacity is left for other namespaces. Records
// for a sink are the exception: they are of all Frameworks, so its faults count against the plugin alone.
//
// How a question travels:
//
//	Classify -> batcher -+
//	Decide, Store, ... --+-> circuits -> limit of the namespace -> permit -> gRPC call -> answers.Check... -> answer
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
// one. Once the new process is ready, the slot switches to it, and the old process ends after its calls under way.
//
// Words:
//
//	slot         a name of the configuration: the supervisor that serves under it, and the next one
//	supervisor   keeps one process of one configuration running
//	child        a process that is connected to; process is the same without the connection
//	handshake    the first line that a process writes, with the address to connect to
//	question     the unit that gets an answer: for Classify one Pod, for Store some records, otherwise one Framework
//	call         one gRPC call, which for Classify carries several questions
//	owner        the Framework, or the namespace, of a question; records for a sink have none
//	permit       the right to make one call; there are maxCalls for each slot
//	retries      how often a question was asked, and whether a repetition may help
//	Fault        why there is no usable answer
//	circuit      keeps questions, or those of one owner, from a plugin that answered several with faults; open means
//	             that it currently does
//	suspect      a permit that was in use when its process ended
//	suspicion    of a question: it belonged to one of several suspects, and the culprit is unknown
//	on trial     of a question, group or permit: nothing else is asked beside it, as it may have ended a process, or tries
//	             whether a circuit may close
//	group        questions that go in one call, without others
//	pace         the maximum number of Pods in a call, learnt from the duration of calls
//
// Functions whose names end in Locked are called with the lock of their slot, or of their batcher, held.
package pluginhost

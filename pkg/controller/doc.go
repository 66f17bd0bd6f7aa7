// Package controller runs Frameworks: it watches the cluster, lets package lifecycle decide, stores the decision, and then
// carries it out.
//
// It promises that no action is performed before the status that calls for it is stored, that a failed action is retried, and
// that one Framework never disturbs another. It makes no decisions itself: the meaning of a Framework is in package lifecycle,
// and the form of its objects in package objects.
//
//	clients, err := controller.NewClients(restConfig)
//	c, err := controller.New(clients, controller.Options{Workers: 200, Lifecycle: config, CRD: crd, Log: log})
//	c.StandBy(ctx)   // if there may be another one that runs
//	err = c.Run(ctx) // until ctx ends
//
// One round of one Framework is sync.go, to be read from top to bottom:
//
//	events -> key -> read -> observe -> lifecycle.Step -> persist -> report -> perform
//	   ^                                                                          |
//	   +------------ what became of an action is an event for the next round -----+
//
// Rounds of one Framework never overlap. Actions run outside the round, in a pool that all Frameworks share fairly. Only its
// own round accesses the record of a Framework; everybody else puts events into its mailbox.
//
// The parts. The Controller has the rounds (run.go, sync.go), and these (controller.go):
//
//	listener     what the watches show -> events (watch_events.go)
//	reader       the stored Framework -> its record (read.go, leave_out.go, invalid.go, forget.go)
//	watches      the caches, and what a step is to know of them (watch.go, observe.go)
//	writer       a decided state -> the stored status (persist.go)
//	performer    an action -> a request -> a result (perform.go)
//	asker        a question -> a plugin -> an answer (ask.go, hints.go; package hintobjects)
//	reporter     users, operators; with historyWriter, the history (report.go, history.go)
//	server       whether the API server answers, and serves Frameworks (package apiserver)
//	vitals       whether the controller itself is well (probes.go)
//
// Where to look:
//
//	what puts a round or a status write off?        pacing.go
//	which actions may begin now, in which order?    throttle.go, with what counts as a refusal of a Pod
//	where is a Pod built?                           build_pod.go, with pod_builders.go
//	what becomes of an action's answer?             handle_result.go
//	what happens to a failed status write?          persist.go
//	what is the status that is stored?              stored.go
//	what is in the way of a Framework?              blockers.go
//	why does this Framework wait?                   waiting.go
//	what is asked, and what has been answered?      questions.go
//	how is a deletion reported, with its cause?     deletions.go
//	what in a spec are users warned of?             spec.go, with package specwarnings
//	which Frameworks wait for which others?         others.go
//	when are a Service and a Secret looked for?     companions.go; how they are made: companion_requests.go
//
// The words:
//
//	record      what is known of one Framework between rounds; none of it is needed after a restart. Its parts are
//	            stored, savedStatus, schedule, dependents, blockers, reported and questions
//	event       what a round has to take into account: a change that a watch shows, a result, an answer
//	full round  one that looks at all Tasks; other rounds look at those that something has happened to
//	facts       what is known about an object's name beside what the cache shows
//	action      what a step asks for; its result is what the API server has answered
//	question    an action that a plugin answers
//	desired     the stored state, by which an action in the pool is found to be too late
//	companion   the Service, or the Secret, that a Framework has beside its attempts
//	blocker     what is in the way of a Framework: an action that fails, a question that is not answered
//	restored    as the process before has stored it; it counts until this one knows better
//	uncertain   a status write that may have taken effect although it has failed
//	left alone  a Framework of which nothing is decided: it is invalid, or there is no memory for it
//	elsewhere   a Framework that another controller runs, as its spec.managedBy says
//	cooldown    the pause after a status write before the next that no action depends on
//	unwatched   an object that the watch shows no more, and that may exist all the same
package controller
